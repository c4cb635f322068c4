"""Compare rows with the same rows of the previous block, which use another reader."""

from collections.abc import Iterator, Sequence

from remem.evaluation.compare import Comparison, compare
from remem.evaluation.interval_text import bracketed
from remem.llm.served import Served
from remem.metrics.columns import REFUSAL_SCORES, Column
from remem.metrics.paired import holm
from remem.tables.row_run import RowRun
from remem.tables.table_plan import BlockPlan
from remem.types import Usage

Pair = tuple[RowRun, RowRun]


def pair_notes(
    block: BlockPlan, above: Sequence[RowRun], runs: Sequence[RowRun]
) -> tuple[str, ...]:
    """Return notes that compare rows with their pairs in the previous block; none without pairs.

    Args:
        block: The plan of the block.
        above: The rows of the previous block.
        runs: The rows of the block, in the same order.

    Raises:
        ValueError: The two blocks have different numbers of rows.
    """
    return (*_differences(block, above, runs), *_costs(runs)) if block.pairs else ()


def _differences(
    block: BlockPlan, above: Sequence[RowRun], runs: Sequence[RowRun]
) -> Iterator[str]:
    column, pairs = (
        block.columns[0],
        [
            (ours, other)
            for ours, other in zip(runs, above, strict=True)
            if not (ours.missing or other.missing or ours.is_plumbing or other.is_plumbing)
        ],
    )
    if column.score in REFUSAL_SCORES or not pairs:
        return
    found = [_compared(column, *pair) for pair in pairs]
    corrected = holm([comparison.p_value for comparison in found])
    yield (
        f"{column.heading} against the same row of the block above (paired bootstrap, p after "
        f"Holm's correction over these {len(pairs)}):"
    )
    for (ours, _), one, p_value in zip(pairs, found, corrected, strict=True):
        yield _difference(column, ours.config.label, one, p_value)


def _compared(column: Column, ours: RowRun, other: RowRun) -> Comparison:
    return compare(
        ours.records,
        other.records,
        score=column.score,
        category=column.category,
        convention=ours.config.score_convention(),
        verdicts=(ours.verdicts, other.verdicts),
    )


def _difference(column: Column, label: str, found: Comparison, p_value: float) -> str:
    gap, scale = found.difference, found.scale
    return (
        f"{label}: {column.heading} {scale * gap.mean:+.1f} {bracketed(gap, '+.1f', scale)}, "
        f"p = {p_value:.3f}, better on {found.first_better}, worse on {found.second_better} of "
        f"{gap.n} questions."
    )


def _costs(runs: Sequence[RowRun]) -> Iterator[str]:
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
