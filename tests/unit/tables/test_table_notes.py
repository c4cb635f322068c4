"""What notes say of rows: what each took and lost, nothing included, under its own name."""

import json
from pathlib import Path

from remem.config.run_config import compose_config, run_config
from remem.results.run import Run
from remem.run.run_result import RunResult
from remem.run.store import MANIFEST
from remem.tables.rows import RowOutcome
from remem.tables.table_notes import taken_notes
from remem.tables.table_plan import RowPlan
from remem.types import Gold, Record, StepRecord, Usage


def notes(folder: Path, *overrides: str, tools: tuple[str, ...] = (), label: str = "") -> list[str]:
    """Write a manifest and records of as many questions as there are tools; return the notes."""
    counts = {"h1": {"facts": 2, "rejected": 0}, "h2": {"facts": 1, "rejected": 0}}
    (folder / MANIFEST).write_text(json.dumps({"index_counts": counts}))
    records = tuple(
        Record(
            f"q{at}", "h1", at, "?", Gold(("a",), "1"), "ok", "a",
            read_usage=Usage(1, 10, 2),
            steps=(StepRecord(tool, {}, "", "", (), None, False),),
        )
        for at, tool in enumerate(tools)
    )  # fmt: skip
    config = run_config(compose_config(["llm=loopback-stub", *overrides]))
    run = RowOutcome(
        RowPlan(overrides), config, Run.of(config, RunResult(folder, records)), label=label
    )
    return list(taken_notes([run]))


def test_a_row_without_a_loss_says_so_and_counts_that_are_0_stay(tmp_path: Path) -> None:
    (lost,) = notes(tmp_path, "method=hipporag2", label="The row")
    assert lost == "The row (embedder hashing) lost 0 at indexing; 3 facts, 0 rejected."


def test_dense_fallbacks_are_counted_over_the_questions_of_the_row(tmp_path: Path) -> None:
    tools = ("dense_fallback", "recognition_memory", "recognition_memory")
    took, lost = notes(tmp_path, "method=hipporag2", tools=tools)
    assert took == "HippoRAG 2 (embedder hashing) took: read 3 calls, 30 tokens in, 6 out."
    assert lost.endswith("dense fallback on 1 of 3 questions.")


def test_cut_replies_and_a_cap_that_is_a_guess_of_ours_are_told(tmp_path: Path) -> None:
    cut = {"index_usage": {"h1": {"calls": 3, "cut_replies": 1}, "h2": {"calls": 1}}}
    (tmp_path / MANIFEST).write_text(json.dumps(cut))
    for llm, told in (("openai_compatible", True), ("gpt-4.1-mini-2025-04-14", False)):
        config = run_config(compose_config([f"llm={llm}"]))
        run = RowOutcome(
            RowPlan(()), config, Run.of(config, RunResult(tmp_path, ())), label="The row"
        )
        took, *others = taken_notes([run, run])
        assert "index 4 calls, 0 tokens in, 0 out, 1 cut replies" in took
        caps = [note for note in others if "replies end at 4,096 tokens" in note]
        assert len(caps) == told


def test_the_least_similarity_of_graphiti_is_told(tmp_path: Path) -> None:
    changed = "method.build.min_similarity=0.3"
    assert "an edge less than 0.3 alike" in notes(tmp_path, "method=graphiti", changed)[-1]
