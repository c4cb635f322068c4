"""Check that tokens, dollars, degrees and triples follow from the other numbers of their tables."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import sqrt

from paper_checks.check import (
    ROUNDED_MEAN,
    Check,
    agree,
    all_cells,
    cell_at,
    format_decimal,
    place_of,
)
from remem.paper.layout import Column, MeasuredQuantity, Number, PaperCell, PaperTable, Tables
from remem.paper.verdict import NORMAL_95, YES_OR_NO


def column_averages(tables: Tables) -> Iterator[Check]:
    """Check each overall score against the scores of its categories."""
    for table in tables.values():
        for column in table.columns:
            for row in table.rows:
                whole = table.cells.get((row, column.heading))
                parts = [_part(tables, table, row, column, key) for key in column.group.average_of]
                if whole and parts:
                    yield average("average of columns", whole, [part for part in parts if part])


def row_averages(tables: Tables) -> Iterator[Check]:
    """Check each row that is the average of other rows, or their sum in a column of counts."""
    for table in tables.values():
        for row, of in table.header.averages.items():
            for column in table.columns:
                whole = table.cells[row, column.heading]
                parts = [table.cells[part, column.heading] for part in of]
                if column.metric == table.header.n_from:
                    total = sum((part.number.value for part in parts), Decimal(0))
                    yield agree("sum of rows", whole, total, Decimal(0))
                else:
                    yield average("average of rows", whole, parts)


def average(kind: str, whole: PaperCell, parts: Sequence[PaperCell]) -> Check:
    """Check a number against the mean of its parts, weighted by their numbers of questions."""
    weights = [Decimal(part.n or 0) for part in parts]
    values = [part.number.value for part in parts]
    # The parts and the whole may each be off by their rounding.
    tolerance = whole.number.slack + max(part.number.slack for part in parts)
    weighted = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    check = agree(kind, whole, Decimal(weighted), tolerance)
    plain = sum(values, Decimal(0)) / len(values)
    if check.holds or abs(whole.number.value - plain) > tolerance:
        return check
    return agree(kind, whole, Decimal(weighted), tolerance, "the plain mean of the parts fits")


def group_counts(tables: Tables) -> Iterator[Check]:
    """Check that the numbers of questions of the categories add up to the total."""
    for table in tables.values():
        for group in table.header.groups:
            parts = [_group_n(tables, table, key) for key in group.average_of]
            if parts and group.n is not None:
                total = sum(parts)
                yield Check(
                    "questions of columns",
                    f"{table.name} | {group.title}",
                    f"{group.n:,}",
                    f"{total:,}",
                    "0",
                    total == group.n,
                )


def _part(
    tables: Tables, table: PaperTable, row: str, column: Column, key: str
) -> PaperCell | None:
    other, key = _resolve(tables, table, key)
    return next(
        (
            other.cells.get((row, candidate.heading))
            for candidate in other.columns
            if candidate.group.key == key and candidate.metric == column.metric
        ),
        None,
    )


def _group_n(tables: Tables, table: PaperTable, key: str) -> int:
    other, key = _resolve(tables, table, key)
    return next(group.n or 0 for group in other.header.groups if group.key == key)


def _resolve(tables: Tables, table: PaperTable, key: str) -> tuple[PaperTable, str]:
    """Return the table and the key of a group; "table | group" is a group of another table."""
    name, _, group = key.rpartition("|")
    return (tables[name.strip()] if name else table), group.strip()


DOLLARS_PER_TOKEN = {"input": Decimal("0.40") / 1_000_000, "output": Decimal("1.60") / 1_000_000}
"""The list price of GPT-4.1-mini."""

MEANS_MAY_DIFFER = Decimal("0.01")
"""Maximum relative difference between a mean of ratios and a ratio of means."""


def token_sums(tables: Tables) -> Iterator[Check]:
    """Check the total number of tokens in each row, and the cost of the tokens."""
    table = tables["tokens"]
    for row in table.rows:
        parts = [
            (table.cells[row, column.heading].number, DOLLARS_PER_TOKEN[column.metric])
            for column in table.columns
            if column.metric in DOLLARS_PER_TOKEN and (row, column.heading) in table.cells
        ]
        yield _summed(
            "sum of tokens", table.cells[row, "total"], [(n, Decimal(1)) for n, _ in parts]
        )
        yield _summed("cost of tokens", table.cells[row, "cost"], parts)


def degrees(tables: Tables) -> Iterator[Check]:
    """Check that mean node degrees follow from the numbers of triples and of context edges.

    The degrees do not count synonymy edges.
    """
    for column in tables["graphs"].columns:
        mean = {
            row.removeprefix("# of "): tables["graphs"].cells.get((row, column.heading))
            for row in tables["graphs"].rows
        }
        triples, context = _value(mean["triples"]), _value(mean["context edges"])
        for nodes, ends in (("phrase nodes", 2 * triples + context), ("gist nodes", context)):
            degree, count = mean[f"Node degree of {nodes}"], _value(mean[nodes])
            if degree:
                follows = ends / count
                # Only of one graph is the mean of ratios the ratio of means.
                spread = MEANS_MAY_DIFFER * follows if degree.n != 1 else Decimal(0)
                edges = degree.number.value * count / 2
                note = (
                    "" if context else f"{format_decimal(edges)} edges would do: one for each pair?"
                )
                yield agree("degree of nodes", degree, follows, degree.number.slack + spread, note)


def triples_of_statements(tables: Tables) -> Iterator[Check]:
    """Check that a graph has one triple for each statement from which it is built."""
    for dataset in ("complex_tr", "tot"):
        statements = cell_at(tables, f"datasets | # of chunks/messages | {dataset}").number
        graphs = cell_at(tables, f"datasets | # of graphs | {dataset}").number
        printed = cell_at(tables, f"graphs | # of triples | {dataset}")
        yield agree(
            "triples of a graph",
            printed,
            statements.value / graphs.value,
            printed.number.slack,
            f"{statements.printed} statements / {graphs.printed} graphs",
        )


def decimals_of_means(tables: Tables) -> Iterator[Check]:
    """Check that not all means over ten graphs are whole numbers.

    By chance, about one mean in ten would be a whole number.
    """
    table = tables["graphs"]
    for column in table.columns:
        if column.group.n == 10:
            means = [cell for (_, at), cell in table.cells.items() if at == column.heading]
            counts = [cell for cell in means if cell.row.startswith("# of")]
            whole = sum(cell.number.value % 1 == 0 for cell in counts)
            yield Check(
                "decimals of means",
                f"graphs | # of ... | {column.heading}",
                f"{whole} of {len(counts)} whole",
                "about 1 in 10",
                "",
                whole < len(counts),
                ""
                if whole < len(counts)
                else "rounded to whole numbers, or not means of 10 graphs",
            )


def _summed(kind: str, whole: PaperCell, parts: Sequence[tuple[Number, Decimal]]) -> Check:
    total = sum((number.value * weight for number, weight in parts), Decimal(0))
    slack = sum((number.slack * weight for number, weight in parts), whole.number.slack)
    return agree(kind, whole, total, slack)


def _value(cell: PaperCell | None) -> Decimal:
    return cell.number.value if cell else Decimal(0)


WIDTH_MAY_DIFFER = 0.15
"""Maximum difference between bootstrap and normal intervals of a share, including rounding."""


def whole_questions(tables: Tables) -> Iterator[Check]:
    """Check that each share of n questions can be a whole number of questions.

    A share is skipped if n is so large that any printed number would fit.
    """
    for cell in all_cells(tables):
        number = cell.number
        if cell.made_with not in YES_OR_NO or not cell.n or not number.slack:
            continue
        tolerance = number.slack + ROUNDED_MEAN
        if Decimal(100) / cell.n <= 2 * tolerance:
            continue
        right = round(number.value * cell.n / 100)
        nearest = Decimal(100 * right) / cell.n
        yield Check(
            "share of questions",
            place_of(cell),
            number.printed,
            f"{right}/{cell.n} = {format_decimal(nearest)}",
            format_decimal(tolerance),
            abs(nearest - number.value) <= tolerance,
        )


def interval_widths(tables: Tables) -> Iterator[Check]:
    """Check that each interval of a share is as wide as the number of questions implies."""
    fewest = _fewest_questions(tables)
    for cell in all_cells(tables):
        number = cell.number
        n = fewest.get(cell.measured)
        if number.minus is None or number.plus is None or not n or cell.made_with not in YES_OR_NO:
            continue
        share = float(number.value) / 100
        half = 100 * NORMAL_95 * sqrt(share * (1 - share) / n)
        mean_half = float(number.minus + number.plus) / 2
        rounding = float(2 * number.slack)
        tolerance = WIDTH_MAY_DIFFER * half + rounding
        lopsided = abs(number.plus - number.minus) > 2 * Decimal(tolerance)
        yield Check(
            "interval of a share",
            place_of(cell),
            f"-{number.minus} +{number.plus}",
            f"±{half:.1f} (n = {n:,})",
            f"{tolerance:.1f}",
            abs(mean_half - half) <= tolerance and not lopsided,
            _note(cell, n, lopsided),
        )


def _fewest_questions(tables: Tables) -> dict[MeasuredQuantity, int]:
    """Return the smallest number of questions that any table states for each quantity."""
    fewest: dict[MeasuredQuantity, int] = {}
    for cell in all_cells(tables):
        if cell.n:
            fewest[cell.measured] = min(cell.n, fewest.get(cell.measured, cell.n))
    return fewest


def _note(cell: PaperCell, n: int, lopsided: bool) -> str:
    if cell.n != n:
        return f"another table says that {n:,} of the {cell.n:,} questions were asked"
    return "one side is much longer than the other" if lopsided else ""
