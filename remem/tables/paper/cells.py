"""Make one cell of a table of the paper: our number, the printed number, and a verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from remem.config.run_config import compose_config, run_config
from remem.metrics.intervals import Interval
from remem.paper.layout import Column, Group, PaperCell, PaperTable
from remem.paper.verdict import Verdict, exact_verdict, verdict
from remem.results.temporal_classes import is_temporal
from remem.tables.paper.by_class import CLASSIFIED, classified_cell, untold
from remem.tables.paper.paper_cell import (
    COUNTED,
    NO_VERDICT,
    compared_cell,
    count_data,
    exactly,
    spent,
)
from remem.tables.paper.plan import (
    TIMED_NUMBER,
    CellPlan,
    not_the_papers,
    plan_paper_cell,
)
from remem.tables.paper.rows import without_models
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.scores import FIELDS, Scored, WantedMean, measured, scored
from remem.tables.paper.timed import timed_cell
from remem.tables.rows import RowOutcome, run_command
from remem.tables.significance import CellSource, SourcedRow
from remem.tables.table import NOT_RUN, Cell, Row


@dataclass(frozen=True, slots=True)
class Cells:
    """Makes the cells of a table from the paper's numbers, the score conventions and our runs."""

    paper: PaperTable
    score: Mapping[str, Mapping[str, Any]]
    """The choices of the score convention for each kind of number (`made_with`)."""
    runs: TableRuns
    overrides: tuple[str, ...]
    added: tuple[str, ...] = ()
    """Methods of the user, whose rows are added to the LLM-free block."""
    added_models: tuple[str, ...] = ()
    """Methods of the user that ask a language model, whose rows are added to the paper's rows."""

    def compared(self, cell: PaperCell) -> Cell:
        """Return the cell that compares our number with a number of the paper."""
        if cell.made_with == COUNTED:
            return self._counted(cell)
        if cell.made_with == CLASSIFIED:
            return classified_cell(cell, self.overrides, self.runs)
        plan = plan_paper_cell(cell, self.paper, self.overrides)
        outcomes = [self.runs.find(run, llm_free=False) for run in plan.runs]
        missing = plan.out_of_reach or next((run.missing for run in outcomes if run.missing), "")
        if missing:
            return compared_cell(cell, None, Verdict(NOT_RUN, missing), plan, outcomes)
        differences = tuple(
            dict.fromkeys(
                difference
                for run in outcomes
                for difference in not_the_papers(run.config, cell, self.overrides, run.encoder)
            )
        )
        if cell.made_with == TIMED_NUMBER:
            return timed_cell(cell, plan, outcomes[0], differences)
        if not plan.wanted.is_score:
            return _spent(cell, plan, outcomes[0], differences)
        return self._scored(cell, plan, outcomes, differences)

    def unprinted_row(
        self,
        label: str,
        by_column: Sequence[Sequence[RowOutcome]],
        wanted: Callable[[str, Group], WantedMean | None],
    ) -> SourcedRow:
        """Return a row that the paper does not have, made from the runs of each column.

        `wanted` returns what to measure in a column; None if the row has no number there.
        """
        cells, sources = [], []
        for column, outcomes in zip(self.paper.columns, by_column, strict=True):
            mean = wanted(column.metric, column.group)
            cells.append(self._unprinted(column, outcomes, mean))
            sources.append(self.source(outcomes, mean, column.group.metrics[column.metric]))
        return SourcedRow(Row(label, tuple(cells)), tuple(sources))

    def _unprinted(
        self, column: Column, outcomes: Sequence[RowOutcome], wanted: WantedMean | None
    ) -> Cell | None:
        if wanted is None or not outcomes:
            return None
        made_with = column.group.metrics[column.metric]
        missing = next((run.missing for run in outcomes if run.missing), "")
        return Cell(
            column=column.heading,
            ours=None if missing else measured(self.questions(outcomes, wanted, made_with), wanted),
            reason=missing,
            made_with=made_with,
            n=column.group.n,
            decimals=0 if column.metric == "refusals" else 1,
            command="; ".join(run_command(run.plan.overrides) for run in outcomes),
            runs=tuple(run.folder_name for run in outcomes if run.folder_name),
        )

    def questions(
        self, outcomes: Sequence[RowOutcome], wanted: WantedMean, made_with: str
    ) -> Scored:
        """Return a cell's questions, scored by the convention for its kind of number.

        `made_with` names this kind.
        """
        convention = replace(outcomes[0].config.score_convention(), **self.score[made_with])
        return scored(self.runs, outcomes, wanted, convention)

    def source(
        self, outcomes: Sequence[RowOutcome], wanted: WantedMean | None, made_with: str
    ) -> CellSource | None:
        """Return the source of a cell; None if the cell has no number, or a run is missing."""
        if wanted is None or not outcomes or any(run.missing for run in outcomes):
            return None
        score = FIELDS.get(wanted.metric, "")
        behind = self.questions(outcomes, wanted, made_with).questions if score else ()
        questions = {
            (at, question.query_id): question
            for at, answered in enumerate(behind)
            for question in answered
        }
        return CellSource(score, wanted.category, questions, tuple(outcomes))

    def _scored(
        self,
        cell: PaperCell,
        plan: CellPlan,
        outcomes: Sequence[RowOutcome],
        differences: tuple[str, ...],
    ) -> Cell:
        if is_temporal(cell.measured.category) and not self.runs.classes(
            outcomes[0], by_rules=False
        ):
            why = Verdict(NOT_RUN, untold(cell.measured.dataset, self.overrides))
            return compared_cell(cell, None, why, plan, outcomes, differences=differences)
        behind = self.questions(outcomes, plan.wanted, cell.made_with)
        ours = measured(behind, plan.wanted)
        if ours is None:
            reason = "no verdict of this judge" if cell.made_with == "mem0_judge" else "no answer"
            why = Verdict(NOT_RUN, reason)
            return compared_cell(cell, None, why, plan, outcomes, differences=differences)
        convention = outcomes[0].config.score_convention()
        as_text = None
        if convention != behind.convention:
            as_text = measured(scored(self.runs, outcomes, plan.wanted, convention), plan.wanted)
        own = Interval(ours.mean, ours.low, ours.high, ours.n, ours.clusters)
        word = verdict(cell, own, differences)
        mean = None if as_text is None else as_text.mean
        return compared_cell(
            cell, ours, word, plan, outcomes, differences=differences, as_text=mean
        )

    def _counted(self, cell: PaperCell) -> Cell:
        overrides = (f"dataset={cell.measured.dataset}", *without_models(self.overrides))
        plan = CellPlan(WantedMean(cell.measured.metric, cell.measured.category), ())
        try:
            benchmark = self.runs.benchmark(run_config(compose_config(list(overrides))))
        except FileNotFoundError as error:
            return compared_cell(cell, None, Verdict(NOT_RUN, str(error)), plan, ())
        ours = float(count_data(benchmark, cell.measured.metric))
        return compared_cell(cell, exactly(ours), exact_verdict(cell, ours), plan, ())


def _spent(cell: PaperCell, plan: CellPlan, run: RowOutcome, differences: tuple[str, ...]) -> Cell:
    ours = spent(run, cell.measured)
    if ours is None:
        return compared_cell(cell, None, Verdict(NOT_RUN, "the run has not finished"), plan, (run,))
    delta = ours - float(cell.number.value)
    answered = sum(record.status == "ok" for record in run.records)
    if cell.n is not None and answered < cell.n:
        verdict = Verdict("incomplete", f"{answered}/{cell.n} questions", delta)
    elif differences:
        verdict = Verdict("not comparable", "; ".join(differences), delta)
    else:
        verdict = Verdict("no verdict", NO_VERDICT[cell.made_with], delta)
    return compared_cell(cell, exactly(ours), verdict, plan, (run,), differences=differences)
