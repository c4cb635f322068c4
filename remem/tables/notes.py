"""Notes below a block of a table: on its data, its rows, and comparisons of single rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.benchmarks.split import own_samples
from remem.files.plain_text import csv_text
from remem.llm.endpoint import Served
from remem.metrics.columns import REFUSAL_SCORES, ScoreColumn
from remem.metrics.intervals import DEFINITION, Interval
from remem.metrics.paired import holm
from remem.results.compare import Comparison, compare_runs
from remem.results.costs import (
    MEASURES,
    Cost,
    RunCosts,
    StageUsage,
    format_percentiles,
)
from remem.results.intake_notes import data_notes, reply_notes
from remem.results.run import Run
from remem.results.run_names import RunNames
from remem.results.run_notes import ablation_notes, bracketed, failed_checks_note
from remem.run.manifest import UNKNOWN, output_cap
from remem.tables.rows import RowOutcome
from remem.tables.table_plan import BlockPlan
from remem.types import LEFT_OUT, Record, Usage

NAME = "costs.csv"
DIGITS = ".6g"
NOTE = (
    f"Each cell has the 50th / 95th / 99th percentiles by {DEFINITION}: over histories for the "
    f"index, over questions for the rest. Seconds depend on the machine, on its other work, and "
    f"on how many questions are asked at once; an index from the cache has no seconds. To measure "
    f"them: runner=serial cache=bypass "
    f"judge=none."
)


@dataclass(frozen=True, slots=True)
class RowCosts:
    """The costs of a row's run."""

    label: str
    run: RunCosts


@dataclass(frozen=True, slots=True)
class BlockCosts:
    """The costs of the runs of a block."""

    title: str
    rows: tuple[RowCosts, ...]

    @property
    def columns(self) -> tuple[Cost, ...]:
        """One cost per measure that any row has, in the order of MEASURES; each is a column."""
        first_of: dict[str, Cost] = {}
        for row in self.rows:
            for cost in row.run.costs:
                first_of.setdefault(cost.name, cost)
        return tuple(first_of[name] for name in MEASURES if name in first_of)

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns."""
        return tuple(map(heading, self.columns))

    def texts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the label of each row with its cells: the percentiles of each cost, or "-"."""
        columns = self.columns
        for row in self.rows:
            costs = (row.run.cost(column.name) for column in columns)
            yield (
                row.label,
                tuple("-" if cost is None else format_percentiles(cost) for cost in costs),
            )


def block_costs(title: str, rows: Sequence[RowOutcome]) -> BlockCosts:
    """Return the costs of the runs of a block; a row without a run is left out."""
    return BlockCosts(
        title,
        tuple(
            RowCosts(row.config.label, row.run.costs)
            for row in rows
            if row.run is not None and not row.missing
        ),
    )


def compared_costs(names: RunNames, runs: Sequence[Run], category: str | None) -> BlockCosts:
    """Return the costs of runs on the questions that all runs answered.

    Args:
        names: The names of the runs.
        runs: The runs.
        category: Only the questions of this category; None for all.
    """
    rows = []
    answered = ({r.query_id for r in run.records if r.status == "ok"} for run in runs)
    common = set.intersection(*answered)
    for name, run in zip(names, runs, strict=True):
        records = [
            record
            for record in run.records
            if record.query_id in common and category in (None, record.gold.category)
        ]
        rows.append(RowCosts(name, run.costs_of(records)))
    return BlockCosts("", tuple(rows))


def heading(cost: Cost) -> str:
    """Return the heading of a column: what is measured, and its unit."""
    return cost.name if cost.unit == cost.name else f"{cost.name} ({cost.unit})"


def costs_csv(blocks: Sequence[BlockCosts]) -> str:
    """Return the costs as CSV, with a line for each cost of each row."""
    return csv_text(line for block in blocks for line in _lines(block))


def _lines(block: BlockCosts) -> Iterator[dict[str, object]]:
    for row in block.rows:
        for cost in row.run.costs:
            distribution = cost.found
            yield {
                "block": block.title,
                "method": row.label,
                "measure": cost.name,
                "unit": cost.unit,
                "each": cost.each,
                "p50": format(distribution.p50, DIGITS),
                "p95": format(distribution.p95, DIGITS),
                "p99": format(distribution.p99, DIGITS),
                "n": distribution.n,
                "total": format(distribution.total, DIGITS),
            }


DENSE_FALLBACK, RECOGNISED = "dense_fallback", "recognition_memory"
"""Steps of HippoRAG 2: ranking by embeddings alone, or by a walk from recognised facts."""


def leading_notes(block: BlockPlan, rows: Sequence[RowOutcome]) -> tuple[str, ...]:
    """Return those notes of a block that a terminal always shows."""
    done = [row for row in rows if not row.missing]
    return (
        *(f"{row.config.label}: not run: {row.missing}" for row in rows if row.missing),
        *_random_notes(done),
        *(note for row in done if row.run for note in failed_checks_note(row.name, row.run)),
        *(f"{row.name}: {note}" for row in done if row.run for note in reply_notes(row.run)),
        *added_notes(block, done),
    )


def block_notes(block: BlockPlan, rows: Sequence[RowOutcome]) -> tuple[str, ...]:
    """Return the notes of a block that a terminal may leave out."""
    done = [row for row in rows if not row.missing]
    return (
        *block.notes,
        *_sample_notes(done),
        *dict.fromkeys(note for row in done if row.run for note in data_notes(row.run)),
        *_unparsed_notes(done),
        *(note for row in done if row.run for note in ablation_notes(row.run)),
        *taken_notes(done),
    )


def taken_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield notes on the model usage, lost episodes and methods of each run."""
    yield from _usage_notes(rows)
    yield from _cap_notes(rows)
    yield from _lost_notes(rows)
    yield from _method_notes(rows)


def _sample_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each dataset of which only our own sample was used."""
    manifests = (row.manifest for row in rows)
    names = (name for manifest in manifests for name in manifest.data_names)
    yield from (f"Data: {name}." for name in own_samples(names))


def _unparsed_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on the number of questions that the symbolic planner could not parse."""
    for row in rows:
        if row.config.planner == "symbolic":
            given_up = sum(
                len(record.steps) == 1 and record.steps[0].tool == "output_answer"
                for record in row.records
            )
            total = len(row.records)
            share = 100 * given_up / max(total, 1)
            yield (
                f"{row.config.label}: {given_up} of {total} questions ({share:.1f}%) "
                f"could not be parsed."
            )


def _random_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each row whose embedder has random weights."""
    for row in rows:
        if row.has_random_weights:
            embedder = row.config.settings.embedder.name
            label = row.label or row.config.label
            yield f"{label}: embedder {embedder}, weights: random. This is not a result."


def _lost_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each row's failed episodes and other index counts, even if none failed.

    A row without a model gets a note only if there is something to report.
    """
    for row in rows:
        manifest = row.manifest
        lost = len(manifest.failed_episodes)
        counts = [
            f"{count:,} {name}"
            for name, count in manifest.counts.items()
            if not name.endswith(LEFT_OUT)
        ]
        counts += _fallbacks(row.records)
        if row.config.llm != "none" or lost or counts:
            source = " (manifest.json: failed_episodes)" if lost else ""
            also = f"; {', '.join(counts)}" if counts else ""
            yield f"{row.name} lost {lost:,} episodes at indexing{source}{also}."


def _fallbacks(records: Sequence[Record]) -> list[str]:
    """Describe how many questions HippoRAG 2 ranked only by embeddings; empty for other methods."""
    tools = [{step.tool for step in record.steps} for record in records]
    fallbacks = sum(DENSE_FALLBACK in tool for tool in tools)
    walked = any({DENSE_FALLBACK, RECOGNISED} & tool for tool in tools)
    return [f"dense fallback on {fallbacks:,} of {len(records):,} questions"] if walked else []


def _method_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield the note in `conf/method` on the method of each row."""
    for row in rows:
        if note := row.config.settings.method.note:
            yield f"{row.label or row.config.label}: {note}."


def _usage_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield the model usage of each row by stage, including rejected attempts."""
    for row in rows:
        stages = () if row.run is None else row.run.stages
        usages = "; ".join(map(_format_usage, stages))
        if usages:
            yield f"{row.name} took: {usages}."


def _format_usage(stage: StageUsage) -> str:
    usage = stage.usage
    tokens_in, tokens_out = usage.shown_tokens
    return (
        f"{stage.stage} {usage.calls:,} calls, {tokens_in} tokens in, {tokens_out} out"
        + (f", {usage.cut_replies:,} cut replies" if usage.cut_replies else "")
        + (f", ${stage.dollars:,.2f}" if stage.dollars is not None else "")
    )


def _cap_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each model whose output limit is unknown, so that remem set the limit."""
    caps = {row.config.llm: output_cap(row.config) for row in rows}
    for llm, cap in caps.items():
        if cap is not None and cap.source == UNKNOWN:
            yield (
                f"{llm}: replies end at {cap.tokens:,} tokens "
                f"(llm.build.endpoint.max_output_tokens), as the model's own limit is unknown here."
            )


def pair_notes(
    block: BlockPlan, above: Sequence[RowOutcome], rows: Sequence[RowOutcome]
) -> tuple[str, ...]:
    """Return notes that compare each row with its pair in the block above, if `pairs` is set.

    Args:
        block: The plan of the block.
        above: The rows of the previous block.
        rows: The rows of the block, in the same order.

    Raises:
        ValueError: The two blocks have different numbers of rows.
    """
    return (*_differences(block, above, rows), *_reply_notes(rows)) if block.pairs else ()


def added_notes(block: BlockPlan, rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield comparisons of each added row with every other row, for the first column."""
    column = block.columns[0]
    if column.score in REFUSAL_SCORES:
        return
    for row in rows:
        for other in rows if row.plan.added else ():
            if other is not row:
                comparison = _compared(column, row, other)
                label = f"{row.config.label} against {other.config.label}"
                yield f"{label}: {column.heading} {_format_pair(comparison)}."


def format_difference(
    gap: Interval, better: int, worse: int, *, scale: int = 100, p_value: float | None = None
) -> str:
    """Return a difference as text, with its interval and the numbers of better and worse questions.

    The p value is included if it is given.
    """
    corrected = "" if p_value is None else f" p = {p_value:.3f},"
    return (
        f"{scale * gap.mean:+.1f} {bracketed(gap, '+.1f', scale)},{corrected} better on {better}, "
        f"worse on {worse} of {gap.n} questions"
    )


def _differences(
    block: BlockPlan, above: Sequence[RowOutcome], rows: Sequence[RowOutcome]
) -> Iterator[str]:
    column = block.columns[0]
    pairs = [
        pair
        for pair in zip(rows, above, strict=True)
        if not any(row.missing or row.is_plumbing for row in pair)
    ]
    if column.score in REFUSAL_SCORES or not pairs:
        return
    comparisons = [_compared(column, *pair) for pair in pairs]
    corrected = holm([comparison.p_value for comparison in comparisons])
    yield (
        f"{column.heading} against the same row of the block above (paired bootstrap, p after "
        f"Holm's correction over these {len(pairs)}):"
    )
    for (ours, _), comparison, p_value in zip(pairs, comparisons, corrected, strict=True):
        yield f"{ours.config.label}: {column.heading} {_format_pair(comparison, p_value)}."


def _format_pair(comparison: Comparison, p_value: float | None = None) -> str:
    better, worse = comparison.first_better, comparison.second_better
    gap, scale = comparison.difference, comparison.scale
    return format_difference(gap, better, worse, scale=scale, p_value=p_value)


def _compared(column: ScoreColumn, ours: RowOutcome, other: RowOutcome) -> Comparison:
    assert ours.run is not None and other.run is not None  # rows without a run are left out
    return compare_runs(ours.run, other.run, column.score, column.category)


def _reply_notes(rows: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield notes on the number of unreadable replies, and on models served on this machine."""
    model_rows = [row for row in rows if not row.missing and row.config.llm != "none"]
    records = [record for row in model_rows for record in row.records]
    usages = [record.recall_usage + record.read_usage for record in records]
    taken = sum(usages, Usage())
    errors = sum(record.status == "error" for record in records)
    unasked = sum(not usage.calls for usage in usages)
    yield (
        f"Format errors: {taken.rejected_replies:,} in {taken.calls:,} calls (replies that could "
        f"not be read, whether they were asked again or not); {errors:,} of {len(records):,} "
        f"questions ended in an error. {unasked:,} needed no call, because nothing was found "
        f"or rules answered."
    )
    served = sum((row.manifest.served for row in model_rows), Served())
    if served.seconds:
        tokens = served.prompt_tokens + served.completion_tokens
        yield (
            f"Served on the machine of the run: {served.calls:,} calls, {served.prompt_tokens:,} "
            f"tokens in, {served.completion_tokens:,} out, in {served.seconds:,.0f} s of waiting "
            f"for replies ({tokens / served.seconds:,.0f} tokens a second of each server); peak "
            f"memory {served.model_mib:,} MiB (all servers) and {served.run_mib:,} MiB (run)."
        )
