"""Questions of one's own on a log of one's own, as a benchmark (conf/dataset/own_log.yaml)."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.benchmarks.json_fields import checked, field
from remem.benchmarks.loaded import LoadedBenchmark
from remem.benchmarks.own_log.json_messages import json_lines, string
from remem.benchmarks.own_log.log import LogFile, numbered
from remem.benchmarks.own_log.reading import read_log
from remem.benchmarks.own_log.slack import USERS, slack_files
from remem.benchmarks.own_log.whole_files import read_content, text_of
from remem.protocols import DataFile
from remem.types import REFUSAL_PHRASE, Gold, History, Query, Question

NO_CATEGORY = "uncategorised"


class OwnLog:
    """One history, and the questions of a file of JSON Lines: question, answer, evidence.

    Args:
        log: The log, in any format of `read_log`.
        questions: A line for each question; without an "answer" it should be refused. "category"
            and "evidence" (the numbers of messages, from 1) may be left out.
    """

    def __init__(self, *, log: str, questions: str) -> None:
        path, asked_path = Path(log), Path(questions)
        history = History(path.stem, tuple(numbered(read_log(path).messages)))
        lines = LogFile(asked_path, text_of(asked_path))
        asked = [
            _question(record, index, history, where)
            for index, (record, where) in enumerate(json_lines(lines))
        ]
        files = [_file(read, path) for read in _read_files(path)]
        self._loaded = LoadedBenchmark([(history, asked)], [*files, _file(asked_path, asked_path)])

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


def _read_files(log: Path) -> list[Path]:
    """Return the files that a log is read from: itself, or those of a Slack export."""
    if not log.is_dir():
        return [log]
    users = log / USERS
    return [*([users] if users.is_file() else []), *slack_files(log)]


def _file(path: Path, log: Path) -> DataFile:
    name = path.name if path == log else path.relative_to(log).as_posix()
    return DataFile(name, hashlib.sha256(read_content(path)).hexdigest())
