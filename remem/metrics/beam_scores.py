"""Scores of BEAM that need no model: the order of the events that a memory found."""

from remem.metrics.convention import ScoreConvention
from remem.metrics.event_order import released_order, strict_order
from remem.metrics.retrieval import states_messages
from remem.types import Record

ORDERING = "event_ordering"


def found_order(record: Record, convention: ScoreConvention) -> float | None:
    """Return how well the evidence that was found gives the order of events; None without events.

    The messages found are aligned with the evidence by their ids, and are in the order of the chat,
    which every memory can restore.
    """
    gold = _events(record)
    return strict_order(gold, _found_in_order(record)) if gold else None


def found_order_released(record: Record, convention: ScoreConvention) -> float | None:
    """Return the same by the rule of BEAM's code, where an empty answer is one line."""
    gold = _events(record)
    return released_order(gold, _found_in_order(record) or [""]) if gold else None


def _events(record: Record) -> tuple[str, ...]:
    """Return the evidence of a question on the order of events, as the file orders it."""
    if record.gold.category != ORDERING:
        return ()
    is_numbered = all(message_id.isdecimal() for message_id in record.gold.evidence)
    is_stated = states_messages([item.source for item in record.retrieved])
    return record.gold.evidence if is_numbered and is_stated else ()


def _found_in_order(record: Record) -> list[str]:
    found = {message_id for item in record.retrieved for message_id in item.source}
    return sorted(found.intersection(record.gold.evidence), key=int)
