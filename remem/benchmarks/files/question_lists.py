"""Count the questions in a list without histories, such as a list of agent-memory-benchmark."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remem.benchmarks.json_files import checked, field
from remem.files.json_text import parse_json

ABSTENTION = "_abs"


@dataclass(frozen=True, slots=True)
class QuestionList:
    """The counts of a list of questions; `repeated` counts texts that occurred before."""

    questions: int
    categories: Mapping[str, int]
    repeated: int
    flaws: Mapping[str, int]


def count_questions(content: bytes, name: str) -> QuestionList:
    """Return the counts of a list of questions.

    Raises:
        ValueError: The content does not have the structure of such a list.
    """
    questions = checked(parse_json(content, name), list, name)
    ids = [field(raw, "id", str, f"question {n} of {name}") for n, raw in enumerate(questions, 1)]
    pairs = list(zip(ids, questions, strict=True))
    types = Counter(_meta(raw, place, "question_type") for place, raw in pairs)
    texts = [field(raw, "query", str, place) for place, raw in pairs]
    gold = {place: field(raw, "gold_ids", list, place) for place, raw in pairs}
    answers = [field(raw, "gold_answers", list, place) for place, raw in pairs]
    return QuestionList(
        questions=len(questions),
        categories=dict(sorted(types.items())),
        repeated=len(texts) - len(set(texts)),
        flaws={
            "questions to refuse, with an id that ends in _abs": sum(map(_is_abstention, ids)),
            "of these without gold ids": sum(_is_abstention(i) and not gold[i] for i in ids),
            "other questions without gold ids": sum(
                not _is_abstention(i) and not gold[i] for i in ids
            ),
            "answers that are whole numbers": sum(
                any(isinstance(answer, int) for answer in place) for place in answers
            ),
            "questions with a date that was cut to midnight": sum(
                "T00:00:00" in _meta(raw, place, "query_timestamp") for place, raw in pairs
            ),
        },
    )


def _meta(raw: Any, where: str, key: str) -> str:
    return field(field(raw, "meta", dict, where), key, str, f"'meta' of {where}")


def _is_abstention(question_id: str) -> bool:
    return question_id.endswith(ABSTENTION)
