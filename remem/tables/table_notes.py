"""Write the notes below a block of a table: on its data and its rows."""

from collections.abc import Iterator, Sequence

from remem.benchmarks.stratified import own_samples
from remem.results.run_notes import ablation_notes, failed_checks_note
from remem.run.manifest import UNKNOWN, output_cap
from remem.tables.rows import RowOutcome
from remem.tables.table_pairs import added_notes
from remem.tables.table_plan import BlockPlan
from remem.types import LEFT_OUT, Record

DENSE_FALLBACK, RECOGNISED = "dense_fallback", "recognition_memory"
"""Steps of HippoRAG 2: ranking by embeddings alone, or by a walk from recognised facts."""


def block_notes(block: BlockPlan, runs: Sequence[RowOutcome]) -> tuple[str, ...]:
    """Return all notes of a block."""
    done = [run for run in runs if not run.missing]
    return (
        *block.notes,
        *(f"{run.config.label}: not run: {run.missing}" for run in runs if run.missing),
        *_sample_notes(done),
        *_unparsed_notes(done),
        *(note for row in done if row.run for note in ablation_notes(row.run)),
        *(note for row in done if row.run for note in failed_checks_note(row.name, row.run)),
        *taken_notes(done),
        *added_notes(block, done),
    )


def taken_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield notes on the model usage, lost episodes and methods of each run."""
    yield from _random_notes(runs)
    yield from _usage_notes(runs)
    yield from _cap_notes(runs)
    yield from _lost_notes(runs)
    yield from _method_notes(runs)


def _sample_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each dataset of which only a sample of ours was used."""
    manifests = (run.manifest for run in runs)
    names = (name for manifest in manifests for name in manifest.data_names)
    yield from (f"Data: {name}." for name in own_samples(names))


def _unparsed_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on the number of questions that the symbolic planner could not parse."""
    for run in runs:
        if run.config.planner == "symbolic":
            given_up = sum(
                len(record.steps) == 1 and record.steps[0].tool == "output_answer"
                for record in run.records
            )
            total = len(run.records)
            share = 100 * given_up / max(total, 1)
            yield (
                f"{run.config.label}: {given_up} of {total} questions ({share:.1f}%) "
                f"could not be parsed."
            )


def _random_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each row whose embedder has random weights."""
    for run in runs:
        if run.has_random_weights:
            embedder = run.config.settings.embedder.name
            label = run.label or run.config.label
            yield f"{label}: embedder {embedder}, weights: random. It is no result."


def _lost_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each row's failed episodes, even if there are none, and its other counts.

    Rows without a model only get a note if there is something to report.
    """
    for run in runs:
        manifest = run.manifest
        lost, counted = len(manifest.failed_episodes), manifest.counts
        told = [
            f"{count:,} {name}" for name, count in counted.items() if not name.endswith(LEFT_OUT)
        ]
        told += _fallbacks(run.records)
        if run.config.llm != "none" or lost or told:
            where = " (manifest.json: failed_episodes)" if lost else ""
            also = f"; {', '.join(told)}" if told else ""
            yield f"{run.name} lost {lost:,} at indexing{where}{also}."


def _fallbacks(records: Sequence[Record]) -> list[str]:
    """Describe how many questions HippoRAG 2 ranked by embeddings alone; "" for other methods."""
    tools = [{step.tool for step in record.steps} for record in records]
    fallbacks = sum(DENSE_FALLBACK in tool for tool in tools)
    walked = any({DENSE_FALLBACK, RECOGNISED} & tool for tool in tools)
    return [f"dense fallback on {fallbacks:,} of {len(records):,} questions"] if walked else []


def _method_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield the notes of `conf/method` on the methods."""
    for run in runs:
        if note := run.config.settings.method.note:
            yield f"{run.label or run.config.label}: {note}."


def _usage_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield the model usage of each row by stage, including rejected attempts."""
    for run in runs:
        stages = () if run.run is None else run.run.stages
        told = "; ".join(
            f"{stage.stage} {stage.usage.calls:,} calls, {stage.usage.prompt_tokens:,} tokens in, "
            f"{stage.usage.completion_tokens:,} out"
            + (f", {stage.usage.cut_replies:,} cut replies" if stage.usage.cut_replies else "")
            + (f", ${stage.dollars:,.2f}" if stage.dollars is not None else "")
            for stage in stages
        )
        if told:
            yield f"{run.name} took: {told}."


def _cap_notes(runs: Sequence[RowOutcome]) -> Iterator[str]:
    """Yield a note on each model whose output limit is unknown, so that remem set the limit."""
    caps = {run.config.llm: output_cap(run.config) for run in runs}
    for llm, cap in caps.items():
        if cap is not None and cap.source == UNKNOWN:
            yield (
                f"{llm}: replies end at {cap.tokens:,} tokens "
                f"(llm.build.endpoint.max_output_tokens), as the model's own limit is unknown here."
            )
