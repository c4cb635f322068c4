"""Find which numbers of the paper can have a verdict with given models, and why others cannot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from types import MappingProxyType

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.llm.endpoint import AS_STUB
from remem.paper.layout import PaperCell, PaperTable
from remem.results.class_counts import names_published
from remem.tables.paper.by_class import CLASSIFIED, classifier
from remem.tables.paper.paper_cell import COUNTED, NO_VERDICT
from remem.tables.paper.plan import TIMED_NUMBER, not_the_papers, plan_paper_cell
from remem.tables.paper.timed import NO_VERDICT_ON_TIME


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A number of the paper that cannot have a verdict, and why."""

    table: str
    row: str
    column: str
    reason: str
    out_of_reach: bool
    """Whether no run could change this, because this kind of number never has a verdict."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """How many numbers of the paper were checked, and the obstacles found."""

    numbers: int
    obstacles: tuple[Obstacle, ...]


def comparable(
    papers: Sequence[PaperTable],
    overrides: Sequence[str],
    known: Mapping[tuple[str, ...], RunConfig] = MappingProxyType({}),
) -> Comparable:
    """Find the numbers that cannot have a verdict with these overrides, whatever is run.

    Published prompts and classes are assumed to be available, and no run is looked up. `known` maps
    overrides to configurations that the caller has already composed.
    """
    obstacles = [
        Obstacle(paper.name, cell.row, cell.column, reason, bool(no_verdict(cell, paper)))
        for paper in papers
        for cell in paper.cells.values()
        if (reason := obstacle(cell, paper, overrides, known))
    ]
    return Comparable(sum(len(paper.cells) for paper in papers), tuple(obstacles))


def no_verdict(cell: PaperCell, paper: PaperTable) -> str:
    """Return why this kind of number can never have a verdict; "" if it can."""
    if cell.made_with in (COUNTED, CLASSIFIED):
        return ""
    if cell.made_with == TIMED_NUMBER:
        return NO_VERDICT_ON_TIME
    return plan_paper_cell(cell, paper, ()).out_of_reach or NO_VERDICT.get(cell.made_with, "")


def obstacle(
    cell: PaperCell,
    paper: PaperTable,
    overrides: Sequence[str],
    known: Mapping[tuple[str, ...], RunConfig],
) -> str:
    """Return why a number cannot have a verdict with these overrides; "" if it can have one."""
    if AS_STUB in overrides:
        return "a rehearsal"
    if cell.made_with == COUNTED:
        return ""
    if cell.made_with == CLASSIFIED:
        published = names_published(classifier(cell.measured.dataset, overrides))
        return "" if published else "the classes of these questions were not published"
    plan = plan_paper_cell(cell, paper, overrides)
    if plan.out_of_reach:
        return plan.out_of_reach
    differences = [
        obstacle
        for run in plan.runs
        for obstacle in not_the_papers(
            known.get(run) or _config(run), cell, overrides, all_fetched=True
        )
    ]
    return "; ".join(dict.fromkeys(differences)) or no_verdict(cell, paper)


def show_comparable(numbers: Comparable) -> RichTable:
    """Return a table of the numbers that cannot have a verdict: a line for each row and reason."""
    without = len(numbers.obstacles)
    never = sum(obstacle.out_of_reach for obstacle in numbers.obstacles)
    table = RichTable(
        title=f"{numbers.numbers} numbers of the paper: {numbers.numbers - without} can have a "
        f"verdict, {without} cannot ({never} of them with no run at all)",
        box=box.SIMPLE_HEAD,
    )
    for heading in ("numbers", "table", "row", "columns", "why not"):
        table.add_column(heading, overflow="fold")
    for (name, row, reason), columns in _lines(numbers.obstacles):
        shown = (str(len(columns)), name, row, ", ".join(columns), reason)
        table.add_row(*map(Text, shown))
    return table


def _lines(obstacles: Sequence[Obstacle]) -> Iterator[tuple[tuple[str, str, str], list[str]]]:
    for place, same in groupby(
        obstacles, key=lambda obstacle: (obstacle.table, obstacle.row, obstacle.reason)
    ):
        yield place, [obstacle.column for obstacle in same]


@cache  # a run is behind many numbers, and composing its configuration takes most of the time
def _config(overrides: tuple[str, ...]) -> RunConfig:
    return run_config(compose_config(list(overrides)))
