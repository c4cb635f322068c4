"""One cell of a table of the paper: ours beside the printed number, with a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from remem.config import compose_config, run_config
from remem.llm.endpoint import STUB
from remem.paper.layout import Cell as PaperCell
from remem.paper.layout import Group, PaperTable
from remem.paper.verdict import Measurement, Verdict, exact_verdict, verdict
from remem.paper_tables.counts import NO_VERDICT, counted, spent
from remem.paper_tables.plan import CellPlan, llm_free_wanted, not_the_papers, plan_cell
from remem.paper_tables.rows import judge_command, run_command, without_models
from remem.paper_tables.runs import Run, Runs
from remem.paper_tables.scores import Scored, Wanted, made_convention, measured, scored
from remem.report.compared import NOT_RUN, ComparedCell
from remem.report.table import Cell

COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class Cells:
    """Makes the cells of a table: its numbers, how they were made, and the runs beside them."""

    paper: PaperTable
    score: Mapping[str, Mapping[str, Any]]
    """The score convention of each `made_with`."""
    runs: Runs
    overrides: tuple[str, ...]

    def compared(self, cell: PaperCell) -> ComparedCell:
        """Put what we have beside a number of the paper."""
        if cell.made_with == COUNTED:
            return self._counted(cell)
        plan = plan_cell(cell, self.paper, self.overrides)
        found = [self.runs.find(one, llm_free=False) for one in plan.runs]
        missing = plan.out_of_reach or next((run.missing for run in found if run.missing), "")
        if missing:
            return _compared(cell, None, Verdict(NOT_RUN, missing), plan, found)
        differences = tuple(
            dict.fromkeys(
                one for run in found for one in not_the_papers(run.config, cell, self.overrides)
            )
        )
        if not plan.wanted.is_score:
            return _spent(cell, plan, found[0], differences)
        return self._scored(cell, plan, found, differences)

    def llm_free(self, metric: str, group: Group, found: Sequence[Run]) -> ComparedCell | None:
        """Return what LLM-free runs score in a column; None where only a model could."""
        wanted = llm_free_wanted(metric, group)
        if wanted is None or not found:
            return None
        made_with = group.metrics[metric]
        ours = None
        if not any(run.missing for run in found):
            ours = measured(self.questions(found, wanted, made_with), wanted)
        return ComparedCell(
            column=group.key if len(group.metrics) == 1 else f"{group.key} {metric}",
            ours=ours,
            reason=next((run.missing for run in found if run.missing), ""),
            made_with=made_with,
            n=group.n,
            decimals=0 if metric == "refusals" else 1,
            command="; ".join(run_command(run.overrides) for run in found),
            runs=tuple(run.name for run in found if run.name),
        )

    def questions(self, found: Sequence[Run], wanted: Wanted, made_with: str) -> Scored:
        """Return the questions behind a cell, scored as its number was made."""
        convention = made_convention(found[0], self.score[made_with])
        return scored(self.runs, found, wanted, convention)

    def _scored(
        self, cell: PaperCell, plan: CellPlan, found: Sequence[Run], differences: tuple[str, ...]
    ) -> ComparedCell:
        behind = self.questions(found, plan.wanted, cell.made_with)
        ours = measured(behind, plan.wanted)
        if ours is None:
            why = "no verdict of this judge" if cell.made_with == "mem0_judge" else "no answer"
            return _compared(
                cell, None, Verdict(NOT_RUN, why), plan, found, differences=differences
            )
        said = found[0].config.score_convention()
        as_text = None
        if said != behind.convention:
            as_text = measured(scored(self.runs, found, plan.wanted, said), plan.wanted)
        own = Measurement(ours.mean, ours.low, ours.high, ours.n)
        word = verdict(cell, own, differences)
        mean = None if as_text is None else as_text.mean
        return _compared(cell, ours, word, plan, found, differences=differences, as_text=mean)

    def _counted(self, cell: PaperCell) -> ComparedCell:
        overrides = (f"dataset={cell.measured.dataset}", *without_models(self.overrides))
        plan = CellPlan(Wanted(cell.measured.metric, cell.measured.category), ())
        try:
            benchmark = self.runs.benchmark(run_config(compose_config(list(overrides))))
        except FileNotFoundError as error:
            return _compared(cell, None, Verdict(NOT_RUN, str(error)), plan, ())
        ours = float(counted(benchmark, cell.measured.metric))
        return _compared(cell, _exactly(ours), exact_verdict(cell, ours), plan, ())


def _spent(cell: PaperCell, plan: CellPlan, run: Run, differences: tuple[str, ...]) -> ComparedCell:
    ours = spent(run, cell.measured)
    if ours is None:
        return _compared(cell, None, Verdict(NOT_RUN, "the run has not finished"), plan, (run,))
    delta = ours - float(cell.number.value)
    answered = sum(record.status == "ok" for record in run.records)
    if cell.n is not None and answered < cell.n:
        said = Verdict("incomplete", f"{answered}/{cell.n} questions", delta)
    elif differences:
        said = Verdict("not comparable", "; ".join(differences), delta)
    else:
        said = Verdict("no verdict", NO_VERDICT[cell.made_with], delta)
    return _compared(cell, _exactly(ours), said, plan, (run,), differences=differences)


def _exactly(number: float) -> Cell:
    return Cell(number, number, number, 1, None, few_clusters=False, percent=False)


def _compared(
    cell: PaperCell,
    ours: Cell | None,
    said: Verdict,
    plan: CellPlan,
    found: Sequence[Run],
    *,
    differences: tuple[str, ...] = (),
    as_text: float | None = None,
) -> ComparedCell:
    if any(run.config.llm == STUB for run in found):  # a row of its kind has no verdict
        said = Verdict("not comparable", STUB)
    number = cell.number
    ends = "" if number.minus is None else f" -{number.minus} +{number.plus}"
    return ComparedCell(
        column=cell.column,
        ours=ours,
        paper=f"{number.printed}{ends}",
        paper_value=float(number.value),
        delta=said.delta,
        z=said.z,
        verdict=said.word,
        reason=said.reason,
        differences=differences,
        made_with=cell.made_with,
        as_text=as_text,
        n=cell.n,
        decimals=_decimals(number.printed),
        command="; ".join(_commands(cell, plan, found)),
        runs=tuple(run.name for run in found if run.name),
    )


def _decimals(printed: str) -> int:
    """Count the decimals to show; thousands and millions are shown in full."""
    return 0 if printed[-1] in "kM" else len(printed.rstrip("%").partition(".")[2])


def _commands(cell: PaperCell, plan: CellPlan, found: Sequence[Run]) -> list[str]:
    commands = [run_command(one) for one in plan.runs]
    if cell.made_with == "mem0_judge":
        commands += [judge_command(str(run.folder or "RUN"), run.overrides) for run in found]
    return commands
