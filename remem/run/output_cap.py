"""How long a reply of a run's model may be, and by whose word."""

from dataclasses import dataclass

from remem.config.run_config import RunConfig

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OutputCap:
    """The most tokens of a reply; `source` says where the number is from, or that it is unknown."""

    tokens: int
    source: str


def output_cap(config: RunConfig) -> OutputCap | None:
    """Return the cap of the model's replies; None where no endpoint is asked."""
    llm = config.settings.llm
    tokens = llm.chat_model.endpoint.answering.max_output_tokens
    # A model of one's own need not say where its number is from.
    return None if tokens is None else OutputCap(tokens, llm.output_cap_source or UNKNOWN)
