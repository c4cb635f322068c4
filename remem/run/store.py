"""The folder of a run: an append-only log of records, the timings and the manifest.

The log has one line per attempt, and the last line of a question counts; a resumed run retries
failed questions. Opening the folder drops an unfinished last line and sets altered lines aside.
"""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from remem.errors import AlteredError, MissingRecordsError
from remem.files.adapters import adapter, is_json_of, parse_line, parsed
from remem.files.disk import append_whole, moved_aside, open_to_append, write_whole, writing
from remem.files.line_log import (
    LineLog,
    end_last_line,
    has_sums,
    open_log,
    read_lines,
    read_plain_lines,
    summed,
    without_sum,
)
from remem.files.opened import read_file
from remem.run.run_manifest import RunManifest, typed_manifest
from remem.types import Question, Record

log = logging.getLogger(__name__)

RECORDS = "records.jsonl"
CANONICAL = "records.canonical.jsonl"
TIMINGS = "timings.jsonl"
MANIFEST = "manifest.json"
SUM = "sum"


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds that one question took; stored apart from its record because they always vary.

    `waited_seconds` is the part spent waiting for model endpoints; None if unknown.
    """

    query_id: str
    recall_seconds: float
    read_seconds: float
    waited_seconds: float | None = None


class RunStore:
    """The records of one run; only one process at a time can open them for writing.

    Records stay on disk, so memory use does not grow with the length of the run.
    """

    def __init__(self, folder: Path, log: LineLog) -> None:
        self.folder = folder
        self._answered: set[str] = set()
        self._attempted: set[str] = set()
        self._log = log
        for record in _records(folder, log.owner):
            self._note(record)

    def pending(self, questions: Sequence[Question]) -> list[Question]:
        """Return the questions that have no answer yet."""
        return [question for question in questions if question.query.id not in self._answered]

    def append(self, record: Record, timing: Timing | None = None) -> None:
        """Append an attempt and wait until it is on disk; an imported answer has no timing."""
        self._log.append(adapter(Record).dump_json(record))
        self._note(record)
        if timing is None:
            return
        path = self.folder / TIMINGS
        with writing(path), open_to_append(path) as file:
            append_whole(file, adapter(Timing).dump_json(timing) + b"\n")

    def set_aside_unknown(self, query_ids: Set[str]) -> None:
        """Set aside lines whose query id is not in `query_ids`."""

        def fault(content: bytes) -> str:
            name = parsed(Record, content).query_id
            return (
                ""
                if name in query_ids
                else f"answers {name[:80]!r}, which is not a question of this data"
            )

        if not self._attempted <= query_ids:
            self._log.set_aside(fault)

    def records(self) -> tuple[Record, ...]:
        """Return the last record of every question, sorted by history and index."""
        return _sorted(
            {record.query_id: record for record in _records(self.folder, self._log.owner)}
        )

    def write_canonical(self) -> tuple[Record, ...]:
        """Write the sorted records to a file and return them.

        Two runs have the same records if these files are equal byte for byte.
        """
        records = self.records()
        lines = (adapter(Record).dump_json(record) for record in records)
        write_whole(self.folder / CANONICAL, b"".join(line + b"\n" for line in lines))
        return records

    def read_manifest(self) -> dict[str, Any]:
        """Return the manifest as it was last written; empty if there is none yet."""
        return _read_manifest(self.folder).content

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest; all records get the fingerprint of the new manifest."""
        owner = self._log.owner
        if manifest.get("fingerprint", owner) != owner:
            self._log.change_owner(manifest["fingerprint"], lambda line: without_sum(line, owner))
        text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False)
        write_whole(self.folder / MANIFEST, summed(text.encode(), "") + b"\n")

    def _note(self, record: Record) -> None:
        """Register a line of the log; a later line of the same question replaces an earlier one."""
        self._attempted.add(record.query_id)
        if record.status == "ok":
            self._answered.add(record.query_id)
        else:
            self._answered.discard(record.query_id)


@contextmanager
def open_run(folder: Path, run: str | None = None) -> Iterator[RunStore]:
    """Open a new or resumed run for writing; set altered files and lines aside.

    Args:
        folder: The folder of the run.
        run: The fingerprint of the run; None to take it from the manifest.

    Raises:
        RunInUseError: Another process has the run open for writing.
        DiskError: The folder cannot be written.
        ValueError: A line of the log is intact but not a record.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if run is not None:
        _check_manifest(folder, run)
    stored = _read_manifest(folder)
    owner = run or run_of(folder, stored.manifest)
    with open_log(
        folder / RECORDS, owner, partial(is_json_of, Record) if stored.is_old else None
    ) as log:
        end_last_line(folder / TIMINGS)
        yield RunStore(folder, log)


def read_records(folder: Path, run: str | None = None) -> tuple[Record, ...]:
    """Return the last record of every question of a run, sorted by history and index.

    Args:
        folder: The folder of the run.
        run: The fingerprint of the run; None to take it from the manifest.

    Raises:
        ValueError: A line was altered, belongs to another run, or is not a record.
        MissingRecordsError: There are fewer records than the manifest counts.
    """
    stored = _read_manifest(folder)
    is_old = stored.is_old and not has_sums(folder / RECORDS)
    owner = None if is_old else run or run_of(folder, stored.manifest)
    records = _sorted({record.query_id: record for record in _records(folder, owner)})
    _check_counts(folder, stored.manifest, records)
    return records


def read_manifest(folder: Path) -> RunManifest:
    """Return the manifest of a run, empty before its first start.

    Raises:
        AlteredError: The manifest is damaged.
        ValueError: A value has the wrong type.
    """
    return _read_manifest(folder).manifest


def read_timings(folder: Path) -> dict[str, Timing]:
    """Return how long the last attempt at each question took, by query id."""
    path = folder / TIMINGS
    timings = (
        parse_line(Timing, line, f"{path}:{number}", "a line of times", "remove the line")
        for number, line in read_plain_lines(path)
    )
    return {timing.query_id: timing for timing in timings}


def run_of(folder: Path, manifest: RunManifest | None = None) -> str:
    """Return a run's fingerprint, from the manifest or else from the end of the folder name."""
    named = (manifest or read_manifest(folder)).fingerprint
    return named or folder.name.rpartition("-")[2]


@dataclass(frozen=True, slots=True)
class _StoredManifest:
    """A manifest as raw data and as typed data."""

    content: dict[str, Any]
    manifest: RunManifest
    has_sum: bool

    @property
    def is_old(self) -> bool:
        """Return whether the manifest was written by an earlier version, without a checksum."""
        return bool(self.content) and not self.has_sum


def _read_manifest(folder: Path) -> _StoredManifest:
    path = folder / MANIFEST
    if not path.exists():
        return _StoredManifest({}, RunManifest(), has_sum=False)
    content = read_file(path, root=folder)
    try:
        manifest: dict[str, Any] = parsed(dict[str, Any], content)
    except ValidationError as error:
        raise _altered(path, f"not the manifest of a run ({error.errors()[0]['msg']})") from error
    has_sum = manifest.pop(SUM, None) is not None
    if has_sum and without_sum(content[:-1], "") is None:
        raise _altered(path, "changed since it was written (wrong checksum)")
    return _StoredManifest(manifest, typed_manifest(path, manifest), has_sum)


def _check_manifest(folder: Path, run: str) -> None:
    """Set aside a manifest that was altered or belongs to another run."""
    path = folder / MANIFEST
    try:
        named = read_manifest(folder).fingerprint or run
        if named != run:
            raise _altered(path, f"it is the manifest of run {named!r}, expected run {run!r}")
    except AlteredError as error:
        log.warning(
            "%s; it was moved to %s, so the times and calls of earlier starts are no longer "
            "counted",
            *(str(error).partition(";")[0], moved_aside(path).name),
        )


def _altered(path: Path, what: str) -> AlteredError:
    return AlteredError(
        f"{path}: {what}; run the same command again, which moves it away and keeps the answers"
    )


def _records(folder: Path, owner: str | None) -> Iterator[Record]:
    path = folder / RECORDS
    remedy = "remove the line to answer its question again"
    for number, content in read_lines(path, owner):
        yield parse_line(Record, content, f"{path}:{number}", "a record", remedy)


def _check_counts(folder: Path, manifest: RunManifest, records: Sequence[Record]) -> None:
    """Check that there are at least as many records as the last finished start counted.

    More records are allowed, because the run may have been continued since.
    """
    answered, errors = manifest.answered, manifest.errors
    ok = sum(record.status == "ok" for record in records)
    counts = (("questions", len(records), answered + errors), ("answers", ok, answered))
    for what, present, counted in counts:
        if present < counted:
            raise MissingRecordsError(
                f"{folder / RECORDS} has {present:,} of the {counted:,} {what} that {MANIFEST} "
                f"counts; run `remem run` with the same settings to ask the missing questions again"
            )


def _sorted(records: Mapping[str, Record]) -> tuple[Record, ...]:
    return tuple(
        sorted(
            records.values(), key=lambda record: (record.history_id, record.index, record.query_id)
        )
    )
