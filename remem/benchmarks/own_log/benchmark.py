"""Questions of one's own on a log of one's own, as a benchmark (conf/dataset/own_log.yaml)."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.benchmarks.json_fields import checked, field
from remem.benchmarks.loaded import LoadedBenchmark
from remem.benchmarks.own_log.log import json_lines, numbered, read_content, read_log, string
from remem.protocols import DataFile
from remem.types import REFUSAL_PHRASE, Gold, History, Query, Question

NO_CATEGORY = "uncategorised"


class OwnLog:
    """One history, and the questions of a file of JSON Lines: question, answer, evidence.

    Args:
        log: The log.
        questions: A line for each question; without an "answer" it should be refused. "category"
            and "evidence" (the numbers of messages, from 1) may be left out.
    """

    def __init__(self, *, log: str, questions: str) -> None:
        path, asked_path = Path(log), Path(questions)
        history = History(path.stem, tuple(numbered(read_log(path))))
        asked = [
            _question(record, index, history, where)
            for index, (record, where) in enumerate(json_lines(asked_path))
        ]
        self._loaded = LoadedBenchmark([(history, asked)], [_file(path), _file(asked_path)])

    def histories(self) -> Sequence[History]:
        """Return the log as one history."""
        return self._loaded.histories()

    def questions(self, history_id: str) -> Sequence[Question]:
        """Return the questions, in the order of the file."""
        return self._loaded.questions(history_id)

    def files(self) -> Sequence[DataFile]:
        """Return the log and the file of the questions."""
        return self._loaded.files()


def _question(record: Any, index: int, history: History, where: str) -> Question:
    text = field(record, "question", str, where)
    answer = string(record, ("answer",), where)
    gold = Gold(
        answers=(answer or REFUSAL_PHRASE,),
        category=string(record, ("category",), where) or NO_CATEGORY,
        answerable=bool(answer),
        evidence=_evidence(record, history, where),
        group=history.id,
    )
    return Question(Query(f"q{index + 1}", history.id, index, text), gold)


def _evidence(record: Mapping[str, Any], history: History, where: str) -> tuple[str, ...]:
    known = {message.id for message in history.messages()}
    stated = checked(record.get("evidence", []), list, f"'evidence' of {where}")
    ids = [f"m{number}" for number in stated]
    unknown = next((message_id for message_id in ids if message_id not in known), None)
    if unknown is not None:
        raise ValueError(
            f"{where} names message {unknown[1:]} as evidence, expected 1 to {len(known)}"
        )
    return tuple(ids)


def _file(path: Path) -> DataFile:
    return DataFile(path.name, hashlib.sha256(read_content(path)).hexdigest())
