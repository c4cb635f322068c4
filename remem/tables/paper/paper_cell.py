"""Make the cell of a number of the paper: our number, a verdict, and the commands that make it."""

from collections.abc import Sequence

from remem.llm.endpoint import REHEARSED, STUB
from remem.paper.layout import Cell as PaperCell
from remem.paper.verdict import Verdict
from remem.tables.paper.plan import CellPlan
from remem.tables.paper.rows import judge_command
from remem.tables.rows import RowOutcome, run_command
from remem.tables.table import ABSENT, Cell, Value


def exactly(number: float) -> Value:
    """Return a number that has no interval."""
    return Value(number, None, None, 1, None, percent=False)


def compared_cell(
    cell: PaperCell,
    ours: Value | None,
    said: Verdict,
    plan: CellPlan,
    found: Sequence[RowOutcome],
    *,
    differences: tuple[str, ...] = (),
    as_text: float | None = None,
    command: str = "",
) -> Cell:
    """Return the cell of a number of the paper, our number (None if not run) and a verdict."""
    impossible = any(run.impossible for run in found)
    if not impossible and any(run.config.llm == STUB for run in found):  # such a row has no verdict
        said = Verdict("not comparable", REHEARSED)
    number = cell.number
    ends = "" if number.minus is None else f" -{number.minus} +{number.plus}"
    return Cell(
        column=cell.column,
        ours=ours,
        instead=ABSENT if impossible else "",
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
        command=command or "; ".join(_commands(cell, plan, found)),
        runs=tuple(run.folder_name for run in found if run.folder_name),
    )


def _decimals(printed: str) -> int:
    """Return the number of decimals to show; thousands and millions are shown in full."""
    return 0 if printed[-1] in "kM" else len(printed.rstrip("%").partition(".")[2])


def _commands(cell: PaperCell, plan: CellPlan, found: Sequence[RowOutcome]) -> list[str]:
    commands = [run_command(run) for run in plan.runs]
    if cell.made_with == "mem0_judge":
        commands += [judge_command(run.folder_name, run.plan.overrides) for run in found]
    return commands
