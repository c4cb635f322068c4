"""Scores of BEAM that need no model: Kendall's tau-b of the order of events in an answer."""

import math
from collections.abc import Sequence

from remem.metrics.convention import ScoreConvention
from remem.metrics.retrieval import states_messages
from remem.types import Record


def released_order(reference: Sequence[str], aligned: Sequence[str]) -> float | None:
    """Return (tau-b + 1) / 2 as BEAM's code computes it; None where that gives no number.

    Both lists are ranked over everything in either of them, and what a list lacks comes last. So a
    line that states nothing in the rubric takes a rank, and a refusal of one line scores .211 if
    five items are asked for. One item of one has no tau, which BEAM's code reports as nan.

    >>> round(released_order(list("abcde"), [""]), 3), round(released_order(list("abcde"), "ab"), 3)
    (0.211, 0.918)
    """
    everything = list(dict.fromkeys((*reference, *aligned)))
    tau = _tau(_ranks(reference, everything), _ranks(aligned, everything))
    return None if tau is None else (tau + 1) / 2


def strict_order(reference: Sequence[str], aligned: Sequence[str]) -> float:
    """Return (tau-b + 1) / 2 over the reference alone, times the share of it that is stated.

    Lines that state nothing in the reference do not count. An answer that states none of it scores
    0, and the right order of all of it 1.

    >>> strict_order(list("abcde"), ["first:", *"abcde"]), strict_order(list("ab"), [""])
    (1.0, 0.0)
    """
    stated = list(dict.fromkeys(item for item in aligned if item in set(reference)))
    recall = len(stated) / len(set(reference))
    tau = _tau(_ranks(reference, reference), _ranks(stated, reference))
    order = float(len(stated) > 0) if tau is None else (tau + 1) / 2
    return order * recall


def _ranks(listed: Sequence[str], everything: Sequence[str]) -> list[int]:
    """Return the place of each item in a list; items that it lacks share the place after all."""
    places = {item: place for place, item in enumerate(listed, 1)}
    return [places.get(item, len(everything) + 1) for item in everything]


def _tau(one: Sequence[int], two: Sequence[int]) -> float | None:
    """Return Kendall's tau-b; None if it is undefined, because all ranks of a list are equal."""
    from scipy.stats import kendalltau  # type: ignore[import-untyped]  # scipy has no stubs

    if len(one) < 2:
        return None
    tau = float(kendalltau(one, two, variant="b").statistic)
    return None if math.isnan(tau) else tau


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
