"""Count the flaws of BEAM's data: what a loader has to decide, and what a score cannot see."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remem.benchmarks.beam_questions import ABSTENTION, RawQuestion, evidence_ids

ORDERING = "event_ordering"
TEMPORAL = "temporal_reasoning"
WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMBERS = {word: number for number, word in enumerate(WORDS, 2)}
NUMBER = re.compile(rf"\b(?:{'|'.join(NUMBERS)}|[0-9]{{1,3}})\b", re.IGNORECASE)
SPAN = re.compile(r"([0-9]{1,6})\s*(minute|hour|day|week|month|year)")


def count_flaws(
    batches: Sequence[Any], messages: Sequence[Any], questions: Sequence[RawQuestion]
) -> Mapping[str, int]:
    """Return how often each flaw occurs, by what it is.

    Args:
        batches: The batches of all chats as the files have them.
        messages: The messages of these batches.
        questions: The questions of all chats.
    """
    marked = [message for message in messages if "->->" in message["content"]]
    found = [(asked, evidence_ids(asked.fields, asked.name)) for asked in questions]
    listed = [(asked, ids) for asked, ids in found if "source_chat_ids" in asked.fields]
    orders = [(asked, ids) for asked, ids in found if asked.ability == ORDERING]
    return {
        "batches without a time anchor of their own": _count(
            batch.get("time_anchor") is None for batch in batches
        ),
        "messages that end in a mark of the writing plan": len(marked),
        "of these from the assistant": _count(each["role"] == "assistant" for each in marked),
        "abstention questions without evidence ids": _count(
            asked.ability == ABSTENTION and not ids for asked, ids in found
        ),
        "other questions without the key of evidence ids": _count(
            asked.ability != ABSTENTION and "source_chat_ids" not in asked.fields
            for asked in questions
        ),
        "questions with an empty list of evidence ids": _count(not ids for _, ids in listed),
        "questions with lists within the list of evidence ids": _count(
            _is_nested(asked.fields["source_chat_ids"]) for asked, _ in listed
        ),
        "questions that repeat an evidence id": _count(
            len(set(ids)) < len(ids) for _, ids in found
        ),
        "event orderings with ids that are not in the order of the messages": _count(
            ids != sorted(ids, key=int) for _, ids in orders
        ),
        "event orderings with more or fewer ids than statements in the rubric": _count(
            len(set(ids)) != len(asked.fields["rubric"]) for asked, ids in orders
        ),
        "event orderings that ask for another number of items than the rubric has": _count(
            _asks_for_another_number(asked.fields) for asked, _ in orders
        ),
        "temporal questions whose answer contradicts the rubric": _count(
            _contradicts(asked.fields) for asked in questions if asked.ability == TEMPORAL
        ),
    }


def _count(found: Iterable[bool]) -> int:
    return sum(found)


def _is_nested(ids: object) -> bool:
    return isinstance(ids, list) and any(isinstance(item, list) for item in ids)


def _asks_for_another_number(fields: Mapping[str, Any]) -> bool:
    """Return whether the question states numbers, and none is that of the rubric's statements.

    >>> _asks_for_another_number({"question": "List five items.", "rubric": ["a", "b"]})
    True
    """
    words = (match[0].lower() for match in NUMBER.finditer(fields["question"]))
    stated = {int(NUMBERS.get(word, word)) for word in words}
    return bool(stated) and len(fields["rubric"]) not in stated


def _contradicts(fields: Mapping[str, Any]) -> bool:
    """Return whether answer and rubric state lengths of time in one unit, and none is the same.

    >>> _contradicts({"answer": "4 weeks", "rubric": ["8 weeks", "from May"]})
    True
    >>> _contradicts({"answer": "3 months", "rubric": ["90 days"]})
    False
    """
    answer, rubric = _spans(fields["answer"]), _spans(" ".join(fields["rubric"]))
    common = answer.keys() & rubric.keys()
    return bool(common) and all(answer[unit].isdisjoint(rubric[unit]) for unit in common)


def _spans(text: str) -> dict[str, set[int]]:
    """Return the numbers before each unit of time."""
    spans: dict[str, set[int]] = {}
    for number, unit in SPAN.findall(text):
        spans.setdefault(unit, set()).add(int(number))
    return spans
