"""The artifacts of a run for W&B: records, report, graph properties and bundle.

Without texts, the records artifact has checksums instead of records, as a bundle does, and the
scores of each question.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from remem.bundle.buildable import OF_GRAPHS, buildable
from remem.bundle.layout import RecordSum, RunNotes, run_entry
from remem.bundle.reading import open_bundle
from remem.bundle.sums import record_line, record_sum
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.memory.remem_memory import REMem
from remem.metrics.question_scores import score_row
from remem.metrics.scores import summary_json
from remem.reports.html.index_items import KeptIndex, NotKeptError
from remem.reports.html.report import NAME as REPORT
from remem.reports.html.report import report_page
from remem.reports.wandb.payload import Attachment, run_id
from remem.results.memory_graphs import properties_of
from remem.results.run import SCORES, Run
from remem.run.index_cache import IndexCache
from remem.run.store import CANONICAL


def records_of(run: Run, *, with_text: bool) -> Attachment:
    """Return the artifact with the records and with the scores of each question and of the run."""
    told = map(record_line, run.records) if with_text else _lines(RecordSum, _sums(run))
    scores = summary_json(run.summary)
    return Attachment(
        f"records-{run_id(run)}",
        "records",
        {
            CANONICAL if with_text else "records.sums.jsonl": b"".join(told),
            "questions.jsonl": b"".join(
                _lines(dict[str, object], map(score_row, run.scores.values()))
            ),
            SCORES: scores,
        },
    )


def report_of(run: Run) -> Attachment:
    """Return the artifact with the HTML report.

    The report has the texts of the data set. It shows the memory only if the data is generated.
    """
    page = report_page(run, texts_of_others=True)
    return Attachment(f"report-{run_id(run)}", "report", {REPORT: page})


def bundle_of(run: Run, path: Path, *, with_text: bool) -> Attachment | None:
    """Return the artifact with a bundle, or None if the bundle does not contain the run.

    Raises:
        UsageError: The bundle contains texts, and `with_text` is False.
    """
    with open_bundle(path) as bundle:
        if bundle.index.with_text and not with_text:
            raise UsageError(f"{path} contains texts of the data sets; --with-text sends it anyway")
        numbers = range(1, bundle.index.runs + 1)
        notes = [bundle.value(run_entry(number, "run.json"), RunNotes) for number in numbers]
    if run.manifest.fingerprint not in [note.fingerprint for note in notes]:
        return None
    return Attachment(f"bundle-{run_id(run)}", "bundle", {path.name: path})


def graph_of(run: Run) -> Attachment | None:
    """Return the artifact with the properties of the memory graphs, or None if no index is stored.

    Raises:
        UsageError: The configuration of the run names a component that cannot be built.
        FileNotFoundError: The data of the run is missing.
    """
    config = buildable(run.config, run.folder, OF_GRAPHS)
    found = [TypeAdapter(dict[str, Any]).dump_json(graph) + b"\n" for graph in _graphs(config)]
    if not found:
        return None
    return Attachment(
        f"graph-{run.manifest.fingerprint}", "graph", {"properties.jsonl": b"".join(found)}
    )


def _graphs(config: RunConfig) -> Iterator[dict[str, Any]]:
    """Yield the graph properties of each history whose index is stored; no index is built."""
    make_memory, cache = config.memory_factory(), IndexCache(config)
    for history in config.build_benchmark().histories()[: config.histories]:
        try:
            cache.index(KeptIndex(), history)
        except NotKeptError:
            continue
        memory = make_memory()
        if not isinstance(memory, REMem):
            return
        cache.index(memory, history)
        yield {"history": history.id, **asdict(properties_of(history, memory.graph))}


def _sums(run: Run) -> Iterator[RecordSum]:
    return map(record_sum, run.records)


def _lines(kind: type, values: Iterable[object]) -> Iterator[bytes]:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    return (adapter.dump_json(value) + b"\n" for value in values)
