"""Find the columns that have the two headline gains, because the paper does not name them."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from paper_checks.check import Check, agree, cell_at, format_decimal
from remem.paper.claims import Claim, Claims
from remem.paper.layout import PaperTable, Tables

REFERENCES = {"full_context", "oracle_message"}
"""Rows that the paper does not count as memory systems."""

FIGURE = {
    "recollection": "mean of locomo llm_j and realtalk llm_j",
    "reasoning": "mean of complex_tr llm_j and tot",
}
"""The columns that the paper's Figure 1 averages for its two tasks."""


@dataclass(frozen=True, slots=True)
class Gain:
    """How far a REMem row is ahead of another row, in a column or in the mean of two columns."""

    columns: str
    ours: str
    other: str
    points: Decimal

    def __str__(self) -> str:
        """Return the rows and the gain as text."""
        return f"{self.ours} - {self.other} = {format_decimal(self.points)}"


def headline_gains(tables: Tables, claims: Claims) -> Iterator[Check]:
    """Check each headline gain in the columns of the paper's Figure 1, then in all columns."""
    for claim in claims.results:
        if claim.rule == "headline":
            table = tables[claim.of[0]]
            rivals = {row for row in table.rows if _memory(table, row) not in REFERENCES}
            gains = list(_gains(table))
            yield _over_figure(claim, [gain for gain in gains if gain.other in rivals])
            yield _over_any(claim, gains, rivals)


def _over_figure(claim: Claim, gains: Sequence[Gain]) -> Check:
    columns = FIGURE[claim.of[0]]
    number = claim.number()
    best: dict[str, Gain] = {}
    for gain in gains:
        if gain.columns == columns:
            smallest = best.get(gain.ours)
            best[gain.ours] = min(gain, smallest or gain, key=lambda known: known.points)
    return Check(
        kind="headline gain",
        place=f"{claim.about}: the figure's columns",
        printed=number.printed,
        follows="; ".join(map(str, best.values())),
        tolerance=format_decimal(number.slack),
        holds=any(_fits(claim, gain) for gain in best.values()),
        note=f"the {columns}; over the best other memory system",
    )


def _over_any(claim: Claim, gains: Sequence[Gain], rivals: Set[str]) -> Check:
    fitting = [gain for gain in gains if _fits(claim, gain)]
    had = {gain.columns for gain in fitting}
    only_references = fitting and {gain.other for gain in fitting}.isdisjoint(rivals)
    over = "only over what the paper does not count as a memory; " if only_references else ""
    without = dict.fromkeys(gain.columns for gain in gains if gain.columns not in had)
    return Check(
        kind="headline gain",
        place=f"{claim.about}: any columns, any two rows",
        printed=claim.number().printed,
        follows="; ".join(f"{gain.columns}: {gain}" for gain in fitting) or "nothing",
        tolerance=format_decimal(claim.number().slack),
        holds=bool(fitting),
        note=f"{over}cannot be had from: {'; '.join(without)}",
    )


def _fits(claim: Claim, gain: Gain) -> bool:
    number = claim.number()
    return abs(gain.points - number.value) <= number.slack


def _gains(table: PaperTable) -> Iterator[Gain]:
    for columns, scores in _scores(table).items():
        for ours in scores:
            for other in scores:
                if _ours(table, ours) and not _ours(table, other):
                    yield Gain(columns, ours, other, scores[ours] - scores[other])


def _scores(table: PaperTable) -> Mapping[str, Mapping[str, Decimal]]:
    """Collect the scores of all rows: in each column, and averaged over pairs of columns."""
    single = {
        column.heading: {
            row: table.cells[row, column.heading].number.value
            for row in table.rows
            if (row, column.heading) in table.cells
        }
        for column in table.columns
    }
    scores: dict[str, Mapping[str, Decimal]] = dict(single)
    for first in table.columns:
        for second in table.columns:
            alone = len(second.group.metrics) == 1
            if first.group.key < second.group.key and (alone or first.metric == second.metric):
                low, two = single[first.heading], single[second.heading]
                both = [row for row in low if row in two]
                n, m = first.group.n or 1, second.group.n or 1
                pair = f"{first.heading} and {second.heading}"
                scores[f"mean of {pair}"] = {row: (low[row] + two[row]) / 2 for row in both}
                scores[f"mean by questions of {pair}"] = {
                    row: (n * low[row] + m * two[row]) / (n + m) for row in both
                }
    return scores


def _memory(table: PaperTable, row: str) -> str:
    return next(cell.measured.memory for (label, _), cell in table.cells.items() if label == row)


def _ours(table: PaperTable, row: str) -> bool:
    return _memory(table, row).startswith("remem")


def judge_against_person(tables: Tables, claims: Claims) -> Iterator[Check]:
    """Check the prose's four numbers on judge-person agreement against the mean scores of both."""
    mean = {
        row: cell_at(tables, f"human | {row} | sample mean")
        for row in ("LLM Judge", "Human Evaluation")
    }
    n = Decimal(mean["LLM Judge"].n or 0)
    judge, person = (n * cell.number.value for cell in mean.values())
    agreed, apart, kind, strict = (
        claims.by_id(f"judge_{name}").number().value
        for name in ("agreement", "discrepancies", "too_kind", "too_strict")
    )
    yield _counts("accepted by one alone", apart, kind + strict)
    yield _counts("judged alike, of 100", agreed, n - apart)
    yield _counts("accepted by the judge less by the person", kind - strict, judge - person)
    both = judge - kind
    product = judge * (n - judge) * person * (n - person)
    correlation = (both * (n - judge - strict) - kind * strict) / product.sqrt()
    for column in ("sample pearson", "sample spearman"):
        printed = cell_at(tables, f"human | LLM Judge | {column}")
        yield agree("correlation", printed, correlation, printed.number.slack, "of yes and no")


def _counts(place: str, printed: Decimal, follows: Decimal) -> Check:
    return Check(
        "judge and person",
        place,
        format_decimal(printed),
        format_decimal(follows),
        "0",
        printed == follows,
    )
