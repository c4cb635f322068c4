"""Write the entries of a bundle: runs, calls, vectors and tables, and the index last."""

import importlib.metadata
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from remem.benchmarks.files.notes import licences_of
from remem.bundle.archive import BundleWriter
from remem.bundle.gathering import PackedRun
from remem.bundle.layout import (
    CALLS,
    FORMAT,
    NOTE,
    NOTE_WITH_TEXT,
    Call,
    Index,
    PackedTable,
    PackedVectors,
    PackedVerdict,
    RecordSum,
    RunNotes,
    run_entry,
    scores_entry,
    table_entry,
)
from remem.bundle.portable import STORE
from remem.bundle.replies_and_vectors import stored_calls, write_vectors
from remem.bundle.run_parts import read_verdicts, verdict_shares
from remem.bundle.sums import record_line, record_sum, scores_document
from remem.bundle.tables import MadeTable, WantedTable
from remem.metrics.question_scores import score_row
from remem.metrics.scores import score_questions
from remem.run.store import Timing


def write_bundle(
    writer: BundleWriter,
    runs: Sequence[PackedRun],
    results: Path,
    tables: Sequence[tuple[WantedTable, MadeTable]],
    *,
    with_text: bool,
) -> Index:
    """Write all entries of a bundle and return its index.

    Args:
        writer: Writes the entries.
        runs: The runs to pack.
        results: The results folder of the replay. Its store has the calls and vectors to pack.
        tables: The tables to pack, with their files.
        with_text: Whether to pack the records with their texts.
    """
    for number, run in enumerate(runs, start=1):
        _write_run(writer, number, run, with_text=with_text)
    writer.lines(CALLS, Call, stored_calls(results / STORE))
    vectors = sorted({vector.table for run in runs for vector in run.vectors}, key=_name)
    for number, table in enumerate(vectors, start=1):
        write_vectors(writer, number, table, results / STORE)
    laid_out = [_write_table(writer, at, *table) for at, table in enumerate(tables, start=1)]
    index = Index(
        format=FORMAT,
        note=" ".join((NOTE_WITH_TEXT if with_text else NOTE, *_left_out(runs))),
        made_with=f"remem {importlib.metadata.version('remem')}",
        with_text=with_text,
        licences=licences_of(name for packed in runs for name in packed.run.manifest.data_names),
        runs=len(runs),
        tables=tuple(vectors),
        entries=(),
        laid_out=tuple(laid_out),
    )
    return writer.close(index)


def _left_out(runs: Sequence[PackedRun]) -> Iterator[str]:
    """Return a note on the scores that are not in the bundle, and why."""
    for name in dict.fromkeys(name for run in runs for name in run.left_out_scores):
        yield (
            f"The score {name} is left out: its function is not part of remem, so a replay could "
            f"not compute it."
        )


def _write_run(writer: BundleWriter, number: int, packed: PackedRun, *, with_text: bool) -> None:
    def entry(name: str) -> str:
        return run_entry(number, name)

    questions = score_questions(packed.run.records, packed.convention)
    categories = [record.gold.category for record in packed.run.records]
    config = TypeAdapter(dict).dump_json(dict(packed.config), indent=1)
    writer.document(entry("config.json"), config + b"\n")
    notes = packed.notes()
    # So that a run that asked no server for vectors is packed as by earlier versions.
    absent = {name for name in ("encoder", "accounts") if not getattr(notes.environment, name)}
    document = TypeAdapter(RunNotes).dump_json(notes, indent=1, exclude={"environment": absent})
    writer.document(entry("run.json"), document + b"\n")
    writer.lines(entry("records.jsonl"), RecordSum, map(record_sum, packed.run.records))
    writer.lines(entry("questions.jsonl"), dict[str, object], map(score_row, questions))
    writer.document(
        scores_entry(number, ""), scores_document(questions, categories, packed.convention)
    )
    writer.lines(entry("timings.jsonl"), Timing, packed.timings())
    for judge in packed.judges:
        verdicts = read_verdicts(judge, packed.run.records, packed.convention.refusal_gold)
        writer.lines(entry(judge.name), PackedVerdict, verdicts)
        scores = scores_document(questions, categories, packed.convention, verdict_shares(verdicts))
        writer.document(scores_entry(number, judge.name), scores)
    if with_text:
        with writer.stream(entry("records.text.jsonl")) as write:
            for record in packed.run.records:
                write(record_line(record))


def _write_table(
    writer: BundleWriter, number: int, table: WantedTable, made: MadeTable
) -> PackedTable:
    for at, content in enumerate(made.files.values(), start=1):
        writer.document(table_entry(number, at), content)
    return PackedTable(table.name, table.overrides, tuple(made.files), made.runs)


def _name(table: PackedVectors) -> str:
    return f"{table.model}-{table.dimension}"
