"""Packing runs: each is replayed once from what is about to be packed, then written down."""

import hashlib
import importlib.metadata
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from pydantic import TypeAdapter

from remem.bundle.archive import BundleWriter
from remem.bundle.calls import stored_calls
from remem.bundle.gathering import gathering
from remem.bundle.layout import (
    CALLS,
    FORMAT,
    NOTE,
    NOTE_WITH_TEXT,
    Call,
    Index,
    RecordSum,
    RunNotes,
    VectorTable,
    Verdict,
    run_entry,
    scores_entry,
)
from remem.bundle.packed_run import PackedRun, read_packed_run
from remem.bundle.portable import STORE, localised, replay_config
from remem.bundle.sums import first_difference, record_line, record_sum, scores_document
from remem.bundle.vectors import write_vectors
from remem.bundle.verdicts import read_verdicts, verdict_shares
from remem.data_files.audit import VerificationFailedError
from remem.data_files.notes import datasets_folder, read_notes
from remem.experiment import OnProgress, run_experiment
from remem.html_report.run_data import read_timings
from remem.instantiation import UsageError
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import score_questions
from remem.protocols import StopRunError
from remem.store import Timing

ShowProgress = Callable[[str], AbstractContextManager[OnProgress]]


@dataclass(frozen=True, slots=True)
class Packed:
    """What a bundle came to hold."""

    path: Path
    sha256: str
    bytes: int
    index: Index


def pack(
    folders: Sequence[Path],
    out: Path,
    show_progress: ShowProgress,
    *,
    with_text: bool = False,
    allow_stub: bool = False,
) -> Packed:
    """Pack runs into one file, which appears when it is whole.

    Raises:
        UsageError: A run is not to be packed.
        VerificationFailedError: A run does not come out the same again.
    """
    runs = [read_packed_run(folder, allow_stub=allow_stub) for folder in folders]
    if len({run.manifest["fingerprint"] for run in runs}) < len(runs):
        raise UsageError("a run is named twice, or twice in two places: name it once")
    with TemporaryDirectory(prefix=".bundling-", dir=out.parent) as temporary:
        results = Path(temporary) / "results"
        for run in runs:
            with show_progress(run.notes().label) as on_progress:
                _replay(run, results, on_progress)
        part = Path(temporary) / "bundle.zip"
        with ZipFile(part, "w") as archive:
            index = _write(BundleWriter(archive), runs, results, with_text)
        with part.open("rb") as file:
            total = hashlib.file_digest(file, "sha256").hexdigest()
        part.replace(out)
    return Packed(out, total, out.stat().st_size, index)


def licences(runs: Sequence[PackedRun]) -> tuple[str, ...]:
    """Return the licence of each data set whose files the runs have read."""
    notes = {one.name: one for one in read_notes(datasets_folder())}
    sets = {file["name"].partition("/")[0] for run in runs for file in run.manifest["data"]}
    return tuple(
        f"{name}: {'; '.join(filter(None, (notes[name].licence, notes[name].note)))}"
        for name in sorted(sets & notes.keys())
    )


def _replay(run: PackedRun, results: Path, on_progress: OnProgress) -> None:
    """Run what a reader will run, on the calls and vectors that it asks for."""
    paths = run.resolved["paths"]
    places = {"data": paths["data"], "prompts": paths["prompts"], "results": str(results)}
    here = localised(run.config, places, run.packages)
    config = replay_config(gathering(here, run.calls, run.vectors))
    try:
        records = run_experiment(config, on_progress=on_progress).records
    except StopRunError as error:
        raise VerificationFailedError(f"{run.folder} cannot be replayed: {error}") from error
    difference = first_difference(map(record_sum, run.records), records)
    if difference:
        raise VerificationFailedError(
            f"{run.folder} does not come out the same again: {difference}; answer it anew with "
            f"this code, or pack it with the code and data that answered it"
        )


def _write(
    writer: BundleWriter, runs: Sequence[PackedRun], results: Path, with_text: bool
) -> Index:
    for number, run in enumerate(runs, start=1):
        _write_run(writer, number, run, with_text)
    writer.lines(CALLS, Call, stored_calls(results / STORE))
    tables = sorted({one.table for run in runs for one in run.vectors}, key=_name)
    for number, table in enumerate(tables, start=1):
        write_vectors(writer, number, table, results / STORE)
    index = Index(
        format=FORMAT,
        note=NOTE_WITH_TEXT if with_text else NOTE,
        made_with=f"remem {importlib.metadata.version('remem')}",
        with_text=with_text,
        licences=licences(runs),
        runs=len(runs),
        tables=tuple(tables),
        entries=(),
    )
    return writer.close(index)


def _write_run(writer: BundleWriter, number: int, run: PackedRun, with_text: bool) -> None:
    def entry(name: str) -> str:
        return run_entry(number, name)

    questions = score_questions(run.records, run.convention)
    asked = [record.gold.category for record in run.records]
    config = TypeAdapter(dict).dump_json(dict(run.config), indent=1)
    writer.document(entry("config.json"), config + b"\n")
    notes = TypeAdapter(RunNotes).dump_json(run.notes(), indent=1)
    writer.document(entry("run.json"), notes + b"\n")
    writer.lines(entry("records.jsonl"), RecordSum, map(record_sum, run.records))
    writer.lines(entry("questions.jsonl"), QuestionScores, questions)
    writer.document(scores_entry(number, ""), scores_document(questions, asked, run.convention))
    writer.lines(entry("timings.jsonl"), Timing, _timings(run))
    for judge in run.judges:
        said = read_verdicts(judge, run.records, run.convention.refusal_gold)
        writer.lines(entry(judge.name), Verdict, said)
        scores = scores_document(questions, asked, run.convention, verdict_shares(said))
        writer.document(scores_entry(number, judge.name), scores)
    if with_text:
        with writer.stream(entry("records.text.jsonl")) as write:
            for record in run.records:
                write(record_line(record))


def _timings(run: PackedRun) -> Iterator[Timing]:
    timings = read_timings(run.folder)
    return (timings[one.query_id] for one in run.records if one.query_id in timings)


def _name(table: VectorTable) -> str:
    return f"{table.model}-{table.dimension}"
