"""LongMemEval's retrieval scores for turns and sessions, and BEAM's scores for orders of events.

LongMemEval's scores follow its authors' code, which leaves out unanswerable questions. Deviation:
the authors search only what the user said; the memories here search all turns.
"""

import math
from collections.abc import Sequence
from typing import Literal

from remem.metrics.convention import ScoreConvention
from remem.metrics.retrieval import states_messages, states_sessions
from remem.types import Record

Level = Literal["turn", "session"]
Discount = Literal["released", "standard"]

TYPES = frozenset(
    {
        *("single-session-user", "single-session-assistant", "single-session-preference"),
        *("multi-session", "temporal-reasoning", "knowledge-update"),
        *("information-extraction", "multi-session-reasoning", "temporal"),  # the excerpt's names
    }
)
"""The question types; questions of other benchmarks have none of these scores."""


def session_of(message_id: str) -> str:
    """Return the id of the session that a message id contains.

    >>> session_of("answer_280352e9_3")
    'answer_280352e9'
    """
    return message_id.rpartition("_")[0]


def recall_any(
    record: Record, convention: ScoreConvention, *, level: Level, k: int
) -> float | None:
    """Return 1 if one of the first `k` turns or sessions contains the answer, else 0."""
    gold = _gold(record, level)
    return float(not gold.isdisjoint(_found_items(record, level)[:k])) if gold else None


def recall_all(
    record: Record, convention: ScoreConvention, *, level: Level, k: int
) -> float | None:
    """Return 1 if all turns or sessions that contain the answer are among the first `k`, else 0."""
    gold = _gold(record, level)
    return float(gold <= set(_found_items(record, level)[:k])) if gold else None


def ndcg_any(
    record: Record, convention: ScoreConvention, *, level: Level, k: int, discount: Discount
) -> float | None:
    """Return the nDCG of the first `k` turns or sessions.

    The standard discount of rank r is log2(r + 1). The released code uses log2(r) from rank 2 on,
    so ranks 1 and 2 count the same.
    """
    gold = _gold(record, level)
    if not gold:
        return None
    gains = [item in gold for item in _found_items(record, level)[:k]]
    return _gain(gains, discount) / _gain([True] * min(k, len(gold)), discount)


def _gain(gains: Sequence[bool], discount: Discount) -> float:
    """Return the discounted gain of a ranked list.

    >>> _gain([False, True], "released"), round(_gain([False, True], "standard"), 4)
    (1.0, 0.6309)
    """
    shift = 1 if discount == "standard" else 0
    return sum(
        1 / math.log2(max(2, rank + shift)) for rank, is_gold in enumerate(gains, 1) if is_gold
    )


def _gold(record: Record, level: Level) -> set[str]:
    """Return the turns or sessions with the answer.

    The set is empty if the category is none of LongMemEval's, if the items have no ranks, or if an
    imported run does not state which turns or sessions were retrieved.
    """
    if record.gold.category not in TYPES or not record.ranked:
        return set()
    items = [item.source for item in record.retrieved]
    is_stated = states_messages(items) if level == "turn" else states_sessions(items)
    if not is_stated:
        return set()
    return set(_units(record.gold.evidence, level))


def _found_items(record: Record, level: Level) -> list[str]:
    """Return the distinct turns or sessions that were found, best first."""
    sources = (message_id for item in record.retrieved for message_id in item.source)
    return list(dict.fromkeys(_units(tuple(sources), level)))


def _units(message_ids: Sequence[str], level: Level) -> list[str]:
    return [session_of(each) if level == "session" else each for each in message_ids]


def released_order(reference: Sequence[str], aligned: Sequence[str]) -> float | None:
    """Return (tau-b + 1) / 2 as BEAM's code computes it; None if it is undefined.

    Each list ranks the items of both lists. The items that a list does not contain share a
    rank after its last item. So a line that is not in the rubric takes a rank, and a one-line
    refusal scores 0.211 if five items are requested. If both lists are the same single item, BEAM's
    code returns nan.

    >>> round(released_order(list("abcde"), [""]), 3), round(released_order(list("abcde"), "ab"), 3)
    (0.211, 0.918)
    """
    everything = list(dict.fromkeys((*reference, *aligned)))
    tau = _tau(_ranks(reference, everything), _ranks(aligned, everything))
    return None if tau is None else (tau + 1) / 2


def strict_order(reference: Sequence[str], aligned: Sequence[str]) -> float:
    """Return (tau-b + 1) / 2 over the reference items, times the share that the answer names.

    Lines that are not reference items are ignored. An answer without any reference item scores 0;
    an answer with all of them in the right order scores 1.

    >>> strict_order(list("abcde"), ["first:", *"abcde"]), strict_order(list("ab"), [""])
    (1.0, 0.0)
    """
    stated = list(dict.fromkeys(item for item in aligned if item in set(reference)))
    recall = len(stated) / len(set(reference))
    tau = _tau(_ranks(reference, reference), _ranks(stated, reference))
    order = float(len(stated) > 0) if tau is None else (tau + 1) / 2
    return order * recall


def _ranks(listed: Sequence[str], everything: Sequence[str]) -> list[int]:
    """Return the rank of each item in `listed`; all missing items share one rank after the last."""
    places = {item: place for place, item in enumerate(listed, 1)}
    return [places.get(item, len(everything) + 1) for item in everything]


def _tau(one: Sequence[int], two: Sequence[int]) -> float | None:
    """Return Kendall's tau-b; None if a list has fewer than two ranks, or equal ranks only."""
    from scipy.stats import kendalltau  # type: ignore[import-untyped]  # scipy has no stubs

    if len(one) < 2:
        return None
    tau = float(kendalltau(one, two, variant="b").statistic)
    return None if math.isnan(tau) else tau


ORDERING = "event_ordering"


def found_order(record: Record, convention: ScoreConvention) -> float | None:
    """Score the order of the retrieved evidence by `strict_order`.

    Return None unless the question is on the order of events. Retrieved messages are matched with
    the gold evidence by id, and are sorted as in the chat, because every memory could sort them.
    """
    gold = _events(record)
    return strict_order(gold, _found_in_order(record)) if gold else None


def found_order_released(record: Record, convention: ScoreConvention) -> float | None:
    """Score the order like `found_order`, but by `released_order`.

    If no evidence was retrieved, an empty line is scored.
    """
    gold = _events(record)
    return released_order(gold, _found_in_order(record) or [""]) if gold else None


def _events(record: Record) -> tuple[str, ...]:
    """Return the gold evidence of a question on the order of events, in the file's order."""
    if record.gold.category != ORDERING:
        return ()
    is_numbered = all(message_id.isdecimal() for message_id in record.gold.evidence)
    is_stated = states_messages([item.source for item in record.retrieved])
    return record.gold.evidence if is_numbered and is_stated else ()


def _found_in_order(record: Record) -> list[str]:
    message_ids = {message_id for item in record.retrieved for message_id in item.source}
    return sorted(message_ids.intersection(record.gold.evidence), key=int)
