"""Say which job of a sweep scores best, and whether its lead is more than chance."""

from collections.abc import Sequence

from remem.metrics.convention import ScoreConvention
from remem.metrics.paired import LEVEL
from remem.results.compare import LEAST_P
from remem.tables.significance import SourcedRow, run_tests
from remem.tables.table import Value


def winner_sentence(rows: Sequence[SourcedRow], convention: ScoreConvention) -> str:
    """Say which job scores best in the first column, and whether this can be due to chance.

    The best job is compared with each other job by the paired tests of the table, with Holm's
    correction. Jobs are left out if they did not answer the same questions as the job with the most
    answers. The text is empty if fewer than two jobs are left.
    """
    compared = _compared(rows)
    if len(compared) < 2:
        return ""
    score = _score(compared[0])
    lower = convention.better(score) == "lower"
    best = (min if lower else max)(compared, key=lambda row: _value(row).mean)
    others = [row for row in compared if row is not best]
    tests = run_tests([[best, *others]], convention)
    p_values = [tests[0, at, 0].p_value for at in range(1, len(compared))]
    own, name = _value(best), best.row.label
    heading, place = convention.heading(score), "lowest" if lower else "highest"
    number = f"{own.mean:.1f} {own.interval('.1f')}"
    chance = [row.row.label for row, p in zip(others, p_values, strict=True) if p >= LEVEL]
    if not chance:
        parted = others[0].row.label if len(others) == 1 else f"each of the {len(others)} others"
        sentence = (
            f"{name} scores {place} in {heading}: {number}. It differs from {parted} by more than "
            f"chance ({_at_most(max(p_values), len(others))})."
        )
    else:
        share = "all" if len(chance) == len(others) else f"{len(chance)} of the"
        several = f"differences from {share} {len(others)} others"
        differences = several if len(chance) > 1 else f"difference from {chance[0]}"
        sentence = (
            f"No certain winner in {heading}: {name} scores {place} ({number}), but its "
            f"{differences} can be chance."
        )
    left_out = " Jobs that did not answer the same questions are left out."
    return sentence if len(compared) == len(rows) else sentence + left_out


def _compared(rows: Sequence[SourcedRow]) -> list[SourcedRow]:
    """Return the first column of the rows with the same questions as the row with the most."""
    first_column = [SourcedRow(row.row, row.sources[:1]) for row in rows]
    scored = [row for row in first_column if any(row.sources) and _queries(row)]
    most = max(map(_queries, scored), key=len, default=frozenset())
    return [row for row in scored if _queries(row) == most]


def _queries(row: SourcedRow) -> frozenset[str]:
    """Return the ids of the questions that have the score."""
    (source,) = row.sources
    assert source is not None
    questions = source.questions.items()
    return frozenset(query for (_, query), own in questions if own.value(source.score) is not None)


def _score(row: SourcedRow) -> str:
    (source,) = row.sources
    assert source is not None
    return source.score


def _value(row: SourcedRow) -> Value:
    cell = row.row.cells[0]
    assert cell is not None and cell.ours is not None
    return cell.ours


def _at_most(p_value: float, tests: int) -> str:
    """Return the largest p of some tests as text."""
    if p_value < LEAST_P:
        return f"p < {LEAST_P}"
    return f"p = {p_value:.2g}" if tests == 1 else f"p <= {p_value:.2g} after Holm's correction"
