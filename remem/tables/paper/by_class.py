"""Make the rows of those tables of the paper that have one row for each temporal class.

For the paper's rows, a model classifies the questions (`remem data classify`); for LLM-free rows,
rules classify them.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.paper.layout import Column, PaperCell, PaperTable
from remem.paper.verdict import MODEL, Verdict, exact_verdict
from remem.results.class_counts import Classified, count_category, has_published, names_published
from remem.results.temporal_classes import PROMPT, TemporalClass, is_temporal
from remem.tables.paper.paper_cell import compared_cell, exactly
from remem.tables.paper.plan import CellPlan, run_components, told_anew
from remem.tables.paper.rows import paper_models, without_models
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.scores import ALL, WantedMean
from remem.tables.rows import RowOutcome, fitted, run_command, same_everywhere
from remem.tables.table import NOT_RUN, Cell

CLASSIFIED = "labelled_by_model"
"""The kind of number (`made_with`) that counts the questions of a class."""
COUNT = "queries"
BY_RULES = "by rules"


@dataclass(frozen=True, slots=True)
class ClassRow:
    """An LLM-free row for a class of questions.

    Without a `run`, the row counts the questions of the whole dataset.
    """

    label: str
    category: str
    run: RowOutcome | None


def is_by_class(paper: PaperTable) -> bool:
    """Return whether the rows of a table are temporal classes."""
    return any(is_temporal(cell.measured.category) for cell in paper.cells.values())


def class_rows(
    paper: PaperTable, overrides: Sequence[str], runs: TableRuns, added: Sequence[str] = ()
) -> Iterator[ClassRow]:
    """Yield the LLM-free rows: one for each method and class.

    If the table only counts questions, there is one row for each class.
    """
    kinds = {row: cell.measured.category for (row, _), cell in paper.cells.items()}
    if all(column.metric == COUNT for column in paper.columns):
        yield from (ClassRow(f"{row}, {BY_RULES}", kind, None) for row, kind in kinds.items())
        return
    for label, run in runs.llm_free(dataset_of(paper), overrides, added):
        for row, category in kinds.items():
            by = "" if category == ALL else f", {BY_RULES}"
            yield ClassRow(f"{label}, {row}{by}", category, run)


def dataset_of(paper: PaperTable) -> str:
    """Return the dataset whose questions a table classifies."""
    return paper.columns[0].group.dataset


def classifier(dataset: str, overrides: Sequence[str]) -> RunConfig:
    """Return the configuration whose model classifies the questions of the paper's rows."""
    return _classifier(dataset, tuple(overrides))


@cache  # every cell asks for it
def _classifier(dataset: str, overrides: tuple[str, ...]) -> RunConfig:
    return run_config(compose_config(fitted((f"dataset={dataset}", *paper_models()), overrides)))


def classes_of(dataset: str, overrides: Sequence[str], runs: TableRuns) -> Classified:
    """Return the classes of a dataset's questions, by rules and by the model of the paper's rows.

    Raises:
        FileNotFoundError: The data files are missing.
    """
    return runs.classified(classifier(dataset, overrides))


def count_class(classes: Mapping[str, TemporalClass], category: str) -> int:
    """Count the questions of a category; "all" counts all questions that have a class."""
    return len(classes) if category == ALL else count_category(classes, category)


def classify_command(dataset: str, overrides: Sequence[str], *, by_rules: bool) -> str:
    """Return the command that classifies the questions of a dataset and counts them."""
    chosen = without_models(overrides) if by_rules else (paper_models()[0], *overrides)
    return shlex.join(("remem", "data", "classify", f"dataset={dataset}", *same_everywhere(chosen)))


def class_notes(paper: PaperTable, overrides: Sequence[str], runs: TableRuns) -> Iterator[str]:
    """Yield notes on how the questions were classified, and how often rules and model agree."""
    dataset = dataset_of(paper)
    published = has_published(classifier(dataset, overrides))
    theirs = "as published" if published else f"by the model, with our prompt {PROMPT}"
    yield (
        f'Questions of LLM-free rows are classified {BY_RULES} ("{BY_RULES}" in their labels), '
        f"those of the paper's rows {theirs}."
    )
    try:
        classes = classes_of(dataset, overrides, runs)
    except FileNotFoundError:
        return
    if agreement := classes.describe_agreement():
        yield f"{dataset}: {agreement}."


def classified_cell(cell: PaperCell, overrides: Sequence[str], runs: TableRuns) -> Cell:
    """Return a cell with the number of questions in a class.

    Published classes are counted if there are any, otherwise the classes found by the model.
    """
    dataset = cell.measured.dataset
    plan = CellPlan(WantedMean(cell.measured.metric, cell.measured.category), ())
    command = classify_command(dataset, overrides, by_rules=False)
    try:
        classes = classes_of(dataset, overrides, runs)
    except FileNotFoundError as error:
        return compared_cell(cell, None, Verdict(NOT_RUN, str(error)), plan, (), command=command)
    others: tuple[str, ...] = ()
    known = classes.published or classes.by_model
    if not known:
        verdict = Verdict(NOT_RUN, untold(dataset, overrides))
        return compared_cell(cell, None, verdict, plan, (), command=command)
    ours = float(count_class(known, cell.measured.category))
    verdict = exact_verdict(cell, ours)
    if not classes.published:
        model = run_components(classifier(dataset, overrides)).model
        others = (
            *((f"model {model}, not {MODEL}",) if model != MODEL else ()),
            *told_anew(cell, published=False),
        )
        verdict = Verdict("not comparable", "; ".join(others), verdict.delta)
    if len(known) < len(classes.by_rules):
        share = f"{len(known)}/{len(classes.by_rules)} questions"
        verdict = Verdict("incomplete", share, verdict.delta)
    return compared_cell(
        cell, exactly(ours), verdict, plan, (), differences=others, command=command
    )


def counted_by_rules(
    row: ClassRow, column: Column, overrides: Sequence[str], runs: TableRuns
) -> Cell:
    """Return a cell with the number of questions that rules assign to the class of a row.

    If the row has a run, only the questions that the run answered are counted.
    """
    dataset, run = column.group.dataset, row.run
    ours, reason = None, "" if run is None else run.missing
    try:
        if not reason:
            classes = (
                classes_of(dataset, overrides, runs).by_rules
                if run is None
                else _answered(run, runs)
            )
            ours = exactly(float(count_class(classes, row.category)))
    except FileNotFoundError as error:
        reason = str(error)
    by_rules = classify_command(dataset, overrides, by_rules=True)
    return Cell(
        column=column.heading,
        ours=ours,
        reason=reason,
        made_with=CLASSIFIED,
        decimals=0,
        command=by_rules if run is None else run_command(run.plan.overrides),
        runs=() if run is None else (run.folder_name,),
    )


def _answered(run: RowOutcome, runs: TableRuns) -> dict[str, TemporalClass]:
    answered = {record.query_id for record in run.records if record.status == "ok"}
    classes = runs.classes(run, by_rules=True)
    return {query: class_name for query, class_name in classes.items() if query in answered}


def untold(dataset: str, overrides: Sequence[str]) -> str:
    """Return a message that classes are missing, with the commands that fetch or make them."""
    command = classify_command(dataset, overrides, by_rules=False)
    published = names_published(classifier(dataset, overrides))
    fetch = f"the published classes are missing: remem data fetch {dataset}; " if published else ""
    return f"{fetch}no model has classified the questions: {command}"
