"""The notes on rows: the cost and the losses of each, and how it compares with the row above."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError
from remem.llm.endpoint import Served
from remem.metrics.columns import ScoreColumn
from remem.results.run import Run
from remem.run.run_result import RunResult
from remem.run.store import MANIFEST
from remem.tables.notes import pair_notes, taken_notes
from remem.tables.rows import RowOutcome
from remem.tables.table_plan import BlockPlan, RowPlan, read_plan
from remem.types import Gold, Record, StepRecord, Usage


def notes(folder: Path, *overrides: str, tools: tuple[str, ...] = (), label: str = "") -> list[str]:
    """Write a manifest and a record for each of the tools; return the notes."""
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


def test_a_row_says_what_it_took_and_lost_and_counts_that_are_0_stay(tmp_path: Path) -> None:
    (lost,) = notes(tmp_path, "method=hipporag2", label="The row")
    assert lost == "The row (embedder hashing) lost 0 episodes at indexing; 3 facts, 0 rejected."
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


BLOCK = BlockPlan("Read by a model", (), (ScoreColumn("F1", "f1"),), (RowPlan(()),), (), pairs=True)


def run(
    folder: Path,
    answers: str,
    *overrides: str,
    served: Served | None = None,
    calls: int = 0,
    rejected: int = 0,
) -> RowOutcome:
    """Return a run that answered each question rightly ("r"), wrongly ("w") or not at all ("-").

    For each question it made `calls` calls, and `rejected` of the replies could not be read.
    """
    folder.mkdir()
    content = {} if served is None else {"served": asdict(served)}
    (folder / MANIFEST).write_text(json.dumps(content))
    usage = Usage(calls, 10 * calls, calls, rejected_replies=rejected)
    records = tuple(
        Record(
            f"q{at}", "h1", at, "?", Gold(("red",), "1"), "error" if said == "-" else "ok",
            "red" if said == "r" else "blue", read_usage=usage,
        )
        for at, said in enumerate(answers)
    )  # fmt: skip
    chosen = ["convention.score.bootstrap_unit=questions", "method=bm25_messages", *overrides]
    config = run_config(compose_config(chosen))
    return RowOutcome(RowPlan(overrides), config, Run.of(config, RunResult(folder, records)))


@pytest.mark.app("small_model")
def test_a_row_is_compared_with_its_pair_question_by_question(tmp_path: Path) -> None:
    above = run(tmp_path / "rules", "rwwwwwww")
    ours = run(tmp_path / "model", "wrrrrwww", "llm=smollm2", calls=1)
    family, difference, errors = pair_notes(BLOCK, [above], [ours])
    assert family.startswith("F1 against the same row of the block above")
    # Better on 4, worse on 1, so by (4 - 1) / 8.
    assert difference.startswith("BM25: F1 +37.5 [")
    assert difference.endswith("better on 4, worse on 1 of 8 questions.")
    assert errors.startswith("Format errors: 0 in 8 calls ")
    assert pair_notes(replace(BLOCK, pairs=False), [above], [ours]) == ()


@pytest.mark.app("small_model")
def test_p_is_corrected_for_the_number_of_pairs(tmp_path: Path) -> None:
    above = [run(tmp_path / name, "w" * 20) for name in ("a", "b")]
    ours = [
        run(tmp_path / name, answers, "llm=smollm2", "convention.score.resamples=99")
        for name, answers in (("c", "rw" * 10), ("d", "w" * 20))
    ]
    _, better, same, *_ = pair_notes(BLOCK, above, ours)
    # Half of 20 differ by 1, far beyond 0 in all 99 draws: p is 2 / 100, doubled for two pairs.
    assert "], p = 0.040, better on 10, worse on 0 of 20" in better
    assert "], p = 1.000, better on 0, worse on 0 of 20" in same


@pytest.mark.app("small_model")
def test_replies_that_were_asked_again_errors_and_questions_without_a_call_are_counted(
    tmp_path: Path,
) -> None:
    above = run(tmp_path / "rules", "rw")
    # Of the three calls of each question two had to be asked again, or were given up.
    asked = run(tmp_path / "asked", "r-", "llm=smollm2", calls=3, rejected=2)
    unasked = run(tmp_path / "unasked", "ww", "llm=smollm2")
    *_, errors = pair_notes(BLOCK, [above, above], [asked, unasked])
    for part in ("4 in 6 calls", "1 of 4 questions ended in an error", "2 needed no call"):
        assert part in errors


@pytest.mark.app("small_model")
def test_tokens_a_second_and_peaks_are_those_of_what_was_served(tmp_path: Path) -> None:
    above = run(tmp_path / "rules", "r")
    rows = [
        run(tmp_path / "one", "r", "llm=smollm2", served=Served(2, 900, 100, 8.0, 300, 120)),
        run(tmp_path / "two", "r", "llm=smollm2", served=Served(1, 450, 50, 4.0, 350, 110)),
    ]
    *_, served = pair_notes(BLOCK, [above, above], rows)
    assert "3 calls, 1,350 tokens in, 150 out, in 12 s" in served
    assert "125 tokens a second" in served
    assert "350 MiB (all servers) and 120 MiB (run)" in served


@pytest.mark.app("small_model")
def test_a_row_that_did_not_run_costs_no_other_its_comparison(tmp_path: Path) -> None:
    above = [run(tmp_path / "a", "rw"), run(tmp_path / "b", "rw")]
    ours = [run(tmp_path / "c", "rw", "llm=smollm2"), run(tmp_path / "d", "rr", "llm=smollm2")]
    missing = RowOutcome(ours[0].plan, ours[0].config, missing="no package")
    family, difference, *_ = pair_notes(BLOCK, above, [missing, ours[1]])
    assert "over these 1)" in family and difference.startswith("BM25: F1 +50.0 [")


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        (
            "[{title: a, overrides: [], columns: [], rows: []}, {title: b, overrides: [], "
            "columns: [], rows: [{overrides: []}], pairs: true}]",
            "block 2: 'pairs' compares the rows of this block with those of the block above",
        ),
        ("[{title: a, overrides: [], columns: [], rows: [], pairs: 7}]", "expected true or false"),
    ],
)
def test_pairs_without_a_row_for_each_are_refused(blocks: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "mine.yaml").write_text(f"title: Mine\nblocks: {blocks}\n")
    with pytest.raises(UsageError, match=said):
        read_plan("mine", [tmp_path])


@pytest.mark.app("small_model")
@pytest.mark.parametrize("name", ["real-model", "real-model-locomo", "real-model-realtalk"])
def test_the_model_of_a_table_reads_the_questions_and_rows_of_the_block_above(name: str) -> None:
    blocks = read_plan(name).blocks
    assert blocks[1].pairs and blocks[1].rows == blocks[0].rows
    first, *others = [
        run_config(compose_config([*block.overrides, *block.rows[0].overrides])).resolved["dataset"]
        for block in blocks
    ]
    assert others == [first] * (len(blocks) - 1)
