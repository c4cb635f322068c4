"""The additional files of a run that asks while the memory grows.

As in every run, `records.jsonl` has the answers after all sessions are indexed; here, they are the
answers at the last checkpoint. `checkpoints.jsonl` has a line for every question at every
checkpoint. A line has the `CheckpointMark` and, except at the last checkpoint, the record. Values
that vary from run to run are in two separate files.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from remem.errors import MissingRecordsError
from remem.files.adapters import adapter, parse_line
from remem.files.disk import append_whole, open_to_append, write_whole, writing
from remem.files.line_log import LineLog, end_last_line, open_log, read_lines, read_plain_lines
from remem.run.store import Timing, read_manifest, read_records, run_of
from remem.run.stream_plan import CheckpointMark
from remem.types import Record, Usage

CHECKPOINTS = "checkpoints.jsonl"
CANONICAL_CHECKPOINTS = "checkpoints.canonical.jsonl"
CHECKPOINT_TIMINGS = "checkpoint_timings.jsonl"
GROWTH = "growth.jsonl"

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class MarkedRecord:
    """A question at a checkpoint; at the last checkpoint, the record is only in records.jsonl."""

    mark: CheckpointMark
    record: Record | None

    @property
    def key(self) -> tuple[str, int]:
        """Return the query id and the number of the checkpoint."""
        return self.mark.query_id, self.mark.checkpoint


@dataclass(frozen=True, slots=True)
class CheckpointTiming:
    """The seconds of one question at one checkpoint."""

    checkpoint: int
    timing: Timing


@dataclass(frozen=True, slots=True)
class Growth:
    """The time and usage that a history's memory needed to reach a checkpoint.

    `since` is the number of sessions that the memory already had; after a restart, the sessions of
    several checkpoints may be added at once. `index_bytes` is the size of the saved index; None for
    a memory that saves none. `usage` is the model usage of the whole index so far.
    """

    history_id: str
    checkpoint: int
    since: int
    sessions: int
    messages: int
    text_bytes: int
    seconds: float
    index_bytes: int | None
    rebuilt: bool
    usage: Usage


class CheckpointStore:
    """The marked records of one run; only one process at a time can open them for writing."""

    def __init__(self, folder: Path, log: LineLog) -> None:
        self.folder = folder
        self._log = log
        self._answered: set[tuple[str, int]] = set()
        for line in _read(folder / CHECKPOINTS, log.owner):
            self._note(line)

    def has(self, mark: CheckpointMark) -> bool:
        """Return whether the question has an answer, not just an error, at this checkpoint."""
        return (mark.query_id, mark.checkpoint) in self._answered

    def append(self, line: MarkedRecord, timing: Timing | None = None) -> None:
        """Append the line of a question at a checkpoint, and wait until it is on disk."""
        self._log.append(adapter(MarkedRecord).dump_json(line))
        self._note(line)
        if timing is not None:
            timed = CheckpointTiming(line.mark.checkpoint, timing)
            _append(self.folder / CHECKPOINT_TIMINGS, adapter(CheckpointTiming).dump_json(timed))

    def grown(self, growth: Growth) -> None:
        """Append the costs of reaching a checkpoint."""
        _append(self.folder / GROWTH, adapter(Growth).dump_json(growth))

    def write_canonical(self) -> int:
        """Write the current lines, sorted, to a file and return their number."""
        lines = _latest(_read(self.folder / CHECKPOINTS, self._log.owner))
        content = b"".join(adapter(MarkedRecord).dump_json(line) + b"\n" for line in lines)
        write_whole(self.folder / CANONICAL_CHECKPOINTS, content)
        return len(lines)

    def _note(self, line: MarkedRecord) -> None:
        if line.record is None or line.record.status == "ok":
            self._answered.add(line.key)
        else:
            self._answered.discard(line.key)


@contextmanager
def open_checkpoints(folder: Path, run: str) -> Iterator[CheckpointStore]:
    """Open the files for writing; set altered lines aside.

    Args:
        folder: The folder of the run, which is already open.
        run: The fingerprint of the run.
    """
    with open_log(folder / CHECKPOINTS, run, None) as log:
        for name in (CHECKPOINT_TIMINGS, GROWTH):
            end_last_line(folder / name)
        yield CheckpointStore(folder, log)


def read_marked(folder: Path) -> tuple[tuple[CheckpointMark, Record], ...]:
    """Return the mark and record of every question at every checkpoint.

    They are sorted by history, checkpoint and question.

    Raises:
        FileNotFoundError: The run has no checkpoints, because its memory did not grow.
        ValueError: A line was altered, or is not a line of this file.
        MissingRecordsError: There are fewer lines than the manifest counts.
    """
    path = folder / CHECKPOINTS
    if not path.exists():
        raise FileNotFoundError(
            f"{folder} has no {CHECKPOINTS}: only runs with run.stream=session have checkpoints"
        )
    manifest = read_manifest(folder)
    lines = _latest(_read(path, run_of(folder, manifest)))
    if len(lines) < manifest.checkpoint_lines:
        raise MissingRecordsError(
            f"{path} has {len(lines):,} of the {manifest.checkpoint_lines:,} lines that "
            f"manifest.json counts; run `remem run` with the same settings to ask the missing "
            f"questions again"
        )
    last: Mapping[str, Record] = {record.query_id: record for record in read_records(folder)}
    joined = ((line.mark, line.record or last.get(line.mark.query_id)) for line in lines)
    return tuple((mark, record) for mark, record in joined if record is not None)


def read_checkpoint_timings(folder: Path) -> dict[tuple[str, int], Timing]:
    """Return the seconds of each question at each checkpoint but the last."""
    return {
        (line.timing.query_id, line.checkpoint): line.timing
        for line in _plain(folder / CHECKPOINT_TIMINGS, CheckpointTiming)
    }


def read_growth(folder: Path) -> tuple[Growth, ...]:
    """Return the cost of reaching each checkpoint, as measured when it was last reached."""
    lines = {(line.history_id, line.checkpoint): line for line in _plain(folder / GROWTH, Growth)}
    return tuple(lines[key] for key in sorted(lines))


def _latest(lines: Iterator[MarkedRecord]) -> list[MarkedRecord]:
    last = {line.key: line for line in lines}

    def order(line: MarkedRecord) -> tuple[str, int, str]:
        return line.mark.history_id, line.mark.checkpoint, line.mark.query_id

    return sorted(last.values(), key=order)


def _read(path: Path, owner: str) -> Iterator[MarkedRecord]:
    for number, content in read_lines(path, owner):
        yield _parsed(path, number, content, MarkedRecord)


def _plain(path: Path, kind: type[Line]) -> Iterator[Line]:
    for number, content in read_plain_lines(path):
        yield _parsed(path, number, content, kind)


def _parsed(path: Path, number: int, content: bytes, kind: type[Line]) -> Line:
    remedy = "remove the line and run the same command again"
    return parse_line(kind, content, f"{path}:{number}", "a line of this file", remedy)


def _append(path: Path, content: bytes) -> None:
    with writing(path), open_to_append(path) as file:
        append_whole(file, content + b"\n")
