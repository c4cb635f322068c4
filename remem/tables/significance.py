"""Test which cells of a table differ from the first row of their block by more than chance.

Every score of a question is tested by the paired bootstrap over the questions that both rows have.
Holm's correction covers all comparisons of one score, in any category, within a block.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from remem.evaluation.compare import differences, paired_scores
from remem.evaluation.interval_text import resampled
from remem.metrics.columns import Column
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Ratio
from remem.metrics.paired import LEVEL, PairedTest, holm_in_families, paired_tests
from remem.metrics.question_scores import QuestionScores
from remem.tables.table import Block, Table

RowScores = Sequence[QuestionScores]
Place = tuple[int, int, int]
"""Block, row and column."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A test, and its p value after Holm's correction."""

    test: PairedTest
    p_value: float


def with_tests(
    table: Table, scores: Sequence[Sequence[RowScores]], convention: ScoreConvention
) -> Table:
    """Return the table with the corrected p of each difference, and a note below each block.

    Args:
        table: The table; rows are compared with the first row of their block.
        scores: The scores of the questions of each row, for each block.
        convention: The unit, number and seed of resamples.
    """
    ratios = dict(_ratios(table, scores, convention))
    tests = paired_tests(
        list(ratios.values()), resamples=convention.resamples, seed=convention.seed
    )
    families = [_family(table.blocks[at], at, position) for at, _, position in ratios]
    corrected = holm_in_families([test.p_value for test in tests], families)
    tested = {
        place: Tested(test, p_value)
        for place, test, p_value in zip(ratios, tests, corrected, strict=True)
    }
    blocks = tuple(_with_p(at, block, tested) for at, block in enumerate(table.blocks))
    return replace(table, blocks=blocks)


def _ratios(
    table: Table, scores: Sequence[Sequence[RowScores]], convention: ScoreConvention
) -> Iterator[tuple[Place, Ratio]]:
    for at, (block, rows) in enumerate(zip(table.blocks, scores, strict=True)):
        first, *others = ({one.query_id: one for one in row} for row in rows)
        for row, other in enumerate(others, start=1):
            for position, column in enumerate(block.columns):
                common = [
                    query for query in other if query in first and _asks(column, other[query])
                ]
                if convention.is_share(column.score) and common:
                    pairs = paired_scores(
                        [other[query] for query in common],
                        [first[query] for query in common],
                        column.score,
                    )
                    if pairs:
                        yield (at, row, position), differences(pairs, convention.bootstrap_unit)


def _family(block: Block, at: int, position: int) -> tuple[int, str]:
    """Return the key of a comparison's family: its block and its score."""
    return at, block.columns[position].score


def _asks(column: Column, question: QuestionScores) -> bool:
    return column.category in (None, question.category)


def _with_p(at: int, block: Block, tested: Mapping[Place, Tested]) -> Block:
    rows = tuple(
        replace(
            row,
            cells=tuple(
                replace(cell, ours=replace(cell.ours, p_value=tested[at, number, position].p_value))
                if cell is not None and cell.ours is not None and (at, number, position) in tested
                else cell
                for position, cell in enumerate(row.cells)
            ),
        )
        for number, row in enumerate(block.rows)
    )
    note = _note(at, block, tested)
    return replace(block, rows=rows, notes=(*block.notes, *note))


def _note(at: int, block: Block, tested: Mapping[Place, Tested]) -> tuple[str, ...]:
    here = {place: one.test for place, one in tested.items() if place[0] == at}
    if not here:
        return ()
    units = resampled(test.difference for test in here.values())
    told = (
        f"* differs from {block.rows[0].label}: paired bootstrap over {units}, p < {LEVEL} after "
        f"Holm's correction over all comparisons of the same score in this block "
        f"({', '.join(_sizes(block, here))}; refusals and tokens are not tested)."
    )
    smallest = "; ".join(_smallest(block, here))
    if not smallest:
        return (told,)
    return (
        told,
        f"Smallest difference from it that can be shown (4 times of 5, before the correction): "
        f"{smallest}.",
    )


def _sizes(block: Block, here: Mapping[Place, PairedTest]) -> Iterator[str]:
    """Yield the headings of each family's columns and its number of comparisons, as text."""
    counts = Counter(block.columns[position].score for _, _, position in here)
    for score, count in counts.items():
        headings = [column.heading for column in block.columns if column.score == score]
        yield f"{' and '.join(headings)}: {count}"


def _smallest(block: Block, here: Mapping[Place, PairedTest]) -> Iterator[str]:
    for position, column in enumerate(block.columns):
        found = [
            100 * test.smallest
            for (_, _, at), test in here.items()
            if at == position and test.smallest is not None
        ]
        if found:
            yield f"{column.heading} {min(found):.1f} to {max(found):.1f} points"
