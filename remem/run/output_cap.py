"""The maximum length of a reply of a run's model, and the source of that number."""

from dataclasses import dataclass

from remem.config.run_config import RunConfig

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OutputCap:
    """The maximum tokens of a reply; `source` says where the number is from, if known."""

    tokens: int
    source: str


def output_cap(config: RunConfig) -> OutputCap | None:
    """Return the cap of the model's replies; None if the run uses no endpoint."""
    llm = config.settings.llm
    tokens = llm.chat_model.endpoint.answering.max_output_tokens
    # A model of one's own need not say where its number is from.
    return None if tokens is None else OutputCap(tokens, llm.output_cap_source or UNKNOWN)
