"""Check that the data files are unchanged and that each loader finds the expected content.

The audit counts what the loaders return, under both evidence rules; it parses no file itself.
"""

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

from remem.benchmarks.files.notes import (
    LOCAL_RECORD,
    UNPINNED,
    DatasetNotes,
    ExpectedCounts,
    Loading,
    Verdict,
    judge_file,
)
from remem.benchmarks.files.question_lists import count_questions
from remem.benchmarks.json_files import read_bytes
from remem.config.run_config import compose_config, run_config
from remem.files.disk import write_whole
from remem.protocols import Benchmark, CountsFlaws

RULES = ("paper", "tolerant")
"""The two ways to read evidence ids (convention.run.evidence_rule)."""

SetVerdict = Verdict | Literal["incomplete"]

COUNTED = ("histories", "episodes", "messages", "questions", "categories", "flaws")


@dataclass(frozen=True, slots=True)
class BenchmarkCounts:
    """The counts of a benchmark; a repeated text is one that occurred before in the same history.

    `flaws` is what the method `flaws()` of the benchmark returns: counts by description.
    """

    histories: int
    episodes: int
    messages: int
    questions: int
    categories: Mapping[str, int]
    unresolved_evidence: Mapping[str, int]
    repeated_messages: int
    repeated_questions: int
    missing_golds: int
    flaws: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One file, or all files of one benchmark; `measured` is None if the benchmark was not built.

    Problems make the audit fail. Remarks are expected differences, such as a missing companion file
    or the counts of an excerpt.
    """

    dataset: str
    file: str
    verdict: SetVerdict
    measured: BenchmarkCounts | None
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Return True if there is a problem."""
        return bool(self.problems)


def audit_all(notes: Iterable[DatasetNotes], data: Path) -> Iterator[AuditRow]:
    """Yield an audit row for each benchmark, and for each file that no benchmark loads."""
    if not data.is_dir():
        raise FileNotFoundError(
            f"no such folder: {data}; set REMEM_DATA to the folder of the data sets"
        )
    for dataset in notes:
        loaded: set[str] = set()
        for loading in dataset.loadings:
            files = [file for file in dataset.sums if fnmatchcase(file, loading.file)]
            loaded.update(files)
            yield _audit_loading(dataset, loading, files, data)
        for file in sorted(dataset.sums.keys() - loaded):
            row = _audit_file(dataset, file, data)
            yield _with_questions(row, dataset, data)


def measure(benchmarks: Mapping[str, Benchmark]) -> BenchmarkCounts:
    """Count the content of a benchmark; `benchmarks` has it once for each evidence rule."""
    benchmark = benchmarks["paper"]
    histories = benchmark.histories()
    golds = {
        rule: [question.gold for h in histories for question in built.questions(h.id)]
        for rule, built in benchmarks.items()
    }
    texts = [(h.id, message.text) for h in histories for message in h.messages()]
    questions = [(h.id, q.query.text) for h in histories for q in benchmark.questions(h.id)]
    return BenchmarkCounts(
        histories=len(histories),
        episodes=sum(len(history.episodes) for history in histories),
        messages=len(texts),
        questions=len(questions),
        categories=dict(sorted(Counter(gold.category for gold in golds["paper"]).items())),
        unresolved_evidence={
            rule: sum(len(gold.unresolved) for gold in golds[rule]) for rule in benchmarks
        },
        repeated_messages=_repeated(texts),
        repeated_questions=_repeated(questions),
        missing_golds=sum(not any(a.strip() for a in gold.answers) for gold in golds["paper"]),
        flaws=benchmark.flaws() if isinstance(benchmark, CountsFlaws) else {},
    )


def _audit_loading(
    dataset: DatasetNotes, loading: Loading, files: Sequence[str], data: Path
) -> AuditRow:
    verdict, problems = _judge(dataset, files, data)
    row = AuditRow(dataset.name, loading.file, verdict, None, tuple(problems))
    if verdict == "absent":
        return row
    try:
        measured = measure(_builds(loading, data))
    except FileNotFoundError as error:
        return replace(row, remarks=(f"not counted: {error}",))
    except (ValueError, OSError) as error:
        return replace(row, problems=(*problems, f"unreadable: {error}"))
    off = tuple(_off_counts(measured, loading.counts))
    if verdict == "excerpt":
        return replace(row, measured=measured, remarks=off)
    return replace(row, measured=measured, problems=(*problems, *off))


def _audit_file(dataset: DatasetNotes, file: str, data: Path) -> AuditRow:
    verdict, problems = _judge(dataset, [file], data)
    return AuditRow(dataset.name, file, verdict, None, tuple(problems))


def _with_questions(row: AuditRow, dataset: DatasetNotes, data: Path) -> AuditRow:
    """Return the row of a file with the counts of its questions, if it is a list of questions."""
    counts = dataset.question_lists.get(row.file)
    if counts is None or row.verdict == "absent":
        return row
    try:
        content, source = read_bytes(data, dataset.name, row.file)
        question_counts = count_questions(content, source.name)
    except (ValueError, OSError) as error:
        return replace(row, problems=(*row.problems, f"unreadable: {error}"))
    measured = BenchmarkCounts(
        histories=0,
        episodes=0,
        messages=0,
        questions=question_counts.questions,
        categories=question_counts.categories,
        unresolved_evidence=dict.fromkeys(RULES, 0),
        repeated_messages=0,
        repeated_questions=question_counts.repeated,
        missing_golds=0,
        flaws=question_counts.flaws,
    )
    return replace(row, measured=measured, problems=(*row.problems, *_off_counts(measured, counts)))


def _judge(dataset: DatasetNotes, files: Sequence[str], data: Path) -> tuple[SetVerdict, list[str]]:
    """Return the verdict on files that belong together; the verdict is good if all are absent."""
    verdicts = {}
    try:
        for file in files:
            verdicts[file] = judge_file(data, dataset.name, file, dataset.sums[file])
    except (ValueError, OSError) as error:
        return "differs", [f"unreadable: {error}"]
    if set(verdicts.values()) <= {"absent"}:
        return "absent", []
    absent = [f"{file} is missing" for file in files if verdicts[file] == "absent"]
    differing = [
        f"{file} does not have the sha256 in {_source_of_sum(dataset, file)}: move it away and "
        f"{'fetch it' if file in dataset.urls else 'put it there'} again"
        for file in files
        if verdicts[file] == "differs"
    ]
    worst: Sequence[SetVerdict] = ("differs", "absent", "unpinned", "excerpt", "pinned")
    verdict = next(verdict for verdict in worst if verdict in verdicts.values())
    return "incomplete" if verdict == "absent" else verdict, absent + differing


def _source_of_sum(dataset: DatasetNotes, file: str) -> str:
    return LOCAL_RECORD if dataset.sums[file] == UNPINNED else "SHA256SUMS"


def _builds(loading: Loading, data: Path) -> dict[str, Benchmark]:
    """Build a benchmark under each evidence rule, or once if it has no such rule."""
    config = compose_config(loading.overrides)
    config.paths.data = str(data)
    if "evidence_rule" not in config.dataset.build:
        return dict.fromkeys(RULES, run_config(config).build_benchmark())
    builds = {}
    for rule in RULES:
        config.convention.run.evidence_rule = rule
        builds[rule] = run_config(config).build_benchmark()
    return builds


def _off_counts(measured: BenchmarkCounts, counts: ExpectedCounts) -> list[str]:
    return [
        f"{what}: found {getattr(measured, what)}, expected {getattr(counts, what)} "
        f"({counts.origin})"
        for what in COUNTED
        if getattr(counts, what) not in (None, getattr(measured, what))
    ]


def _repeated(items: Sequence[Hashable]) -> int:
    return len(items) - len(set(items))


SUM_STYLES = {"pinned": "green", "differs": "bold red", "incomplete": "bold red", "absent": "dim"}


def show(rows: Sequence[AuditRow], console: Console) -> None:
    """Print the table, then a line for each problem, remark and kind of flaw."""
    console.print(as_table(rows))
    for row in rows:
        for sentence in (*row.problems, *row.remarks, *_flaws(row)):
            line = f"{row.dataset}/{row.file}: {sentence}"
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def as_table(rows: Sequence[AuditRow]) -> Table:
    """Return the rows of an audit as a table."""
    table = Table()
    table.add_column("file", overflow="fold")
    table.add_column("sum", no_wrap=True)
    for heading in ("histories", "messages\n/ chunks", "questions"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("questions per category", overflow="fold")
    table.add_column("unresolved\n(" + " /\n".join(RULES) + ")", justify="right", no_wrap=True)
    table.add_column("repeated\nmessages /\nquestions", justify="right", no_wrap=True)
    table.add_column("no\ngold", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row), style="red" if row.failed else None)
    return table


def write_json(rows: Sequence[AuditRow], path: Path) -> None:
    """Write the rows as JSON; equal data gives equal bytes."""
    content = [asdict(row) | {"failed": row.failed} for row in rows]
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{text}\n".encode())


def _cells(row: AuditRow) -> list[str]:
    style = SUM_STYLES.get(row.verdict, "yellow")
    cells = [f"{row.dataset}/\n{row.file}", f"[{style}]{row.verdict}[/]"]
    measured = row.measured
    if measured is None:
        return [*cells, *["-"] * 7]
    return [
        *cells,
        str(measured.histories),
        str(measured.messages),
        str(measured.questions),
        _per_category(measured.categories),
        " / ".join(str(measured.unresolved_evidence[rule]) for rule in RULES),
        f"{measured.repeated_messages} / {measured.repeated_questions}",
        str(measured.missing_golds),
    ]


def _flaws(row: AuditRow) -> list[str]:
    flaws = row.measured.flaws if row.measured else {}
    return [f"{flaw}: {count}" for flaw, count in flaws.items()]


def _per_category(categories: Mapping[str, int]) -> str:
    return ", ".join(f"{category}: {count}" for category, count in categories.items())
