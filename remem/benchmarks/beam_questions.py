"""Read the questions of BEAM: each has an ability, a rubric, and evidence ids of varying shape."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from remem.benchmarks.json_files import checked, field, gold_text, strings
from remem.types import REFUSAL_PHRASE, Gold, Query, Question

ABSTENTION = "abstention"
ANSWER_KEYS = {
    "contradiction_resolution": "ideal_answer",
    "summarization": "ideal_summary",
    "instruction_following": None,
    "preference_following": None,
}
"""The key of the ideal answer if it is not "answer"; None for an ability without ideal answers."""


@dataclass(frozen=True, slots=True)
class RawQuestion:
    """A question as the file states it; `place` is its position within its ability, from 0."""

    ability: str
    place: int
    fields: Any

    @property
    def name(self) -> str:
        """The name of the question in error messages."""
        return f"{self.ability} {self.place}"


def raw_questions(raw: object, chat_id: str) -> Iterator[RawQuestion]:
    """Yield the questions of a chat, grouped by ability, in the order of the file."""
    where = f"the questions of {chat_id}"
    for ability, questions in checked(raw, dict, where).items():
        for place, fields in enumerate(checked(questions, list, f"{ability!r} of {where}")):
            yield RawQuestion(ability, place, fields)


def read_question(raw: RawQuestion, chat_id: str, index: int, ids: frozenset[str]) -> Question:
    """Return a question; each statement of its rubric becomes an item of its gold answer.

    Args:
        raw: The question.
        chat_id: The id of the chat.
        index: The position of the question among those of the chat, from 0.
        ids: The ids of the messages of the chat.
    """
    query_id = f"{chat_id}/{raw.ability}/{raw.place}"
    rubric = strings(raw.fields, "rubric", query_id)
    if not rubric or not all(item.strip() for item in rubric):
        raise ValueError(f"{query_id} has a rubric without items, or with an empty item")
    named = list(dict.fromkeys(evidence_ids(raw.fields, query_id)))
    gold = Gold(
        answers=(_answer(raw, rubric, query_id),),
        category=raw.ability,
        answerable=raw.ability != ABSTENTION,
        items=tuple(rubric),
        evidence=tuple(name for name in named if name in ids),
        unresolved=tuple(name for name in named if name not in ids),
        group=chat_id,
        separator="semicolons",
    )
    text = field(raw.fields, "question", str, query_id).strip()
    return Question(Query(query_id, chat_id, index, text), gold)


def evidence_ids(fields: object, where: str) -> list[str]:
    """Return the evidence ids of a question in the order of the file, with repetitions.

    The file has them as a list, a list of lists or an object of lists; some questions have none.
    """
    if not isinstance(fields, dict):
        raise ValueError(f"{where} is {type(fields).__name__}, expected a JSON object")
    return list(_flat(fields.get("source_chat_ids", []), f"'source_chat_ids' of {where}"))


def _flat(value: object, where: str) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _flat(part, where)
    else:
        yield str(checked(value, int, f"an id in {where}"))


def _answer(raw: RawQuestion, rubric: list[str], query_id: str) -> str:
    """Return the ideal answer, or the rubric if the ability has no ideal answer."""
    if raw.ability == ABSTENTION:
        return REFUSAL_PHRASE
    key = ANSWER_KEYS.get(raw.ability, "answer")
    return "; ".join(rubric) if key is None else gold_text(raw.fields.get(key), query_id)


ORDERING = "event_ordering"
TEMPORAL = "temporal_reasoning"
WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMBERS = {word: number for number, word in enumerate(WORDS, 2)}
NUMBER = re.compile(rf"\b(?:{'|'.join(NUMBERS)}|[0-9]{{1,3}})\b", re.IGNORECASE)
SPAN = re.compile(r"([0-9]{1,6})\s*(minute|hour|day|week|month|year)")


def count_flaws(
    batches: Sequence[Any], messages: Sequence[Any], questions: Sequence[RawQuestion]
) -> Mapping[str, int]:
    """Return how often each flaw occurs, by its description.

    Args:
        batches: The batches of all chats, unchanged from the files.
        messages: The messages of these batches.
        questions: The questions of all chats.
    """
    marked = [message for message in messages if "->->" in message["content"]]
    questions_and_ids = [
        (question, evidence_ids(question.fields, question.name)) for question in questions
    ]
    listed = [
        (question, ids)
        for question, ids in questions_and_ids
        if "source_chat_ids" in question.fields
    ]
    orders = [
        (question, ids) for question, ids in questions_and_ids if question.ability == ORDERING
    ]
    return {
        "batches without a time anchor of their own": _count(
            batch.get("time_anchor") is None for batch in batches
        ),
        "messages that end in a mark of the writing plan": len(marked),
        "of these from the assistant": _count(each["role"] == "assistant" for each in marked),
        "abstention questions without evidence ids": _count(
            question.ability == ABSTENTION and not ids for question, ids in questions_and_ids
        ),
        "other questions without the key of evidence ids": _count(
            question.ability != ABSTENTION and "source_chat_ids" not in question.fields
            for question in questions
        ),
        "questions with an empty list of evidence ids": _count(not ids for _, ids in listed),
        "questions with lists within the list of evidence ids": _count(
            _is_nested(question.fields["source_chat_ids"]) for question, _ in listed
        ),
        "questions that repeat an evidence id": _count(
            len(set(ids)) < len(ids) for _, ids in questions_and_ids
        ),
        "event orderings with ids that are not in the order of the messages": _count(
            ids != sorted(ids, key=int) for _, ids in orders
        ),
        "event orderings with more or fewer ids than statements in the rubric": _count(
            len(set(ids)) != len(question.fields["rubric"]) for question, ids in orders
        ),
        "event orderings that ask for another number of items than the rubric has": _count(
            _asks_for_another_number(question.fields) for question, _ in orders
        ),
        "temporal questions whose answer contradicts the rubric": _count(
            _contradicts(question.fields) for question in questions if question.ability == TEMPORAL
        ),
    }


def _count(flags: Iterable[bool]) -> int:
    return sum(flags)


def _is_nested(ids: object) -> bool:
    return isinstance(ids, list) and any(isinstance(item, list) for item in ids)


def _asks_for_another_number(fields: Mapping[str, Any]) -> bool:
    """Return whether the question states numbers, but not the number of the rubric's statements.

    >>> _asks_for_another_number({"question": "List five items.", "rubric": ["a", "b"]})
    True
    """
    words = (match[0].lower() for match in NUMBER.finditer(fields["question"]))
    stated = {int(NUMBERS.get(word, word)) for word in words}
    return bool(stated) and len(fields["rubric"]) not in stated


def _contradicts(fields: Mapping[str, Any]) -> bool:
    """Return whether answer and rubric state durations in a common unit, but no equal ones.

    >>> _contradicts({"answer": "4 weeks", "rubric": ["8 weeks", "from May"]})
    True
    >>> _contradicts({"answer": "3 months", "rubric": ["90 days"]})
    False
    """
    answer, rubric = _spans(str(fields["answer"])), _spans(" ".join(fields["rubric"]))
    common = answer.keys() & rubric.keys()
    return bool(common) and all(answer[unit].isdisjoint(rubric[unit]) for unit in common)


def _spans(text: str) -> dict[str, set[int]]:
    """Return the numbers that a text states for each unit of time."""
    spans: dict[str, set[int]] = {}
    for number, unit in SPAN.findall(text):
        spans.setdefault(unit, set()).add(int(number))
    return spans
