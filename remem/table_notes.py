"""What is said below a block of a table: on its data, its rows, and added rows against others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.benchmarks.stratified import own_samples
from remem.compare import SCORES, Comparison, Verdicts, compare
from remem.config import RunConfig
from remem.experiment import RunResult
from remem.instantiation import nodes
from remem.judging import read_verdicts
from remem.report.table import PERCENT_SCORES, Column
from remem.run_usage import usage_by_stage
from remem.store import read_manifest
from remem.table_plan import BlockPlan, RowPlan


@dataclass(frozen=True, slots=True)
class RowRun:
    """A row of a plan and its run; `lacking` says what it could not run without, if anything."""

    plan: RowPlan
    config: RunConfig
    result: RunResult
    lacking: str = ""

    @property
    def verdicts(self) -> Verdicts:
        """Return what the configured judge made of its answers."""
        if self.lacking:
            return None
        return read_verdicts(self.config, self.result.folder, self.result.records)


def block_notes(block: BlockPlan, runs: Sequence[RowRun]) -> tuple[str, ...]:
    """Return all notes of a block."""
    done = [run for run in runs if not run.lacking]
    return (
        *block.notes,
        *(f"{run.config.label}: not run: {run.lacking}" for run in runs if run.lacking),
        *_sample_notes(done),
        *_unparsed_notes(done),
        *taken_notes(done),
        *_paired_notes(block, done),
    )


def taken_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say what each run lost and counted at indexing, and what it took of its models."""
    yield from _random_notes(runs)
    yield from _failed_notes(runs)
    yield from _counted_notes(runs)
    yield from _usage_notes(runs)


def _sample_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say of which part of the data the questions are, where that was our own choice."""
    manifests = (read_manifest(run.result.folder) for run in runs)
    names = (file["name"] for manifest in manifests for file in manifest.get("data", []))
    yield from (f"Data: {name}." for name in own_samples(names))


def _unparsed_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say how many questions the symbolic planner gave up without a search."""
    for run in runs:
        if run.config.planner == "symbolic":
            given_up = sum(
                len(record.steps) == 1 and record.steps[0].tool == "output_answer"
                for record in run.result.records
            )
            share = 100 * given_up / max(run.result.total, 1)
            yield (
                f"{run.config.label}: {given_up} of {run.result.total} questions ({share:.1f}%) "
                f"could not be parsed."
            )


def _random_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say which rows searched with a model of random weights."""
    for run in runs:
        if _has_random_weights(run.config):
            embedder = run.config.resolved["embedder"]["name"]
            yield f"{run.config.label}: embedder {embedder}, weights: random. It is no result."


def _has_random_weights(config: RunConfig) -> bool:
    embedder, method = config.resolved["embedder"], config.resolved["method"]["build"]
    return embedder.get("weights") == "random" and embedder["build"] in list(nodes(method))


def _failed_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say how many episodes, or replies on them, gave nothing to the index."""
    for run in runs:
        failed = len(read_manifest(run.result.folder).get("failed_episodes", []))
        if failed:
            yield (
                f"{run.config.label}: {failed} losses at indexing (manifest.json: failed_episodes)."
            )


def _usage_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say what each row took of its models, rejected attempts included."""
    for run in runs:
        stages = usage_by_stage(run.config, run.result.folder, run.result.records)
        told = "; ".join(
            f"{one.stage} {one.usage.calls:,} calls, {one.usage.prompt_tokens:,} tokens in, "
            f"{one.usage.completion_tokens:,} out"
            + (f", ${one.dollars:,.2f}" if one.dollars is not None else "")
            for one in stages
        )
        if told:
            yield f"{run.config.label} took: {told}."


def _counted_notes(runs: Sequence[RowRun]) -> Iterator[str]:
    """Say what memories count of their own index, summed over the histories."""
    for run in runs:
        counts = read_manifest(run.result.folder).get("index_counts", {}).values()
        total = sum((Counter(one) for one in counts), Counter[str]())
        if total:
            told = ", ".join(f"{count} {name}" for name, count in total.items())
            yield f"{run.config.label}: index: {told}."


def _paired_notes(block: BlockPlan, runs: Sequence[RowRun]) -> Iterator[str]:
    """Compare each added row with every other, question by question, in the first column."""
    column = block.columns[0]
    if column.score not in SCORES:
        return
    for one in runs:
        for other in runs if one.plan.added else ():
            if other is not one:
                found = compare(
                    one.result.records,
                    other.result.records,
                    score=column.score,
                    category=column.category,
                    convention=one.config.score_convention(),
                    verdicts=(one.verdicts, other.verdicts),
                )
                yield _paired_note(column, one.config, other.config, found)


def _paired_note(column: Column, config: RunConfig, other: RunConfig, found: Comparison) -> str:
    scale = 100 if column.score in PERCENT_SCORES else 1
    gap = found.difference
    return (
        f"{config.label} against {other.label}: {column.heading} {scale * gap.mean:+.1f} "
        f"[{scale * gap.low:+.1f}, {scale * gap.high:+.1f}], better on {found.first_better}, "
        f"worse on {found.second_better} of {gap.n} questions."
    )
