"""The report of a run: one HTML file with scores, plots, all questions and their traces.

Same folder, same bytes: nothing depends on the clock, or on where the folder lies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.benchmarks.stratified import own_samples
from remem.evaluation.interval_text import cautions
from remem.evaluation.judgments import judge_kind
from remem.evaluation.scored_run import ScoredRun, read_scored_run
from remem.llm.endpoint import STUB
from remem.metrics.columns import Column
from remem.prompts.chosen import prompt_origin
from remem.reports.html import chart
from remem.reports.html.calls import Calls, read_calls
from remem.reports.html.index_items import Items, read_items
from remem.reports.html.page import render, write_page
from remem.reports.html.paper_comparison import beside_the_paper
from remem.reports.html.plots import charts, spent
from remem.reports.html.questions import history_numbers, question_values
from remem.reports.html.withheld import is_generated, licences_withheld, without_texts
from remem.run.plumbing import PLUMBING, is_plumbing
from remem.tables.table import Cell, cell
from remem.types import Usage

NAME = "report.html"
NO_CALLS = Calls()
SIZE = {
    "width": chart.WIDTH,
    "height": chart.HEIGHT,
    "left": chart.LEFT,
    "right": chart.RIGHT,
    "bottom": chart.BOTTOM,
}


@dataclass(frozen=True, slots=True)
class Badge:
    """A word on the run that no reader should miss."""

    text: str
    warn: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """What a page says of its run before anything else."""

    title: str
    badges: tuple[Badge, ...]
    facts: tuple[tuple[str, str], ...]
    foot: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The scores of a category, in the order of the columns."""

    category: str
    count: str
    cells: tuple[Cell | None, ...]


def write_report(
    folder: Path,
    path: Path | None = None,
    *,
    with_text: bool = False,
    with_calls: bool = False,
    packages: Sequence[str] = (),
) -> Path:
    """Write the report of a run and return its path, report.html in the folder if none is given.

    Args:
        folder: Of the run.
        path: The file to write.
        with_text: Whether the memory is in it, and the questions, golds and answers of data sets
            that have a licence; some forbid passing them on. Of generated data all are.
        with_calls: Whether the prompts and completions of every answer are in it, texts and all.
        packages: Those whose classes the run may name, as for a bundle.

    Raises:
        UsageError: The folder holds no run, or one that names what is not built.
        FileNotFoundError: Texts or calls are wanted, and the data or the call store are not there.
    """
    run = read_scored_run(folder, packages=packages)
    items = read_items(run, history_numbers(run.records)) if with_text else None
    calls = read_calls(run) if with_calls else NO_CALLS
    target = path or folder / NAME
    write_page(target, report_page(run, items, calls, texts_of_others=with_text or with_calls))
    return target


def report_page(
    run: ScoredRun,
    items: Items | None = None,
    calls: Calls = NO_CALLS,
    *,
    texts_of_others: bool,
) -> bytes:
    """Return the report of a run.

    Args:
        run: The run.
        items: What its memory holds; None leaves the memory out, but of generated data.
        calls: Its prompts and completions.
        texts_of_others: Whether the texts of data sets that have a licence are in it.
    """
    if items is None and is_generated(run):
        items = read_items(run, history_numbers(run.records))
    return render(
        "report.html.j2",
        ["trace.js", "report.js", *(["memory.js"] if items and not items.empty else [])],
        _data(run, items, calls, texts_of_others=texts_of_others),
        head=head_of(run),
        scores={
            "names": run.shown_scores,
            "caption": _caption(run),
            "rows": list(_score_rows(run)),
        },
        paper=beside_the_paper(run),
        charts=charts(run),
        spent=spent(run),
        size=SIZE,
        items=items,
        withheld=licences_withheld(run, with_text=texts_of_others),
        missing_calls=calls.missing,
    )


def head_of(run: ScoredRun) -> Head:
    """Say what was run, on what, with what."""
    settings, manifest = run.config.settings, run.manifest
    took = sum((stage.usage for stage in run.stages), Usage())
    said = {
        "dataset": run.config.dataset,
        "reader": settings.reader.name,
        "ablation": settings.ablation.name,
        "language model": run.config.llm,
        "embedder": settings.embedder.name,
        "prompts": prompt_origin(manifest.prompts),
        "judge": run.judge.removeprefix("judgments.").removesuffix(".jsonl") or "none",
        "calls to models": f"{took.calls:,}" if took.calls else "",
        "data": ", ".join(manifest.data_names),
        "code": ", ".join(_short(commit) for commit in manifest.commits),
        "fingerprint": manifest.fingerprint,
    }
    stub = f" ({STUB}: no result)" if run.config.llm == STUB else ""
    return Head(
        title=f"{run.config.label} on {run.config.dataset}{stub}",
        badges=tuple(_badges(run)),
        facts=tuple((name, value) for name, value in said.items() if value),
        foot=f"{run.name}.",
    )


def _short(commit: str) -> str:
    """Shorten a commit; that the code had changes stays."""
    return commit[:12] + ("+changes" if commit.endswith("+changes") else "")


def _badges(run: ScoredRun) -> Iterator[Badge]:
    answered, total = run.summary.overall.n, run.summary.overall.total
    yield Badge(f"{total:,} questions")
    if run.config.llm == "none":
        yield Badge("LLM-free")
    if run.config.llm == STUB:
        yield Badge("loopback stub: no result", warn=True)
    if run.config.sees_gold:
        yield Badge("is told the gold evidence", warn=True)
    if answered < total:
        yield Badge(f"{total - answered:,} in error", warn=True)
    if run.manifest.partial:
        yield Badge("partial: not all questions were asked", warn=True)
    for name in own_samples(run.manifest.data_names):
        yield Badge(f"data: {name}", warn=True)


def _caption(run: ScoredRun) -> str:
    unit = run.convention.bootstrap_unit
    said = (
        f"Means with 95% bootstrap intervals over {unit}, per cent where the score is a share; "
        f"convention: {run.config.settings.convention.name}."
    )
    kind = judge_kind(run.judge)
    judge = [f"llm_judge: {kind}."] if kind != "llm_judge" else []
    plumbing = [f"{PLUMBING.capitalize()}."] if is_plumbing(run.config) else []
    return " ".join((said, *cautions(run.summary.means), *judge, *plumbing))


def _score_rows(run: ScoredRun) -> Iterator[ScoreRow]:
    for part in (run.summary.overall, *run.summary.categories):
        columns = [Column(name, name, part.category) for name in run.shown_scores]
        count = f"{part.n:,}" if part.n == part.total else f"{part.n:,}/{part.total:,}"
        cells = tuple(cell(column, run.summary) for column in columns)
        yield ScoreRow("all" if part.category is None else part.category, count, cells)


def _data(
    run: ScoredRun, items: Items | None, calls: Calls, *, texts_of_others: bool
) -> dict[str, object]:
    numbers = history_numbers(run.records)
    questions = question_values(run, run.records, numbers, run.shown_scores)
    if licences_withheld(run, with_text=texts_of_others):
        questions = [without_texts(question) for question in questions]
    for record, question in zip(run.records, questions, strict=True):
        if record.query_id in calls.by_question:
            question["calls"] = calls.by_question[record.query_id]
    return {
        "main": run.main_score,
        "tokens": "tokens" if run.stages else "tokens of evidence",
        "histories": list(numbers),
        "questions": questions,
        "items": {} if items is None else items.histories,
        "prompts": calls.texts,
    }
