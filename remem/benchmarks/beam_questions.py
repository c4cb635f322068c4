"""The questions of BEAM: ten abilities, a rubric each, and evidence ids in several shapes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from remem.benchmarks.json_fields import checked, field, strings
from remem.types import REFUSAL_PHRASE, Gold, Query, Question

ABSTENTION = "abstention"
ANSWER_KEYS = {
    "contradiction_resolution": "ideal_answer",
    "summarization": "ideal_summary",
    "instruction_following": None,
    "preference_following": None,
}
"""Where the ideal answer is if not under "answer"; None for an ability that has no such answer."""


@dataclass(frozen=True, slots=True)
class RawQuestion:
    """A question as the file has it; `place` counts those of its ability from 0."""

    ability: str
    place: int
    fields: Any

    @property
    def name(self) -> str:
        """The question in messages."""
        return f"{self.ability} {self.place}"


def raw_questions(raw: object, chat_id: str) -> Iterator[RawQuestion]:
    """Yield the questions of a chat, by ability in the order of the file."""
    where = f"the questions of {chat_id}"
    for ability, questions in checked(raw, dict, where).items():
        for place, fields in enumerate(checked(questions, list, f"{ability!r} of {where}")):
            yield RawQuestion(ability, place, fields)


def read_question(raw: RawQuestion, chat_id: str, index: int, ids: frozenset[str]) -> Question:
    """Return a question; the items of its gold are the statements of its rubric.

    Args:
        raw: The question.
        chat_id: The id of the chat.
        index: The place of the question among those of the chat, from 0.
        ids: The ids of the messages of the chat.
    """
    query_id = f"{chat_id}/{raw.ability}/{raw.place}"
    rubric = strings(raw.fields, "rubric", query_id)
    if not rubric or not all(item.strip() for item in rubric):
        raise ValueError(f"{query_id} has an empty rubric, or an empty item in it")
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
    """Return the evidence ids of a question in the order of the file, repeated ones too.

    They are a list, a list of lists or an object of lists; without the key there are none.
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
    """Return the ideal answer; the rubric stands in for abilities without one."""
    if raw.ability == ABSTENTION:
        return REFUSAL_PHRASE
    key = ANSWER_KEYS.get(raw.ability, "answer")
    return "; ".join(rubric) if key is None else field(raw.fields, key, str, query_id)
