"""Which cells of a table of the paper differ from the first row of their block by more than chance.

As in remem.tables.significance: the paired bootstrap on the questions that both rows have, under
the convention that made the column, and Holm's correction within a family, which is all
comparisons of one score on one dataset in one block.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from remem.evaluation.compare import Pair, differences, paired_scores
from remem.evaluation.interval_text import resampled
from remem.metrics.intervals import Ratio
from remem.metrics.paired import LEVEL, PairedTest, holm_in_families, paired_tests
from remem.metrics.question_scores import QuestionScores
from remem.paper.layout import Column
from remem.tables.paper.cells import Cells
from remem.tables.paper.scores import FIELDS, Wanted
from remem.tables.row_run import RowRun
from remem.tables.table import Row


@dataclass(frozen=True, slots=True)
class CellSource:
    """What a cell is made of."""

    runs: tuple[RowRun, ...]
    wanted: Wanted
    made_with: str


@dataclass(frozen=True, slots=True)
class SourcedRow:
    """A row, and what is behind each of its cells; None where nothing is that could be tested."""

    row: Row
    behind: tuple[CellSource | None, ...]


def behind(column: Column, found: Sequence[RowRun], wanted: Wanted | None) -> CellSource | None:
    """Return what a cell of these runs is made of; None where it has none, or one is missing."""
    if wanted is None or not found or any(run.missing for run in found):
        return None
    return CellSource(tuple(found), wanted, column.group.metrics[column.metric])


BLOCKS = 2
"""The paper's rows, and those without a model."""

UNTESTED = "No difference is tested: none is of scores of the same questions."

Place = tuple[int, int, int]
"""Block, row and column."""

Family = tuple[int, tuple[str, ...], str]
"""Block, datasets and metric: what is compared there is corrected together."""

Asked = Mapping[tuple[int, str], QuestionScores]
"""The questions of a cell by dataset and id."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A difference that is to be tested, the row that it is from, and the family it is in."""

    first: str
    ratio: Ratio
    family: Family


def marked(
    cells: Cells, blocks: Sequence[Sequence[SourcedRow]]
) -> tuple[list[tuple[Row, ...]], list[str]]:
    """Return the rows of each block with the corrected p of every difference, and notes on them."""
    gaps = {place: gap for at, rows in enumerate(blocks) for place, gap in _gaps(cells, at, rows)}
    if not gaps:
        untested = [UNTESTED] if any(_behind_all(blocks)) else []
        return [tuple(row.row for row in rows) for rows in blocks], untested
    said = next(_behind_all(blocks)).runs[0].config.score_convention()
    tests = paired_tests(
        [gap.ratio for gap in gaps.values()], resamples=said.resamples, seed=said.seed
    )
    families = [gap.family for gap in gaps.values()]
    p_values = holm_in_families([test.p_value for test in tests], families)
    corrected = dict(zip(gaps, p_values, strict=True))
    rows = [
        tuple(_with_p(one.row, (at, number), corrected) for number, one in enumerate(made))
        for at, made in enumerate(blocks)
    ]
    return rows, [_note(gaps, tests)]


def _behind_all(blocks: Sequence[Sequence[SourcedRow]]) -> Iterator[CellSource]:
    for rows in blocks:
        for row in rows:
            yield from (cell_source for cell_source in row.behind if cell_source is not None)


def _gaps(cells: Cells, at: int, rows: Sequence[SourcedRow]) -> Iterator[tuple[Place, Gap]]:
    """Yield what is to be tested: in each column the rows below the first over such questions."""
    firsts: dict[tuple[int, str], tuple[str, Asked]] = {}
    for number, made in enumerate(rows):
        for position, behind in enumerate(made.behind):
            there = {} if behind is None else asked(cells, behind)
            if behind is None or not there:
                continue
            place = position, behind.wanted.category
            if place not in firsts:
                firsts[place] = made.row.label, there
                continue
            label, first = firsts[place]
            pairs = paired(there, first, FIELDS[behind.wanted.metric])
            if pairs:
                unit = behind.runs[0].config.score_convention().bootstrap_unit
                datasets = tuple(run.config.dataset for run in behind.runs)
                family = at, datasets, behind.wanted.metric
                yield (at, number, position), Gap(label, differences(pairs, unit), family)


def paired(ours: Asked, theirs: Asked, field: str) -> list[Pair]:
    """Pair the scores of the questions that both cells asked."""
    common = [query for query in ours if query in theirs]
    return paired_scores(
        [ours[query] for query in common], [theirs[query] for query in common], field
    )


def asked(cells: Cells, behind: CellSource) -> Asked:
    """Return the questions of a cell with a score each; none where it is no mean of such scores."""
    if behind.wanted.metric not in FIELDS:
        return {}
    found = cells.questions(behind.runs, behind.wanted, behind.made_with)
    return {(at, one.query_id): one for at, some in enumerate(found.questions) for one in some}


def _with_p(row: Row, place: tuple[int, int], corrected: Mapping[Place, float]) -> Row:
    cells = tuple(
        replace(cell, ours=replace(cell.ours, p_value=corrected.get((*place, position))))
        if cell is not None and cell.ours is not None
        else cell
        for position, cell in enumerate(row.cells)
    )
    return replace(row, cells=cells)


def _note(gaps: Mapping[Place, Gap], tests: Sequence[PairedTest]) -> str:
    """Say what a star says, and what the questions can show at all."""
    firsts = list(dict.fromkeys(gap.first for gap in gaps.values()))
    named = f" ({' and '.join(firsts)})" if len(firsts) <= BLOCKS else ""
    units = resampled(test.difference for test in tests)
    smallest = [100 * test.smallest for test in tests if test.smallest is not None]
    shown = (
        f"; the smallest difference that can be shown (4 times of 5, before the correction) is "
        f"{min(smallest):.1f} to {max(smallest):.1f} points"
        if smallest
        else ""
    )
    return (
        f"* differs from the first row of its block over the same questions{named}: paired "
        f"bootstrap over {units}, p < {LEVEL} after Holm's correction over all comparisons of the "
        f"same score, dataset and block ({_sizes(gaps)}; refusals are not tested){shown}."
    )


def _sizes(gaps: Mapping[Place, Gap]) -> str:
    """Say how many comparisons are corrected together."""
    counts = Counter(gap.family for gap in gaps.values()).values()
    least, most = min(counts), max(counts)
    return f"{most} at once" if least == most else f"{least} to {most} at once"
