"""Score retrieved items against the gold evidence, for every kind of memory.

The paper reports no retrieval scores, but they show whether the memory or the reader caused an
error. An item is the list of ids of its source messages. Every score is None if there is no gold
evidence. Memories retrieve units of different sizes (facts, messages, sessions), so no single score
compares all of them fairly.
"""

import math
import re
from collections.abc import Callable, Sequence
from itertools import chain, islice

from remem.types import NOT_STATED

Items = Sequence[Sequence[str]]

_NUMBERED_ID = re.compile(r"(D\d+):\d+")


def states_messages(items: Items) -> bool:
    """Return whether the messages of all items are known; in an imported run they may not be.

    >>> states_messages([["D1:2"]]), states_messages([["s1_(not stated)"]])
    (True, False)
    """
    if NOT_STATED not in "\n".join(chain.from_iterable(items)):  # most runs, in a tenth of the time
        return True
    return not any(source.endswith(NOT_STATED) for item in items for source in item)


def states_sessions(items: Items) -> bool:
    """Return whether the sessions of all items are known, even if the messages are not.

    >>> states_sessions([["s1_(not stated)"]]), states_sessions([["(not stated)"]])
    (True, False)
    """
    return not any(source == NOT_STATED for item in items for source in item)


def evidence_recall(items: Items, gold: Sequence[str], k: int | None = None) -> float | None:
    """Return the share of gold messages that are sources of the first `k` items.

    If `k` is None, all items count.

    >>> evidence_recall([["D1:2", "D1:3"], ["D4:1"]], ["D1:3", "D4:1"], k=1)
    0.5
    """
    wanted = set(gold)
    if not wanted:
        return None
    retrieved_ids = {message_id for item in _first_k(items, k) for message_id in item}
    return len(wanted & retrieved_ids) / len(wanted)


def message_recall(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return the share of gold messages among the first `k` different source messages.

    Messages are taken from the items in order, without repeats, so an item can add several messages
    or none. However long the items are, at most `k` messages count.

    >>> message_recall([["D1:2"], ["D1:2"], ["D1:3", "D4:1"]], ["D1:3", "D4:1"], k=2)
    0.5
    """
    wanted = set(gold)
    if not wanted:
        return None
    _check_depth(k)
    different = dict.fromkeys(message_id for item in items for message_id in item)
    return len(wanted.intersection(islice(different, k))) / len(wanted)


def hit(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return 1 if any of the first `k` items comes from a gold message, else 0.

    >>> hit([["D1:2"], ["D1:3"]], ["D1:3"], k=1), hit([["D1:2"], ["D1:3"]], ["D1:3"], k=2)
    (0.0, 1.0)
    """
    return float(any(relevance(items, gold, k))) if gold else None


def reciprocal_rank(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return 1 / rank of the first item from a gold message; 0 if that rank is above `k`.

    >>> reciprocal_rank([["D1:2"], ["D1:3"]], ["D1:3"], k=10)
    0.5
    """
    if not gold:
        return None
    ranks = (rank for rank, new in enumerate(relevance(items, gold, k), 1) if new)
    return 1 / next(ranks, math.inf)


def ndcg(items: Items, gold: Sequence[str], k: int) -> float | None:
    """Return nDCG: the discounted gain of the first `k` items, divided by that of an ideal list.

    The gain is the sum of 1 / log2(r + 1) over the relevant ranks r <= k. Each item of the ideal
    list has one gold message, so the relevant ranks of the ideal list are 1 to min(k, g), where `g`
    is the number of gold messages. An item with several gold messages counts once, so a memory with
    long items reaches 1 only if no two gold messages are in the same item.

    >>> round(ndcg([["D1:1"], ["D9:9"], ["D2:1"]], ["D1:1", "D2:1"], k=10), 4)  # 1.5 / 1.6309
    0.9197
    """
    if not gold:
        return None
    ideal = _discounted([True] * min(k, len(set(gold))))
    return _discounted(relevance(items, gold, k)) / ideal


def relevance(items: Items, gold: Sequence[str], k: int) -> list[bool]:
    """Return whether each of the first `k` items has a gold message that no earlier item has.

    >>> relevance([["D1:1"], ["D1:1", "D2:2"], ["D1:1"]], ["D1:1", "D2:2"], k=10)
    [True, True, False]
    """
    missing = set(gold)
    marks = []
    for item in _first_k(items, k):
        marks.append(not missing.isdisjoint(item))
        missing -= set(item)
    return marks


def session_recall(
    items: Items, gold: Sequence[str], session_of: Callable[[str], str | None]
) -> float | None:
    """Return the share of gold sessions from which at least one item was retrieved.

    A gold session contains a gold message. This score makes memories that retrieve sessions
    comparable with memories that retrieve messages. The result is None if there are no gold
    messages, or if `session_of` returns None for any gold message.

    >>> session_recall([["D1:9"]], ["D1:1", "D2:1"], numbered_session)
    0.5
    """
    wanted = {session_of(message_id) for message_id in gold}
    if not wanted or None in wanted:
        return None
    sessions = {session_of(message_id) for item in items for message_id in item}
    return len(wanted & sessions) / len(wanted)


def numbered_session(message_id: str) -> str | None:
    """Return the session in a message id of LoCoMo's form; None for other ids.

    In five chats of REALTALK, sessions were split without renumbering the messages. So messages of
    several sessions of the file may have ids with the same session.

    >>> numbered_session("D8:6"), numbered_session("f12")
    ('D8', None)
    """
    match = _NUMBERED_ID.fullmatch(message_id)
    return match[1] if match else None


def recall_per_1000_tokens(items: Items, gold: Sequence[str], context_tokens: int) -> float | None:
    """Return the recall of all items per 1000 tokens of the reader's context.

    The shorter the context, the higher the score can be, without an upper limit. Token counts are
    estimates if there is no tokenizer. So compare rows only within a table. The result is None if
    nothing was retrieved or passed to the reader.

    >>> recall_per_1000_tokens([["D1:1"]], ["D1:1", "D2:1"], context_tokens=250)
    2.0
    """
    recall = evidence_recall(items, gold) if items and context_tokens else None
    return None if recall is None else 1000 * recall / context_tokens


def _first_k(items: Items, k: int | None) -> Items:
    if k is not None:
        _check_depth(k)
    return items[:k]


def _check_depth(k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}, expected at least 1")


def _discounted(marks: Sequence[bool]) -> float:
    return sum(1 / math.log2(rank + 1) for rank, new in enumerate(marks, 1) if new)
