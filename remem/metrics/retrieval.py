"""Retrieval scores against the gold evidence, for every kind of memory.

The paper reports none: these tell a bad memory from a bad reader. An item is given by the ids of
the messages it comes from; without gold evidence every score is None. Memories retrieve units of
different size (a fact, a message, a session), so none of these is fair to all: read them together.
"""

import math
import re
from collections.abc import Callable, Sequence

Items = Sequence[Sequence[str]]

_NUMBERED_ID = re.compile(r"(D\d+):\d+")


def evidence_recall(items: Items, gold: Sequence[str], k: int | None = None) -> float | None:
    """Return the share of gold messages among the sources of the first `k` items, or of all.

    >>> evidence_recall([["D1:2", "D1:3"], ["D4:1"]], ["D1:3", "D4:1"], k=1)
    0.5
    """
    wanted = set(gold)
    if not wanted:
        return None
    found = {message_id for item in _first(items, k) for message_id in item}
    return len(wanted & found) / len(wanted)


def hit(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return 1 if any of the first `k` items carries a gold message, else 0.

    >>> hit([["D1:2"], ["D1:3"]], ["D1:3"], k=1), hit([["D1:2"], ["D1:3"]], ["D1:3"], k=2)
    (0.0, 1.0)
    """
    return float(any(relevance(items, gold, k))) if gold else None


def reciprocal_rank(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return 1 / rank of the first item that carries a gold message, 0 if none of `k` does.

    >>> reciprocal_rank([["D1:2"], ["D1:3"]], ["D1:3"], k=10)
    0.5
    """
    if not gold:
        return None
    ranks = (rank for rank, new in enumerate(relevance(items, gold, k), 1) if new)
    return 1 / next(ranks, math.inf)


def ndcg(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return the discounted gain of the first `k` items over that of an ideal list.

    nDCG = sum over the relevant ranks r <= k of 1 / log2(r + 1), divided by the same sum over the
    ranks 1 to min(k, g), with `g` gold messages: the ideal list has one of them per item. An item
    that carries several gains no more than one, so a memory of long items reaches 1 only where no
    two gold messages share an item.

    >>> round(ndcg([["D1:1"], ["D9:9"], ["D2:1"]], ["D1:1", "D2:1"], k=10), 4)  # 1.5 / 1.6309
    0.9197
    """
    if not gold:
        return None
    ideal = _discounted([True] * min(k, len(set(gold))))
    return _discounted(relevance(items, gold, k)) / ideal


def relevance(items: Items, gold: Sequence[str], k: int) -> list[bool]:
    """Mark each of the first `k` items that carries a gold message no earlier item carried.

    >>> relevance([["D1:1"], ["D1:1", "D2:2"], ["D1:1"]], ["D1:1", "D2:2"], k=10)
    [True, True, False]
    """
    missing = set(gold)
    marks = []
    for item in _first(items, k):
        marks.append(not missing.isdisjoint(item))
        missing -= set(item)
    return marks


def session_recall(
    items: Items, gold: Sequence[str], session_of: Callable[[str], str | None]
) -> float | None:
    """Return the share of the sessions of gold messages from which anything was retrieved.

    This is the level on which a memory of sessions and one of messages can be compared. None if
    `session_of` does not know the session of a gold message.

    >>> session_recall([["D1:9"]], ["D1:1", "D2:1"], numbered_session)
    0.5
    """
    wanted = {session_of(message_id) for message_id in gold}
    if not wanted or None in wanted:
        return None
    found = {session_of(message_id) for item in items for message_id in item}
    return len(wanted & found) / len(wanted)


def numbered_session(message_id: str) -> str | None:
    """Return the session of an id in LoCoMo's form, None for other ids.

    In five chats of REALTALK sessions were split without numbering the messages anew: there it is
    the session of the numbering, which may hold several of the file's.

    >>> numbered_session("D8:6"), numbered_session("f12")
    ('D8', None)
    """
    match = _NUMBERED_ID.fullmatch(message_id)
    return match[1] if match else None


def recall_per_1000_tokens(items: Items, gold: Sequence[str], context_tokens: int) -> float | None:
    """Return the recall of all items divided by the thousands of tokens the reader was given.

    It rewards short contexts without limit, and where no tokenizer is at hand the tokens are an
    estimate: compare rows with each other, not with other tables. None if there was no context:
    nothing was retrieved, or nothing given.

    >>> recall_per_1000_tokens([["D1:1"]], ["D1:1", "D2:1"], context_tokens=250)
    2.0
    """
    recall = evidence_recall(items, gold) if items and context_tokens else None
    return None if recall is None else 1000 * recall / context_tokens


def _first(items: Items, k: int | None) -> Items:
    if k is not None and k < 1:
        raise ValueError(f"k is {k}, expected at least 1")
    return items[:k]


def _discounted(marks: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, new in enumerate(marks, 1) if new)
