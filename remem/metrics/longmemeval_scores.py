"""Retrieval scores of LongMemEval, of turns and of sessions, by the rules of its authors' code.

The questions to refuse are left out. Deviation: the authors only search what the user said, and the
memories here search all turns.
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
    """Return the session in a message id.

    >>> session_of("answer_280352e9_3")
    'answer_280352e9'
    """
    return message_id.rpartition("_")[0]


def recall_any(
    record: Record, convention: ScoreConvention, *, level: Level, k: int
) -> float | None:
    """Return 1 if one of the first `k` turns or sessions has the answer, else 0."""
    gold = _gold(record, level)
    return float(not gold.isdisjoint(_found_items(record, level)[:k])) if gold else None


def recall_all(
    record: Record, convention: ScoreConvention, *, level: Level, k: int
) -> float | None:
    """Return 1 if all turns or sessions with the answer are among the first `k`, else 0."""
    gold = _gold(record, level)
    return float(gold <= set(_found_items(record, level)[:k])) if gold else None


def ndcg_any(
    record: Record, convention: ScoreConvention, *, level: Level, k: int, discount: Discount
) -> float | None:
    """Return nDCG of the first `k` turns or sessions.

    The standard discount of rank r is log2(r + 1). The released code takes log2(r) from rank 2 on,
    so that the ranks 1 and 2 count alike.
    """
    gold = _gold(record, level)
    if not gold:
        return None
    gains = [found in gold for found in _found_items(record, level)[:k]]
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

    There are none if items have no ranks, as elsewhere, or if an imported run does not state which
    turns or sessions were retrieved.
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
