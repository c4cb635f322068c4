"""Check the numbers in the paper's prose (results/paper/claims.yaml) against its tables."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

from paper_checks.check import Check, agree, all_cells, cell_at, format_decimal, place_of
from remem.paper.claims import Claim, Claims
from remem.paper.layout import MeasuredQuantity, Number, PaperCell, PaperTable, Tables


def repeated_numbers(tables: Tables) -> Iterator[Check]:
    """Check that each number which several tables print is the same in all of them."""
    for first, *others in _by_measured(tables).values():
        for other in others:
            yield agree(
                "repeated number", other, first.number.value, Decimal(0), f"as {place_of(first)}"
            )


def repeated_counts(tables: Tables) -> Iterator[Check]:
    """Check that two tables print the same number of questions for each temporal category."""
    first, second = tables["temporal_categories"], tables["temporal_scores"]
    when = [row for row in first.rows if row in second.header.averages["Temporal"]]
    total = sum((first.cells[row, "locomo"].number.value for row in when), Decimal(0))
    note = f"as temporal_categories, {len(when)} rows"
    yield agree(
        "repeated count", second.cells["Temporal", "locomo queries"], total, Decimal(0), note
    )
    for row in first.rows:
        ours = first.cells[row, "locomo"]
        theirs = second.cells[row, "locomo queries"]
        yield agree("repeated count", theirs, ours.number.value, Decimal(0), f"as {place_of(ours)}")


def dataset_counts(tables: Tables) -> Iterator[Check]:
    """Check the numbers of questions in column headings against the table of datasets."""
    datasets = tables["datasets"]
    headings = {column.group.dataset: column.heading for column in datasets.columns}
    for table in tables.values():
        for group in table.header.groups:
            of_questions = "mean" not in group.metrics and group.title
            if group.category == "all" and group.dataset in headings and group.n and of_questions:
                stated = datasets.cells["# of queries", headings[group.dataset]].number
                yield Check(
                    "questions of a dataset",
                    f"{table.name} | {group.title}",
                    f"{group.n:,}",
                    stated.printed,
                    "0",
                    stated.value == group.n,
                    "as datasets",
                )


def _by_measured(tables: Tables) -> dict[MeasuredQuantity, list[PaperCell]]:
    cells: dict[MeasuredQuantity, list[PaperCell]] = defaultdict(list)
    for cell in all_cells(tables):
        if cell.measured.memory:
            cells[cell.measured].append(cell)
    return cells


UNANSWERABLE = (446, 444)
"""Category 5 of LoCoMo, with and without the two questions that have an answer."""


SAME_RUN = {"Graphiti": ("Graphiti",), "Mem0": ("Mem0",), "REMem": ("REMem-I", "REMem-S")}
"""The rows of the refusal table, and the rows of LoCoMo that they should come from."""


def refusal_counts(tables: Tables) -> Iterator[Check]:
    """Check that each row of the refusal table fits some number of correct refusals.

    There is a check for each of the two possible numbers of unanswerable questions.
    """
    table = tables["refusal"]
    for unanswerable in UNANSWERABLE:
        for row in table.rows:
            refusals, *scores = (
                table.cells[row, column.heading].number for column in table.columns
            )
            right = right_refusals(int(refusals.value), scores, unanswerable)
            yield Check(
                "counts of refusals",
                f"refusal | {row}",
                " / ".join(score.printed for score in scores),
                f"{_listed(right)} right of {refusals.printed}, {unanswerable} unanswerable",
                "0.05",
                bool(right),
                _note(table, row, right, unanswerable),
            )


def refused_adversarial(tables: Tables) -> Iterator[Check]:
    """Check the adversarial F1, which is a share of refusals, against the refusal table."""
    table = tables["refusal"]
    for row, memories in SAME_RUN.items():
        refusals, *scores = (table.cells[row, column.heading].number for column in table.columns)
        for right in right_refusals(int(refusals.value), scores, min(UNANSWERABLE)):
            for memory in memories:
                printed = tables["locomo_2"].cells[memory, "adversarial f1"]
                share = Decimal(100 * right) / max(UNANSWERABLE)
                # The two questions with an answer may have been refused as well.
                extra = Decimal(100 * (max(UNANSWERABLE) - min(UNANSWERABLE))) / max(UNANSWERABLE)
                note = f"{right} right refusals of {row} in the table of refusals"
                yield agree("refusals twice", printed, share, extra + printed.number.slack, note)


def right_refusals(refusals: int, scores: Sequence[Number], unanswerable: int) -> list[int]:
    """Return all numbers of correct refusals that give the printed precision, recall and F1."""
    return [
        right
        for right in range(min(refusals, unanswerable) + 1)
        if all(
            abs(Decimal(200 * right) / twice_of - score.value) <= score.slack
            for twice_of, score in zip(
                (2 * refusals, 2 * unanswerable, refusals + unanswerable), scores, strict=True
            )
        )
    ]


def _listed(right: Sequence[int]) -> str:
    return ", ".join(map(str, right)) or "no number"


def _note(table: PaperTable, row: str, right: Sequence[int], unanswerable: int) -> str:
    if right:
        return ""
    recall = table.cells[row, "locomo refusal_recall"].number
    nearest = round(recall.value * unanswerable / 100)
    value = Decimal(100 * nearest) / unanswerable
    return f"recall {recall.printed}: {nearest}/{unanswerable} = {value:.2f}"


def claims_follow(tables: Tables, claims: Claims) -> Iterator[Check]:
    """Check each claim that has a rule against the cells that it names."""
    for claim in claims.results:
        if claim.rule == "in_a_table":
            yield _in_a_table(tables, claim)
        elif claim.rule == "number_of_table":
            number = Decimal(tables[claim.of[0]].header.number)
            yield _check(claim, str(number), Decimal(0), claim.number().value == number)
        elif claim.rule == "below":
            yield _below(claim, [cell_at(tables, place) for place in claim.of])
        elif claim.rule in ARITHMETIC:
            cells = [cell_at(tables, place) for place in claim.of]
            yield _arithmetic(claim, cells)


def _same(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    return cells[0].number.value, max(number.slack, cells[0].number.slack)


def _difference(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    first, second = (cell.number for cell in cells)
    return first.value - second.value, number.slack + first.slack + second.slack


def _ratio(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    first, second = (cell.number for cell in cells)
    ratio = first.value / second.value
    return ratio, number.slack + (first.slack + ratio * second.slack) / second.value


def _share_of_questions(number: Number, cells: Sequence[PaperCell]) -> tuple[Decimal, Decimal]:
    part, whole = (Decimal(cell.n or 0) for cell in cells)
    return 100 * part / whole, number.slack


ARITHMETIC: Mapping[str, Callable[[Number, Sequence[PaperCell]], tuple[Decimal, Decimal]]] = {
    "same": _same,
    "difference": _difference,
    "ratio": _ratio,
    "share_of_questions": _share_of_questions,
}
"""Rules that return a value and its maximum distance from the printed number due to rounding."""


def _arithmetic(claim: Claim, cells: Sequence[PaperCell]) -> Check:
    number = claim.number()
    follows, tolerance = ARITHMETIC[claim.rule](number, cells)
    return _check(
        claim, format_decimal(follows), tolerance, abs(number.value - follows) <= tolerance
    )


def _below(claim: Claim, cells: Sequence[PaperCell]) -> Check:
    values = [cell.number.value for cell in cells]
    rising = all(a < b for a, b in pairwise(values))
    follows = ", ".join(f"{cell.row} {cell.number.printed}" for cell in cells)
    return _check(claim, follows, Decimal(0), rising)


def _in_a_table(tables: Tables, claim: Claim) -> Check:
    memory, variant, dataset = claim.of
    there = any(
        (cell.measured.memory, cell.measured.variant, cell.measured.dataset)
        == (memory, variant, dataset)
        for cell in all_cells(tables)
    )
    return _check(claim, "a row" if there else "no row of any table", Decimal(0), there)


def _check(claim: Claim, follows: str, tolerance: Decimal, holds: bool) -> Check:
    return Check(
        kind="claim",
        place=f"{claim.place}: {claim.about}",
        printed=claim.printed or "(in words)",
        follows=follows,
        tolerance=format_decimal(tolerance),
        holds=holds,
        note=claim.note,
    )
