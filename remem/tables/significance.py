"""Test which cells of a table differ from the first row of their block by more than chance.

A cell is tested by the paired bootstrap over the questions that both rows have. Holm's correction
covers all comparisons of one score within a block. In a table of the paper, comparisons on
different datasets are corrected separately.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from remem.metrics.columns import ScoreColumn
from remem.metrics.convention import BootstrapUnit, ScoreConvention
from remem.metrics.intervals import Ratio
from remem.metrics.paired import LEVEL, PairedTest, holm_in_families, paired_tests
from remem.metrics.question_scores import QuestionScores
from remem.results.compare import Pair, differences, paired_scores
from remem.results.run_notes import MOST_POINTS, TOO_FEW, resampled
from remem.tables.rows import RowOutcome
from remem.tables.table import Block, Row, Table

BLOCKS = 2
"""The number of blocks of a table of the paper; a note names the first row of each."""

UNTESTED = "No difference is tested: none is of scores of the same questions."

Place = tuple[int, int, int]
"""Block, row and column."""
Family = tuple[int, tuple[str, ...], str]
"""Block, datasets and score."""


@dataclass(frozen=True, slots=True)
class CellSource:
    """The questions behind a cell and, in a table of the paper, the runs that the cell pools.

    The keys of `questions` are pairs: the position of the run and the query id. `questions` is
    empty if the number is not a mean of question scores, such as a number of refusals.
    """

    score: str
    category: str | None
    questions: Mapping[tuple[int, str], QuestionScores]
    runs: tuple[RowOutcome, ...] = ()

    @property
    def convention(self) -> ScoreConvention:
        """The convention of the first run."""
        return self.runs[0].config.score_convention()

    def pairs(self, other: "CellSource") -> list[Pair]:
        """Return the two scores of each question that both cells have."""
        common = [query for query in self.questions if query in other.questions]
        return paired_scores(
            [self.questions[query] for query in common],
            [other.questions[query] for query in common],
            self.score,
        )


@dataclass(frozen=True, slots=True)
class SourcedRow:
    """A row, and the source of each of its cells; a cell without a number has the source None."""

    row: Row
    sources: tuple[CellSource | None, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """The difference of a cell from the first row's cell; `first` is the label of the first row."""

    first: str
    ratio: Ratio
    family: Family


@dataclass(frozen=True, slots=True)
class Tested:
    """A tested difference, and its p value after Holm's correction."""

    gap: Gap
    test: PairedTest
    p_value: float


Tests = Mapping[Place, Tested]


def with_tests(
    table: Table, blocks: Sequence[Sequence[SourcedRow]], convention: ScoreConvention
) -> Table:
    """Return the table with the corrected p of each difference, and a note below each block.

    Args:
        table: The table.
        blocks: The rows of each block. If the first row of a block has answers, the other rows are
            compared with it.
        convention: The unit, number and seed of the resamples.
    """
    tests = run_tests(blocks, convention)
    tested = (
        replace(block, rows=rows, notes=(*block.notes, *test_notes(at, block, tests)))
        for at, (block, rows) in enumerate(
            zip(table.blocks, with_p_values(blocks, tests), strict=True)
        )
    )
    return replace(table, blocks=tuple(tested))


def sourced_rows(
    block: Block, scores: Sequence[Sequence[QuestionScores]], convention: ScoreConvention
) -> list[SourcedRow]:
    """Return the rows of a block with the sources of their cells; each row comes from one run.

    Args:
        block: The block.
        scores: The scores of the questions of each row.
        convention: The convention of the scores.
    """
    return [
        SourcedRow(
            row, tuple(row_sources(block.columns, questions if scores[0] else (), convention))
        )
        for row, questions in zip(block.rows, scores, strict=True)
    ]


def run_tests(blocks: Sequence[Sequence[SourcedRow]], convention: ScoreConvention) -> Tests:
    """Test each cell against the first cell with questions in the same column and block."""
    gaps = {
        place: gap
        for at, rows in enumerate(blocks)
        for place, gap in _gaps(at, rows, convention.bootstrap_unit)
    }
    tests = paired_tests(
        [gap.ratio for gap in gaps.values()], resamples=convention.resamples, seed=convention.seed
    )
    families = [gap.family for gap in gaps.values()]
    p_values = holm_in_families([test.p_value for test in tests], families)
    return {
        place: Tested(gap, test, p_value)
        for (place, gap), test, p_value in zip(gaps.items(), tests, p_values, strict=True)
    }


def with_p_values(
    blocks: Sequence[Sequence[SourcedRow]], tests: Tests
) -> Iterator[tuple[Row, ...]]:
    """Yield the rows of each block, with the corrected p value of each tested cell."""
    for at, rows in enumerate(blocks):
        yield tuple(
            _with_p(sourced_row.row, (at, number), tests) for number, sourced_row in enumerate(rows)
        )


def paper_notes(blocks: Sequence[Sequence[SourcedRow]], tests: Tests) -> list[str]:
    """Return the note on the tests of a table of the paper; empty if there are no questions."""
    if tests:
        return [_paper_note(tests)]
    return [UNTESTED] if next(sources_of(blocks), None) else []


def sources_of(blocks: Sequence[Sequence[SourcedRow]]) -> Iterator[CellSource]:
    """Iterate over the sources of all cells."""
    for rows in blocks:
        for sourced_row in rows:
            yield from (source for source in sourced_row.sources if source is not None)


def row_sources(
    columns: Sequence[ScoreColumn], questions: Sequence[QuestionScores], convention: ScoreConvention
) -> Iterator[CellSource | None]:
    """Yield the source of each cell of a row that comes from one run."""
    for column in columns:
        sources = {
            (0, question.query_id): question
            for question in questions
            if column.category in (None, question.category)
        }
        share = convention.is_share(column.score)
        yield CellSource(column.score, column.category, sources) if share else None


def _gaps(at: int, rows: Sequence[SourcedRow], unit: BootstrapUnit) -> Iterator[tuple[Place, Gap]]:
    firsts: dict[tuple[int, str | None], tuple[str, CellSource]] = {}
    for number, sourced_row in enumerate(rows):
        for position, source in enumerate(sourced_row.sources):
            if source is None or not source.questions:
                continue
            place = position, source.category
            if place not in firsts:
                firsts[place] = sourced_row.row.label, source
                continue
            label, first = firsts[place]
            if pairs := source.pairs(first):
                datasets = tuple(run.config.dataset for run in source.runs)
                family = at, datasets, source.score
                yield (at, number, position), Gap(label, differences(pairs, unit), family)


def _with_p(row: Row, place: tuple[int, int], tests: Tests) -> Row:
    cells = tuple(
        replace(cell, ours=replace(cell.ours, p_value=tests[*place, position].p_value))
        if cell is not None and cell.ours is not None and (*place, position) in tests
        else cell
        for position, cell in enumerate(row.cells)
    )
    return replace(row, cells=cells)


def test_notes(at: int, block: Block, tests: Tests) -> Iterator[str]:
    """Yield notes on the tests of a block: what a star means, and the smallest detectable gap."""
    of_block = {place: tested for place, tested in tests.items() if place[0] == at}
    if not of_block:
        return
    firsts = dict.fromkeys(tested.gap.first for tested in of_block.values())
    units = resampled(tested.test.difference for tested in of_block.values())
    yield (
        f"* differs from {' and '.join(firsts)}: paired bootstrap over {units}, p < {LEVEL} after "
        f"Holm's correction over all comparisons of the same score in this block "
        f"({', '.join(_sizes(block, of_block))}; refusals and tokens are not tested)."
    )
    smallest = "; ".join(_smallest(block, of_block))
    if smallest:
        yield (
            f"Smallest difference from it that can be shown (in 4 of 5 cases, before the "
            f"correction): "
            f"{smallest}."
        )


def _sizes(block: Block, tests: Tests) -> Iterator[str]:
    """Yield for each score, as text, the headings of its columns and its number of comparisons."""
    counts = Counter(block.columns[position].score for _, _, position in tests)
    for score, count in counts.items():
        headings = [column.heading for column in block.columns if column.score == score]
        yield f"{' and '.join(headings)}: {count}"


def _smallest(block: Block, tests: Tests) -> Iterator[str]:
    for position, column in enumerate(block.columns):
        of_column = [tested for (_, _, at), tested in tests.items() if at == position]
        if points := _points(of_column):
            yield f"{column.heading} {points}"


def _points(tests: Sequence[Tested]) -> str:
    """Return the range of the smallest detectable differences, as text; "" without tests.

    Two shares cannot differ by more than 100 points, so larger values are left out.
    """
    smallest = [100 * tested.test.smallest for tested in tests if tested.test.smallest is not None]
    possible = [points for points in smallest if points <= MOST_POINTS]
    if not possible:
        return TOO_FEW if smallest else ""
    text = f"{min(possible):.1f} to {max(possible):.1f} points"
    impossible = len(smallest) - len(possible)
    return f"{text}, in {impossible} of {len(smallest)} {TOO_FEW}" if impossible else text


def _paper_note(tests: Tests) -> str:
    listed = list(tests.values())
    firsts = list(dict.fromkeys(tested.gap.first for tested in listed))
    named = f" ({' and '.join(firsts)})" if len(firsts) <= BLOCKS else ""
    units = resampled(tested.test.difference for tested in listed)
    points = _points(listed)
    shown = (
        f"; the smallest difference that can be shown (in 4 of 5 cases, before the correction) is "
        f"{points}"
        if points
        else ""
    )
    counts = Counter(tested.gap.family for tested in listed).values()
    least, most = min(counts), max(counts)
    sizes = f"{most} at once" if least == most else f"{least} to {most} at once"
    return (
        f"* differs from the first row of its block over the same questions{named}: paired "
        f"bootstrap over {units}, p < {LEVEL} after Holm's correction over all comparisons of the "
        f"same score, dataset and block ({sizes}; refusals are not tested){shown}."
    )
