"""Build the content to send to W&B, only from the files of a run folder.

Texts of a data set are included only if asked for. Scores are shares from 0 to 1, as in
scores.json.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any

from pydantic import TypeAdapter

from remem.bundle.buildable import OF_GRAPHS, buildable
from remem.bundle.layout import RecordSum, RunNotes, run_entry
from remem.bundle.portable import PLACES, without_secrets
from remem.bundle.reading import open_bundle
from remem.bundle.sums import record_line, record_sum
from remem.config.fingerprint import asks_stub
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.llm.endpoint import STUB
from remem.memory.remem_memory import REMem
from remem.metrics.question_scores import score_row
from remem.metrics.scores import summary_json
from remem.reports.html.calls import KeptIndex, NotKeptError
from remem.reports.html.report import NAME as REPORT
from remem.reports.html.report import report_page
from remem.reports.wandb.summary import score_intervals, summary_values
from remem.results.diagnosis import recorded_diagnosis
from remem.results.memory_graphs import properties_of
from remem.results.run import SCORES, Run
from remem.run.index_cache import IndexCache
from remem.run.store import CANONICAL
from remem.types import Record

Value = str | float | int | bool | None

QUESTION_TABLE, SCORE_TABLE = "questions", "scores"
SHOWN_DIGITS = 6
"""The digits of a fingerprint that tell runs of the same method apart."""
ASKED = ("question", "gold", "answer")
"""The columns with texts of the data set."""


@dataclass(frozen=True, slots=True)
class FlatTable:
    """Column names, and rows with one value per column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def score_table(run: Run) -> FlatTable:
    """Return the scores of a run with their intervals, as a table for the dashboard."""
    label = f"{run.config.label} ({run.manifest.fingerprint[:SHOWN_DIGITS]})"
    rows = (
        (label, name, score.mean, score.low, score.high, score.n)
        for name, score in score_intervals(run)
    )
    return FlatTable(("run", "score", "mean", "low", "high", "n"), tuple(rows))


def question_table(run: Run, *, with_text: bool) -> FlatTable:
    """Return a table with a row for each question of a run, in the order of the records."""
    causes = recorded_diagnosis(run).causes
    rows = [
        {**dict(_row(run, record, with_text=with_text)), "cause": causes.get(record.query_id)}
        for record in run.records
    ]
    return FlatTable(tuple(rows[0]) if rows else (), tuple(tuple(row.values()) for row in rows))


def _row(run: Run, record: Record, *, with_text: bool) -> Iterator[tuple[str, Value]]:
    scores, timing = run.scores.get(record.query_id), run.timings.get(record.query_id)
    yield "query_id", record.query_id
    yield "history_id", record.history_id
    yield "category", record.gold.category
    yield "status", record.status
    yield "error", record.error if with_text else record.error.partition(":")[0]
    for name in run.shown_scores:
        yield name, None if scores is None else scores.value(name)
    yield "refused", None if scores is None else scores.refused
    yield "unanswerable", None if scores is None else scores.unanswerable
    yield "steps", len(record.steps)
    yield "retrieved", len(record.retrieved)
    usage = record.recall_usage + record.read_usage
    yield "tokens_in", None if usage.uncounted_calls else usage.prompt_tokens
    yield "tokens_out", None if usage.uncounted_calls else usage.completion_tokens
    yield "context_tokens", record.context_tokens
    yield "seconds", None if timing is None else timing.recall_seconds + timing.read_seconds
    if with_text:
        texts = (record.question, " | ".join(record.gold.answers), record.answer)
        yield from zip(ASKED, texts, strict=True)


LONGEST_TAG = 64


@dataclass(frozen=True, slots=True)
class Attachment:
    """A W&B artifact; `files` maps each file name to its content or to a local path.

    The artifact name depends only on the run, so pushing the same files again makes no new version.
    """

    name: str
    kind: str
    files: Mapping[str, bytes | Path]


@dataclass(frozen=True, slots=True)
class Payload:
    """The content of one W&B run; a second push has the same `run_id` and updates the run."""

    run_id: str
    name: str
    tags: tuple[str, ...]
    config: Mapping[str, Any]
    summary: Mapping[str, float | int]
    tables: Mapping[str, FlatTable]
    attachments: tuple[Attachment, ...] = field(default=())


def run_payload(
    run: Run, attachments: Sequence[Attachment] = (), *, with_text: bool = False
) -> Payload:
    """Return the content to send to W&B for a run."""
    chosen = (run.config.dataset, run.config.settings.method.name, run.config.llm)
    return Payload(
        run_id=run_id(run),
        name=f"{run.config.label} on {run.config.dataset}",
        tags=tuple(tag[:LONGEST_TAG] for tag in dict.fromkeys(chosen)),
        config={**shared_config(run.manifest.config), "remem": _identity(run)},
        summary=dict(summary_values(run)),
        tables={
            QUESTION_TABLE: question_table(run, with_text=with_text),
            SCORE_TABLE: score_table(run),
        },
        attachments=tuple(attachments),
    )


def run_id(run: Run) -> str:
    """Return a run's W&B id: its fingerprint and the name of the judge whose verdicts are shown."""
    judge = run.judge.removeprefix("judgments.").removesuffix(".jsonl")
    return "-".join(filter(None, (run.manifest.fingerprint, judge)))


def asked_a_stub(config: Mapping[str, Any]) -> bool:
    """Return whether a run of this configuration uses the stub server for answers or embeddings."""
    named = (config.get(group) or {} for group in ("llm", "embedder"))
    return any(component.get("name") == STUB for component in named) or asks_stub(config)


def shared_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration without local paths and without API keys in URLs."""
    places = [(str(config["paths"][name]), f"<{name}>") for name in PLACES]
    places.sort(key=lambda place: len(place[0]), reverse=True)

    def shared(node: Any) -> Any:
        if isinstance(node, Mapping):
            return {key: shared(value) for key, value in node.items()}
        if isinstance(node, list):
            return [shared(value) for value in node]
        return _placed(without_secrets(node), places) if isinstance(node, str) else node

    return {name: shared(group) for name, group in config.items()}


def _placed(text: str, places: Sequence[tuple[str, str]]) -> str:
    for place, name in places:
        if text == place or text.startswith(f"{place}/"):
            return name + text.removeprefix(place)
    return f"<path>/{PurePath(text).name}" if text.startswith(("/", "~")) else text


def _identity(run: Run) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "fingerprint": manifest.fingerprint,
        "llm": run.config.llm,
        "prompts": {prompt.name: prompt.sha256 for prompt in manifest.prompts},
        "data": {file.name: file.sha256 for file in manifest.data},
        "judge": run.judge.removeprefix("judgments.").removesuffix(".jsonl") or "none",
        "commits": list(manifest.commits),
        "partial": manifest.partial,
    }


def records_of(run: Run, *, with_text: bool) -> Attachment:
    """Return the artifact with the records, the scores of each question, and the run's scores."""
    lines = map(record_line, run.records) if with_text else _lines(RecordSum, _sums(run))
    scores = summary_json(run.summary)
    return Attachment(
        f"records-{run_id(run)}",
        "records",
        {
            CANONICAL if with_text else "records.sums.jsonl": b"".join(lines),
            "questions.jsonl": b"".join(
                _lines(dict[str, object], map(score_row, run.scores.values()))
            ),
            SCORES: scores,
        },
    )


def report_of(run: Run) -> Attachment:
    """Return the artifact with the HTML report.

    The report has the texts of the data set, but the memory only if the data is generated.
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
            raise UsageError(
                f"{path} contains texts of the data sets; to send it anyway: --with-text"
            )
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
    graph_lines = [
        TypeAdapter(dict[str, Any]).dump_json(graph) + b"\n" for graph in _graphs(config)
    ]
    if not graph_lines:
        return None
    return Attachment(
        f"graph-{run.manifest.fingerprint}", "graph", {"properties.jsonl": b"".join(graph_lines)}
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
