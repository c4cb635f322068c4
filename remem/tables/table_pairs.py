"""Compare single rows: with the same row of the previous block, and added rows with all others."""

from collections.abc import Iterator, Sequence

from remem.llm.served import Served
from remem.metrics.columns import REFUSAL_SCORES, Column
from remem.metrics.intervals import Interval
from remem.metrics.paired import holm
from remem.results.compare import Comparison, compare_runs
from remem.results.interval_text import bracketed
from remem.tables.rows import RowOutcome
from remem.tables.table_plan import BlockPlan
from remem.types import Usage


def pair_notes(
    block: BlockPlan, above: Sequence[RowOutcome], runs: Sequence[RowOutcome]
) -> tuple[str, ...]:
    """Return notes that compare rows with their pairs in the previous block, if it has pairs.

    Args:
        block: The plan of the block.
        above: The rows of the previous block.
        runs: The rows of the block, in the same order.

    Raises:
        ValueError: The two blocks have different numbers of rows.
    """
    return (*_differences(block, above, runs), *_costs(runs)) if block.pairs else ()


def added_notes(block: BlockPlan, runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield comparisons of each added row with every other row, for the first column."""
    column = block.columns[0]
    if column.score in REFUSAL_SCORES:
        return
    for run in runs:
        for other in runs if run.plan.added else ():
            if other is not run:
                found = _compared(column, run, other)
                label = f"{run.config.label} against {other.config.label}"
                yield f"{label}: {column.heading} {_told(found)}."


def difference(
    gap: Interval, better: int, worse: int, *, scale: int = 100, p_value: float | None = None
) -> str:
    """Write a difference with its interval, p if it was corrected, and the counts of questions."""
    corrected = "" if p_value is None else f" p = {p_value:.3f},"
    return (
        f"{scale * gap.mean:+.1f} {bracketed(gap, '+.1f', scale)},{corrected} better on {better}, "
        f"worse on {worse} of {gap.n} questions"
    )


def _differences(
    block: BlockPlan, above: Sequence[RowOutcome], runs: Sequence[RowOutcome]
) -> Iterator[str]:
    column = block.columns[0]
    pairs = [
        pair
        for pair in zip(runs, above, strict=True)
        if not any(run.missing or run.is_plumbing for run in pair)
    ]
    if column.score in REFUSAL_SCORES or not pairs:
        return
    found = [_compared(column, *pair) for pair in pairs]
    corrected = holm([comparison.p_value for comparison in found])
    yield (
        f"{column.heading} against the same row of the block above (paired bootstrap, p after "
        f"Holm's correction over these {len(pairs)}):"
    )
    for (ours, _), comparison, p_value in zip(pairs, found, corrected, strict=True):
        yield f"{ours.config.label}: {column.heading} {_told(comparison, p_value)}."


def _told(found: Comparison, p_value: float | None = None) -> str:
    better, worse = found.first_better, found.second_better
    return difference(found.difference, better, worse, scale=found.scale, p_value=p_value)


def _compared(column: Column, ours: RowOutcome, other: RowOutcome) -> Comparison:
    assert ours.run is not None and other.run is not None  # rows without a run are left out
    return compare_runs(ours.run, other.run, column.score, column.category)


def _costs(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield notes on the number of unreadable replies, and on models served on this machine."""
    asked = [run for run in runs if not run.missing and run.config.llm != "none"]
    records = [record for run in asked for record in run.records]
    usages = [record.recall_usage + record.read_usage for record in records]
    taken = sum(usages, Usage())
    errors = sum(record.status == "error" for record in records)
    unasked = sum(not usage.calls for usage in usages)
    yield (
        f"Format errors: {taken.rejected_replies:,} in {taken.calls:,} calls (replies that could "
        f"not be read, whether they were asked again or not); {errors:,} of {len(records):,} "
        f"questions ended in an error. {unasked:,} took no call: nothing was found, or rules "
        f"answered."
    )
    served = sum((run.manifest.served for run in asked), Served())
    if served.seconds:
        tokens = served.prompt_tokens + served.completion_tokens
        yield (
            f"Served on the machine of the run: {served.calls:,} calls, {served.prompt_tokens:,} "
            f"tokens in, {served.completion_tokens:,} out, in {served.seconds:,.0f} s of waiting "
            f"for replies ({tokens / served.seconds:,.0f} tokens a second of each server); peak "
            f"memory {served.model_mib:,} MiB (all servers) and {served.run_mib:,} MiB (run)."
        )
