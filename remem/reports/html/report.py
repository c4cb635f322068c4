"""The HTML report of a run: one file with scores, plots, all questions and their traces.

The same run folder gives the same bytes: nothing depends on the clock or on the folder's path.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.benchmarks.category_names import category_name
from remem.benchmarks.split import own_samples
from remem.files.disk import write_whole
from remem.files.plain_text import csv_text
from remem.llm.endpoint import STUB
from remem.metrics.columns import ScoreColumn
from remem.prompts.chosen import prompt_origin
from remem.reports.html.calls import CallsOfQuestions, Items, read_calls, read_items
from remem.reports.html.charts import curve_chart
from remem.reports.html.outcome_counts import cause_table, outcome_shares
from remem.reports.html.page import render, write_page
from remem.reports.html.plots import charts, spent
from remem.reports.html.questions import (
    history_numbers,
    is_generated,
    licences_withheld,
    question_values,
    score_values,
    without_texts,
)
from remem.results.costs import format_number
from remem.results.diagnosis import CAUSES, causes_if_wrong
from remem.results.intake_notes import intake_notes
from remem.results.outcomes import OUTCOMES, RIGHT
from remem.results.run import Run
from remem.results.run_notes import cautions, unchecked_memory
from remem.results.stream_curves import AXES, StreamScores, curve_rows
from remem.results.verdicts import judge_kind
from remem.run.memory_checks import MemoryCheck
from remem.run.served_models import PLUMBING, is_plumbing
from remem.tables.notes import NOTE, heading
from remem.tables.table import Value, value
from remem.types import Usage

PAGE, CSV = "stream.html", "stream.csv"


def write_stream_page(run: Run, stream_scores: StreamScores, target: Path) -> None:
    """Write the page of a run's curves, and a CSV file of the same name."""
    write_page(target, stream_page(run, stream_scores))
    write_whole(target.with_suffix(".csv"), curves_csv(run, stream_scores).encode())


def stream_page(run: Run, stream_scores: StreamScores) -> bytes:
    """Return the page as HTML bytes; it has no text of the data."""
    parts = [
        (axis, [curve for curve in stream_scores.curves if curve.axis == axis]) for axis in AXES
    ]
    intervals = [point.interval for curve in stream_scores.curves for point in curve.points]
    return render(
        "stream.html.j2",
        [],
        None,
        styles=["stream.css"],
        head=head_of(run),
        how=how_it_was_asked(run, stream_scores),
        cautions=list(cautions(intervals)),
        parts=[
            {
                "axis": axis,
                "title": f"Over the {AXES[axis].partition(',')[0]}",
                "across": AXES[axis],
                "charts": [curve_chart(curve) for curve in curves if len(curve.points) > 1],
                "headings": [curve.measure.heading for curve in curves],
                "rows": list(curve_rows(curves)),
            }
            for axis, curves in parts
            if curves
        ],
    )


def how_it_was_asked(run: Run, stream_scores: StreamScores) -> tuple[str, ...]:
    """Return sentences that tell readers of the curves how the questions were asked."""
    settings = run.config.settings.run
    every = "session" if settings.stream_every == 1 else f"{settings.stream_every} sessions"
    sentences = [
        f"Questions were asked after every {every}, {stream_scores.answers:,} answers at "
        f"{stream_scores.checkpoints:,} checkpoints (rule: {settings.stream_rule}); "
        f"{stream_scores.not_yet:,} answers were given before their question was answerable.",
        "Each point is a mean, and the line on it is its 95% interval over histories. "
        "Neighbouring points have different questions behind them.",
    ]
    if stream_scores.rebuilt:
        sentences.append("This memory cannot append: it was built again at every checkpoint.")
    if not stream_scores.with_updates:
        sentences.append("Staleness is not shown: these data do not say when a fact changes.")
    if stream_scores.errors:
        sentences.append(f"{stream_scores.errors:,} answers ended in an error and are not scored.")
    return tuple(sentences)


def curves_csv(run: Run, stream_scores: StreamScores) -> str:
    """Return CSV with a line for each point of each curve; shares are from 0 to 1."""
    return csv_text(
        {
            "dataset": run.config.dataset,
            "method": run.config.label,
            "age_of": curve.axis,
            "measure": curve.measure.name,
            "from": point.low,
            "to": point.high,
            "mean": _number(point.interval.mean),
            "low": _number(point.interval.low),
            "high": _number(point.interval.high),
            "n": point.interval.n,
            "histories": point.interval.clusters,
        }
        for curve in stream_scores.curves
        for point in curve.points
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


NAME = "report.html"
PARTIAL = "partial: not all questions were asked"
NO_CALLS = CallsOfQuestions()
MOST_FILES = 6
"""The most data files that the head of a page names; BEAM has forty."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A short note at the top of a report; `warn=True` shows it as a warning."""

    text: str
    warn: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page: its title, badges, facts about the run, and the footer."""

    title: str
    badges: tuple[Badge, ...]
    facts: tuple[tuple[str, str], ...]
    foot: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The scores of a category, in the order of the columns."""

    category: str
    count: str
    cells: tuple[Value | None, ...]


def write_report(
    folder: Path,
    path: Path | None = None,
    *,
    with_text: bool = False,
    with_calls: bool = False,
    packages: Sequence[str] = (),
) -> Path:
    """Write the report of a run and return its path; the default is report.html in the run folder.

    Args:
        folder: The folder of the run.
        path: The file to write.
        with_text: Whether to include the memory and, for licensed data sets, the questions, gold
            answers and answers. Some licences forbid passing texts on. Generated data is always
            included.
        with_calls: Whether to include the prompts and replies of every answer.
        packages: The packages whose classes the run's configuration is allowed to refer to.

    Raises:
        UsageError: The folder has no run, or the run names a component that cannot be built.
        FileNotFoundError: Texts or calls are requested, but the data or the call store is missing.
    """
    run = Run.open(folder, packages)
    items = read_items(run, history_numbers(run.records)) if with_text else None
    calls = read_calls(run) if with_calls else NO_CALLS
    target = path or folder / NAME
    write_page(target, report_page(run, items, calls, texts_of_others=with_text or with_calls))
    return target


def report_page(
    run: Run,
    items: Items | None = None,
    calls: CallsOfQuestions = NO_CALLS,
    *,
    texts_of_others: bool,
) -> bytes:
    """Return the report of a run as HTML bytes.

    Args:
        run: The run.
        items: The items of the run's memory; None leaves them out unless the data is generated.
        calls: The prompts and replies of the run.
        texts_of_others: Whether to include the texts of licensed data sets.
    """
    if items is None and is_generated(run):
        items = read_items(run, history_numbers(run.records))
    has_memory = items is not None and not items.empty
    return render(
        "report.html.j2",
        [
            "trace.js",
            *(["graph.js"] if has_memory else []),
            "report.js",
            *(["memory.js"] if has_memory else []),
        ],
        _data(run, items, calls, texts_of_others=texts_of_others),
        styles=["cards.css", "report.css"],
        head=head_of(run),
        headline=_headline(run),
        right=(
            f"Right: {run.main_heading} of {RIGHT} or more. Partly right: less, but not 0. "
            f"Refused: a refusal that is not right. Each count leads to its questions."
        ),
        outcomes=outcome_shares(run),
        wrong=cause_table(run),
        scores={
            "names": [run.convention.heading(name) for name in run.shown_scores],
            "caption": _caption(run),
            "rows": list(_score_rows(run)),
        },
        charts=charts(run),
        spent=spent(run),
        costs=[
            (
                heading(cost),
                *map(format_number, (cost.found.p50, cost.found.p95, cost.found.p99)),
                f"{cost.found.n:,}",
            )
            for cost in run.costs.costs
        ],
        cost_note=NOTE,
        items=items,
        withheld=licences_withheld(run, with_text=texts_of_others),
        missing_calls=calls.missing,
    )


def head_of(run: Run) -> Head:
    """Return the head of a page: the dataset, components, data and code of the run."""
    settings, manifest = run.config.settings, run.manifest
    took = sum((stage.usage for stage in run.stages), Usage())
    statements = {
        "dataset": run.config.dataset,
        "reader": settings.reader.name,
        "ablation": settings.ablation.name,
        "language model": run.config.llm,
        "embedder": settings.embedder.name,
        "served encoder": str(manifest.encoder or ""),
        "prompts": prompt_origin(manifest.prompts),
        "judge": run.judge.removeprefix("judgments.").removesuffix(".jsonl") or "none",
        "calls to models": f"{took.calls:,}" if took.calls else "",
        "data": _few(manifest.data_names),
        "checks of the memory": (_checks(run.memory_checks) or unchecked_memory(run)),
        "what arrived": " ".join(intake_notes(run)),
        "code": ", ".join(_short(commit) for commit in manifest.commits),
        "fingerprint": manifest.fingerprint,
    }
    stub = f" ({STUB}: no result)" if run.config.llm == STUB else ""
    return Head(
        title=f"{run.config.label} on {run.config.dataset}{stub}",
        badges=tuple(_badges(run)),
        facts=tuple((name, value) for name, value in statements.items() if value),
        foot=f"{run.name}.",
    )


def _few(files: Sequence[str]) -> str:
    """Return the names of the first files, and how many more there are."""
    more = len(files) - MOST_FILES
    shown = ", ".join(files[:MOST_FILES])
    return f"{shown} and {more} more" if more > 0 else shown


def _checks(checks: Sequence[MemoryCheck]) -> str:
    """Return a sentence on which checks of a memory failed, or that all passed."""
    failed = [f"{check.name} failed: {check.found}" for check in checks if not check.passed]
    return "; ".join(failed) or (f"all {len(checks)} passed" if checks else "")


def _short(commit: str) -> str:
    """Shorten a commit hash, and keep the suffix of modified code."""
    return commit[:12] + ("+changes" if commit.endswith("+changes") else "")


def _badges(run: Run) -> Iterator[Badge]:
    answered, total = run.summary.overall.n, run.summary.overall.total
    yield Badge(f"{total:,} questions")
    if run.config.llm == "none":
        yield Badge("LLM-free")
    if run.config.llm == STUB:
        yield Badge("loopback stub: no result", warn=True)
    if run.config.sees_gold:
        yield Badge("sees the gold evidence", warn=True)
    if answered < total:
        yield Badge(f"{total - answered:,} in error", warn=True)
    if run.config.is_stream:
        yield Badge("asked while the memory grew: these are the scores after the last session")
    failed = [check.name for check in run.memory_checks if not check.passed]
    if failed:
        yield Badge(f"the memory failed checks: {', '.join(failed)}", warn=True)
    if run.manifest.partial:
        yield Badge(PARTIAL, warn=True)
    for name in own_samples(run.manifest.data_names):
        yield Badge(f"data: {name}", warn=True)


def _headline(run: Run) -> str:
    """Return the main score of a run in words, with its interval and number of questions."""
    main = value(ScoreColumn(run.main_score, run.main_score), run.summary)
    if main is None:
        return f"No question has a score: {run.main_heading}"
    count = f"{main.n:,} question{'' if main.n == 1 else 's'}"
    return f"{run.main_heading} {main.mean:.1f} {main.interval('.1f')} on {count}"


def _caption(run: Run) -> str:
    unit = run.convention.bootstrap_unit
    caption = (
        f"Means with 95% bootstrap intervals over {unit}, per cent where the score is a share; "
        f"convention: {run.config.settings.convention.name}."
    )
    kind = judge_kind(run.judge)
    judge = [f"{run.convention.heading('llm_judge')}: {kind}."] if kind != "llm_judge" else []
    plumbing = [f"{PLUMBING.capitalize()}."] if is_plumbing(run.config) else []
    return " ".join((caption, *cautions(run.summary.means), *judge, *plumbing))


def _score_rows(run: Run) -> Iterator[ScoreRow]:
    for part in (run.summary.overall, *run.summary.categories):
        columns = [ScoreColumn(name, name, part.category) for name in run.shown_scores]
        count = f"{part.n:,}" if part.n == part.total else f"{part.n:,}/{part.total:,}"
        cells = tuple(value(column, run.summary) for column in columns)
        named = "all" if part.category is None else category_name(run.config.dataset, part.category)
        yield ScoreRow(named, count, cells)


def _data(
    run: Run, items: Items | None, calls: CallsOfQuestions, *, texts_of_others: bool
) -> dict[str, object]:
    numbers, causes = history_numbers(run.records), causes_if_wrong(run)
    questions = question_values(run, run.records, numbers, [])
    if licences_withheld(run, with_text=texts_of_others):
        questions = [without_texts(question) for question in questions]
    for record, question in zip(run.records, questions, strict=True):
        if record.query_id in causes:
            question["cause"] = CAUSES.index(causes[record.query_id])
        if record.query_id in calls.by_question:
            question["calls"] = calls.by_question[record.query_id]
    return {
        "scores": score_values(run),
        "half": RIGHT,
        "outcomes": OUTCOMES,
        "causes": CAUSES,
        "categories": [
            [part.category, category_name(run.config.dataset, part.category or "")]
            for part in run.summary.categories
        ],
        "tokens": "tokens" if run.stages else "tokens of evidence",
        "histories": list(numbers),
        "questions": questions,
        "items": {} if items is None else items.histories,
        "prompts": calls.texts,
    }
