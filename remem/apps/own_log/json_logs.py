"""What `remem ask --json` prints."""

from dataclasses import dataclass
from pathlib import Path

from remem.apps.own_log.log_answer import LogAnswer
from remem.types import Evidence, Usage


@dataclass(frozen=True, slots=True)
class AddedLog:
    """A log that was added: its format, its messages, and how many of them were new."""

    path: Path
    format: str
    messages: int
    new: int


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, "" if nothing in the log answers; `sentence` is what `source` says, word for word.

    `evidence` is None unless it was asked for.
    """

    question: str
    answer: str
    when: str
    source: str
    sentence: str
    message_id: str
    usage: Usage
    evidence: Evidence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOutput:
    """The logs that were added, and the answer; None if nothing was asked."""

    command: str = "ask"
    memory: Path
    added: tuple[AddedLog, ...]
    answered: Answered | None


def answered(question: str, found: LogAnswer, *, evidence: bool) -> Answered:
    """Return an answer as it is written."""
    quote = found.quote
    return Answered(
        question=question,
        answer=" ".join(found.text.split()),
        when=found.when,
        source=found.source,
        sentence="" if quote is None else " ".join(quote.sentence.split()),
        message_id="" if quote is None else quote.message.id,
        usage=found.usage,
        evidence=found.evidence if evidence else None,
    )
