"""Make the cells of tables by temporal class: the counts by the model or by rules."""

from collections.abc import Sequence, Sized

from remem.paper.comparability import MODEL
from remem.paper.layout import Cell as PaperCell
from remem.paper.layout import Column
from remem.paper.verdict import Verdict, exact_verdict
from remem.results.class_counts import names_published
from remem.results.temporal_classes import TemporalClass
from remem.tables.paper.by_class import (
    CLASSIFIED,
    ClassRow,
    classes_of,
    classifier,
    classify_command,
    counted,
)
from remem.tables.paper.paper_cell import compared_cell, exactly
from remem.tables.paper.plan import CellPlan, made, told_anew
from remem.tables.paper.runs import Runs
from remem.tables.paper.scores import Wanted
from remem.tables.rows import RowOutcome, run_command
from remem.tables.table import NOT_RUN, Cell


def classified_cell(cell: PaperCell, overrides: Sequence[str], runs: Runs) -> Cell:
    """Count the questions of a class, as published or else as the model classifies them."""
    dataset = cell.measured.dataset
    plan = CellPlan(Wanted(cell.measured.metric, cell.measured.category), ())
    command = classify_command(dataset, overrides, by_rules=False)
    try:
        told = classes_of(dataset, overrides, runs)
    except FileNotFoundError as error:
        return compared_cell(cell, None, Verdict(NOT_RUN, str(error)), plan, (), command=command)
    if told.published:
        ours = float(counted(told.published, cell.measured.category))
        said = exact_verdict(cell, ours)
        if len(told.published) < len(told.by_rules):
            said = Verdict("incomplete", _share(told.published, told.by_rules), said.delta)
        return compared_cell(cell, exactly(ours), said, plan, (), command=command)
    if not told.by_model:
        said = Verdict(NOT_RUN, untold(dataset, overrides))
        return compared_cell(cell, None, said, plan, (), command=command)
    ours = float(counted(told.by_model, cell.measured.category))
    delta = ours - float(cell.number.value)
    model = made(classifier(dataset, overrides)).model
    others = (
        *((f"model {model}, not {MODEL}",) if model != MODEL else ()),
        *told_anew(cell, published=False),
    )
    said = Verdict("not comparable", "; ".join(others), delta)
    if len(told.by_model) < len(told.by_rules):
        said = Verdict("incomplete", _share(told.by_model, told.by_rules), delta)
    return compared_cell(cell, exactly(ours), said, plan, (), differences=others, command=command)


def counted_by_rules(row: ClassRow, column: Column, overrides: Sequence[str], runs: Runs) -> Cell:
    """Count the questions of an LLM-free row: all of the dataset, or those its run answered."""
    dataset, run = column.group.dataset, row.run
    ours, reason = None, "" if run is None else run.missing
    try:
        if not reason:
            told = (
                classes_of(dataset, overrides, runs).by_rules
                if run is None
                else _answered(run, runs)
            )
            ours = exactly(float(counted(told, row.category)))
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


def _share(told: Sized, of: Sized) -> str:
    return f"{len(told)}/{len(of)} questions"


def _answered(run: RowOutcome, runs: Runs) -> dict[str, TemporalClass]:
    answered = {record.query_id for record in run.records if record.status == "ok"}
    told = runs.classes(run, by_rules=True)
    return {query: class_name for query, class_name in told.items() if query in answered}


def untold(dataset: str, overrides: Sequence[str]) -> str:
    """Return the commands that fetch the published classes, or ask the model for classes."""
    command = classify_command(dataset, overrides, by_rules=False)
    published = names_published(classifier(dataset, overrides))
    fetch = f"the published classes are not there: remem fetch {dataset}; " if published else ""
    return f"{fetch}no model has told the classes: {command}"
