"""The files of Mem0's and Zep's evaluations on LoCoMo: a list of answers per conversation."""

import re
from collections.abc import Iterator
from typing import Any

from remem.apps.referee.imports.fields import as_text, identifier, optional, share, text
from remem.apps.referee.imports.imported import ImportedAnswer, ImportedAnswers
from remem.apps.referee.imports.source_file import SourceFile
from remem.benchmarks.json_files import checked, field

CORPUS = "locomo"
ADVERSARIAL = "5"
"""LoCoMo's category of questions to refuse."""
MEM0_SCORES = ("llm_score", "f1_score", "bleu_score")
"""The scores in Mem0's files: its judge's first, which it reports."""
MEM0_SYSTEM = re.compile(r"_results.*$")
NUMBER_AT_END = re.compile(r"(\d{1,6})$")

Listed = tuple[str, dict[str, Any], str]
"""The key of a conversation, an answer in it, and its place."""


class Mem0Files:
    """Reads Mem0's files: of the answers, or of the answers with their scores."""

    name = "mem0"
    about = "an object of lists of answers with 'question' and 'response'"

    def fits(self, document: object) -> bool:
        """Return whether a JSON document looks like such a file."""
        return {"question", "response"} <= _first_keys(document)

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of the file.

        Raises:
            ValueError: A value is missing or of a wrong type.
        """
        answers = tuple(_mem0_answer(*listed) for listed in _listed(source))
        judges = {judge for answer in answers for judge in answer.verdicts}
        return (
            ImportedAnswers(
                format=self.name,
                file=source.data,
                system=MEM0_SYSTEM.sub("", source.stem) or source.stem,
                corpus=CORPUS,
                answers=answers,
                main=next((name for name in MEM0_SCORES if name in judges), ""),
            ),
        )


class ZepFiles:
    """Reads Zep's files: of the answers, or of the answers with their grades."""

    name = "zep"
    about = "an object of lists of answers with 'question', 'answer' and 'golden_answer'"

    def fits(self, document: object) -> bool:
        """Return whether a JSON document looks like such a file."""
        return {"question", "answer", "golden_answer"} <= _first_keys(document)

    def read(self, source: SourceFile) -> tuple[ImportedAnswers, ...]:
        """Return the answers of the file.

        Raises:
            ValueError: A value is missing or of a wrong type.
        """
        answers = tuple(_zep_answer(*listed) for listed in _listed(source))
        return (
            ImportedAnswers(
                format=self.name,
                file=source.data,
                system="zep",
                corpus=CORPUS,
                answers=answers,
                main="grade" if any(answer.verdicts for answer in answers) else "",
            ),
        )


def _first_keys(document: object) -> set[str]:
    """Return the keys of the first answer in an object of lists; empty for other documents."""
    if not isinstance(document, dict):
        return set()
    first = next((listed for listed in document.values() if listed), None)
    is_listed = isinstance(first, list) and isinstance(first[0], dict)
    return set(first[0]) if is_listed and isinstance(first, list) else set()


def _listed(source: SourceFile) -> Iterator[Listed]:
    document = checked(source.document, dict, str(source.path))
    for key, answers in document.items():
        conversation = f"conversation {key[:60]!r} of {source.path}"
        for at, answer in enumerate(checked(answers, list, conversation)):
            where = f"answer {at} of {conversation}"
            yield key, checked(answer, dict, where), where


def _mem0_answer(key: str, record: dict[str, Any], where: str) -> ImportedAnswer:
    category = text(record, "category", where=where)
    response = record.get("response")
    return ImportedAnswer(
        where=where,
        history=key,
        question=field(record, "question", str, where),
        golds=_golds(record.get("answer"), where),
        category=category,
        answerable=category != ADVERSARIAL if category else None,
        answer=None if response is None else as_text(response, f"'response' of {where}"),
        error="the file states no answer" if response is None else "",
        context=_memories(record, where),
        verdicts={
            name: share(record[name], f"{name!r} of {where}")
            for name in MEM0_SCORES
            if record.get(name) is not None
        },
    )


def _memories(record: dict[str, Any], where: str) -> str | None:
    """Return the memories of both speakers with their dates; None if the file has none."""
    names = [name for name in ("speaker_1_memories", "speaker_2_memories") if name in record]
    if not names:
        return None
    lines = []
    for name in names:
        for item in optional(record, name, list, where) or []:
            memory = checked(item, dict, f"an item of {name!r} of {where}")
            date, memory_text = (text(memory, key, where=where) for key in ("timestamp", "memory"))
            lines.append(f"{date}: {memory_text}")
    return "\n".join(lines)


def _zep_answer(key: str, record: dict[str, Any], where: str) -> ImportedAnswer:
    answer, grade = record.get("answer"), record.get("grade")
    number = NUMBER_AT_END.search(key)
    return ImportedAnswer(
        where=where,
        history=number[1] if number else identifier({"key": key}, "key", where=where),
        question=field(record, "question", str, where),
        golds=_golds(record.get("golden_answer"), where),
        category=text(record, "category", where=where),
        answer=None if answer is None else as_text(answer, f"'answer' of {where}"),
        error="the file states no answer" if answer is None else "",
        context=optional(record, "context", str, where),
        verdicts={} if grade is None else {"grade": share(grade, f"'grade' of {where}")},
    )


def _golds(gold: object, where: str) -> tuple[str, ...]:
    return () if gold is None else (as_text(gold, f"the gold answer of {where}"),)
