"""Read the user's questions about their own log."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remem.apps.own_log.logs.question_files import read_records
from remem.benchmarks.json_files import checked, gold_text, is_blank
from remem.types import REFUSAL_PHRASE, Gold, History, Query, Question

NO_CATEGORY = "uncategorised"
EMPTY_ANSWER = 'write "" for a question that should be refused'


def read_questions(path: Path, history: History) -> list[Question]:
    """Read the questions about a history, in the order of their file.

    Args:
        path: A file of questions.
        history: The history of the questions.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file has no questions, or a question has no text, has no answer or states
            unknown evidence.
    """
    stated = list(read_records(path))
    if not stated:
        raise ValueError(f"{path} has no questions, expected at least one")
    return [
        _question(record, index, history, where) for index, (record, where) in enumerate(stated)
    ]


def _question(record: Any, index: int, history: History, where: str) -> Question:
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {type(record).__name__}, expected an object with a question")
    text = _question_text(record, where)
    answers = _answers(record, where)
    gold = Gold(
        answers=answers or (REFUSAL_PHRASE,),
        category=_text(record.get("category"), "category", where) or NO_CATEGORY,
        answerable=bool(answers),
        evidence=_evidence(record, history, where),
        group=history.id,
    )
    return Question(Query(f"q{index + 1}", history.id, index, text), gold)


def _question_text(record: Mapping[str, Any], where: str) -> str:
    if "question" not in record:
        raise ValueError(
            f"{where} has no 'question', only {_names(record)}; use the name 'question' for the "
            f"field with the text of the question"
        )
    text = _text(record["question"], "question", where)
    if is_blank(text):
        raise ValueError(f"{where} has an empty 'question'; write its text, or remove the record")
    return text


def _answers(record: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Return the alternatives of the answer; none if the question should be refused.

    They are in "answer", or in "answers" as a list or as SQuAD has it: {"text": [...]}.
    """
    key = "answer" if "answer" in record else "answers"
    if key not in record:
        raise ValueError(
            f"{where} has no 'answer', only {_names(record)}; add one, or {EMPTY_ANSWER}"
        )
    stated = record[key]
    listed = stated.get("text") if key == "answers" and isinstance(stated, dict) else stated
    texts = [_answer(answer, key, where) for answer in _listed(listed, key)]
    return tuple(dict.fromkeys(filter(None, texts)))


def _listed(stated: object, key: str) -> list[object]:
    """Return the alternatives; a single answer is a list of one."""
    return stated if key == "answers" and isinstance(stated, list) else [stated]


def _answer(value: object, key: str, where: str) -> str:
    if value is None:
        raise ValueError(f"{where} has null as {key!r}; {EMPTY_ANSWER}")
    return gold_text(value, where).strip()


def _evidence(record: Mapping[str, Any], history: History, where: str) -> tuple[str, ...]:
    message_ids = {message.id for message in history.messages()}
    stated = record.get("evidence")
    numbers = checked([] if stated is None else stated, list, _of("evidence", where))
    ids = [f"m{number}" for number in numbers]
    unknown = next((message_id for message_id in ids if message_id not in message_ids), None)
    if unknown is not None:
        raise ValueError(
            f"{where} names message {unknown[1:]} as evidence, expected 1 to {len(message_ids)}"
        )
    return tuple(ids)


def _text(value: object, key: str, where: str) -> str:
    return "" if value is None else checked(value, str, _of(key, where)).strip()


def _of(key: str, where: str) -> str:
    return f"{key!r} of {where}"


def _names(record: Mapping[str, Any]) -> str:
    return ", ".join(repr(str(name)[:40]) for name in list(record)[:10]) or "no fields"
