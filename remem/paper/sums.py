"""Check that tokens, dollars, degrees and triples follow from the other numbers of their tables."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from remem.paper.check import Check, Tables, agree, cell_at, shown
from remem.paper.layout import PaperCell
from remem.paper.numbers import Number

DOLLARS_PER_TOKEN = {"input": Decimal("0.40") / 1_000_000, "output": Decimal("1.60") / 1_000_000}
"""The list price of GPT-4.1-mini."""

MEANS_MAY_DIFFER = Decimal("0.01")
"""Maximum relative difference between a mean of ratios and a ratio of means."""


def token_sums(tables: Tables) -> Iterator[Check]:
    """Check the sums of tokens and their costs."""
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
    """Check mean degrees against triples and context edges; they do not count synonymy edges."""
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
                note = "" if context else f"{shown(edges)} edges would do: one for each pair?"
                yield agree("degree of nodes", degree, follows, degree.number.slack + spread, note)


def triples_of_statements(tables: Tables) -> Iterator[Check]:
    """Check the number of triples of a graph: one for each statement that it is built from."""
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
    """Check that the means over ten graphs are not all whole; a mean is whole one time in ten."""
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
