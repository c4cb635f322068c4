"""The user's own questions about their own log, as a benchmark (conf/dataset/own_log.yaml)."""

import hashlib
from pathlib import Path

from remem.apps.own_log.logs.log import numbered
from remem.apps.own_log.logs.questions import read_questions
from remem.apps.own_log.logs.reading import read_log
from remem.apps.own_log.logs.slack import USERS, slack_files
from remem.apps.own_log.logs.whole_files import read_content
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.protocols import DataFile
from remem.types import History


class OwnLog(BenchmarkOnLoaded):
    """A benchmark with one history, the log, and with questions from a file.

    Args:
        log: The log, in any format of `read_log`.
        questions: A file of JSON Lines, JSON, CSV or TSV. An empty "answer" means that the
            right answer is a refusal. "category" and "evidence" (message numbers from 1) may be
            left out.
        all_branches: Whether to also read hidden branches of a conversation, such as replaced
            answers.
    """

    def __init__(self, *, log: str, questions: str, all_branches: bool = False) -> None:
        path, asked_path = Path(log), Path(questions)
        read = read_log(path, all_branches=all_branches)
        history = History(path.stem, tuple(numbered(read.messages)))
        asked = read_questions(asked_path, history)
        files = [_file(each, path) for each in _read_files(path)]
        files.append(_file(asked_path, asked_path))
        self._loaded = LoadedBenchmark([(history, asked)], files, read.accounts)


def _read_files(log: Path) -> list[Path]:
    """Return the files that a log is read from: itself, or those of a Slack export."""
    if not log.is_dir():
        return [log]
    users = log / USERS
    return [*([users] if users.is_file() else []), *slack_files(log)]


def _file(path: Path, named: Path) -> DataFile:
    name = path.name if path == named else path.relative_to(named).as_posix()
    return DataFile(name, hashlib.sha256(read_content(path)).hexdigest())
