"""Check that agreement, discrepancies, means and correlation of judge and person fit together."""

from collections.abc import Iterator
from decimal import Decimal

from remem.paper.check import Check, Tables, agree, cell_at, shown
from remem.paper.claims import Claims


def judge_against_person(tables: Tables, claims: Claims) -> Iterator[Check]:
    """Check the four numbers of the prose and the two means, as a table of two by two."""
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
    return Check("judge and person", place, shown(printed), shown(follows), "0", printed == follows)
