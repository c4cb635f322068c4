"""The paper's numbers for the dataset and memory of a run, next to the run's own numbers.

Ours are scored by the convention of the paper's table. A run without a language model is not
comparable, so its lines have no difference and no verdict.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from remem.benchmarks.category_names import category_name
from remem.llm.endpoint import STUB
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.metrics.scores import scored
from remem.paper.layout import PaperCell, PaperTable, paper_folder, read_tables
from remem.paper.verdict import differences, verdict
from remem.results.run import Run
from remem.run.served_models import encoder_of_run
from remem.tables.paper.plan import UNPUBLISHED, run_components
from remem.tables.paper.scores import Scored, WantedMean, measured, value
from remem.tables.paper.table import METRICS, read_score_conventions
from remem.tables.table import Value

NO_MODEL = "no comparison: this run uses no language model"
NO_ROW = "no comparison: the answers come from the stub server"


@dataclass(frozen=True, slots=True)
class PaperLine:
    """A number of the paper and the run's number; `ours` is None if the run has no such score."""

    table: str
    row: str
    category: str
    metric: str
    ours: Value | None
    paper: str
    delta: float | None
    said: str


def beside_the_paper(run: Run) -> tuple[PaperLine, ...]:
    """Return the paper's numbers for this dataset and memory, next to those of the run.

    The result is empty if the paper has no such number. If several tables print the same number,
    the first one is used.
    """
    tables, made_with = _paper(paper_folder())
    conventions = {name: replace(run.convention, **score) for name, score in made_with.items()}
    lines: dict[tuple[str, str], PaperLine] = {}
    known: dict[ScoreConvention, list[QuestionScores]] = {}
    for table in tables:
        for cell in _cells_of(table, run):
            place = cell.measured.category, cell.measured.metric
            if place not in lines:
                convention = conventions[cell.made_with]
                if convention not in known:
                    known[convention] = _questions(run, convention)
                lines[place] = _line(run, table, cell, convention, known[convention])
    return tuple(lines.values())


@cache  # each page of a site needs them
def _paper(folder: Path) -> tuple[tuple[PaperTable, ...], Mapping[str, Mapping[str, Any]]]:
    """Return the tables of a folder, and the score conventions of their numbers."""
    return tuple(read_tables(folder).values()), read_score_conventions(folder)


def _cells_of(table: PaperTable, run: Run) -> Iterator[PaperCell]:
    """Yield the cells of a table that are scores of this memory on this dataset."""
    settings = run.config.settings
    top_k = f"top_k={settings.method.build.get('top_k')}"
    encoder = encoder_of_run(run.config, run.manifest)
    embedder = settings.embedder.name if encoder is None else encoder.name
    named = (embedder, settings.llm.name, top_k)
    readers = {settings.reader.name, *(["direct"] if run.config.llm == "none" else [])}
    rows = [
        cell
        for cell in table.cells.values()
        if cell.measured.dataset == run.config.dataset
        and cell.measured.memory == settings.method.name
        and cell.measured.ablation == settings.ablation.name
        and cell.measured.reader in readers
        and cell.measured.variant in ("", *named)
        and WantedMean(cell.measured.metric, cell.measured.category).is_score
        and not UNPUBLISHED.match(cell.measured.category)
    ]
    # A row with the run's own embedder or model comes before the paper's default row.
    yield from sorted(rows, key=lambda cell: cell.measured.variant == "")


def _questions(run: Run, convention: ScoreConvention) -> list[QuestionScores]:
    return [
        question_scores(record, convention, run.scores[record.query_id].value("llm_judge"))
        for record in scored(run.records)
    ]


def _line(
    run: Run,
    table: PaperTable,
    cell: PaperCell,
    convention: ScoreConvention,
    questions: list[QuestionScores],
) -> PaperLine:
    wanted = WantedMean(cell.measured.metric, cell.measured.category)
    of_cell = tuple(
        question
        for question in questions
        if wanted.category in ("all", question.category)
        and value(question, wanted.metric) is not None
    )
    ours = measured(Scored((), (of_cell,), convention), wanted)
    delta, verdict_text = _paper_delta(run, cell, ours)
    number = cell.number
    ends = "" if number.minus is None else f" -{number.minus} +{number.plus}"
    return PaperLine(
        table=f"Table {table.header.number}",
        row=cell.row,
        category=_category(table, cell),
        metric=METRICS.get(wanted.metric, wanted.metric.replace("_", " ")),
        ours=ours,
        paper=f"{number.printed}{ends}",
        delta=delta,
        said=verdict_text,
    )


def _category(table: PaperTable, cell: PaperCell) -> str:
    """Return our name of a category, with the paper's title if it differs.

    The paper uses some titles for other categories than the data set does.
    """
    title = next(column.group.title for column in table.columns if column.heading == cell.column)
    ours = cell.measured.category
    if ours in ("all", title):
        return ours
    named = category_name(cell.measured.dataset, ours)
    return f"{named}: {title}" if title else named


def _paper_delta(run: Run, cell: PaperCell, ours: Value | None) -> tuple[float | None, str]:
    if run.config.llm == "none":
        return None, NO_MODEL
    if run.config.llm == STUB:
        return None, NO_ROW
    if ours is None:
        return None, "not run"
    parts = run_components(run.config, encoder_of_run(run.config, run.manifest))
    others = differences(parts, cell.measured, judged=cell.made_with == "mem0_judge")
    cell_verdict = verdict(
        cell, Interval(ours.mean, ours.low, ours.high, ours.n, ours.clusters), others
    )
    return cell_verdict.delta, f"{cell_verdict.word} ({cell_verdict.reason})"
