"""The table of a sweep: one row for each job, with its difference from the first job."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from remem.config.run_config import RunConfig, configure
from remem.metrics.intervals import Percentiles
from remem.results.costs import Cost, RunCosts
from remem.results.run import Run
from remem.run.run_result import RunResult
from remem.run.sweep_jobs import Job
from remem.tables.sweep_table import (
    EQUAL,
    SAME_RUN,
    JobOutcome,
    SweepRow,
    job_scores,
    table_of,
)
from remem.types import Gold, Record, Retrieved

TOOK = RunCosts((Cost("recall", "ms", "question", Percentiles(1.0, 2.0, 3.0, 40, 44.0)),))
HALF = [True, False] * 20
ALL = [True] * 40


@cache
def config(*overrides: str) -> RunConfig:
    unit = ("convention.score.bootstrap_unit=questions", "convention.score.resamples=999")
    return configure("dataset=generated_dialogues", "method=remem_s", *unit, *overrides)


def records(
    right: Sequence[bool | None], evidence: str = "m1", what: str = "What?"
) -> list[Record]:
    """Return a record for each question; None stands for an error."""
    return [
        Record(
            *(f"q{at:02}", "h", at, f"{what} {at}", Gold(("a boat",), "1", evidence=("m1",))),
            "error" if good is None else "ok",
            answer={True: "a boat", False: "a car", None: ""}[good],
            retrieved=(Retrieved(f"g-{evidence}", (evidence,)),),
        )
        for at, good in enumerate(right)
    ]


def run(number: int, found: list[Record] | None, choice: str = "", **changes: object) -> JobOutcome:
    overrides = (f"method.build.top_k={number}", *([choice] if choice else []))
    job = Job(number, overrides, "done", method="REMem-S", dataset="generated_dialogues")
    job = replace(job, **changes)  # type: ignore[arg-type]  # the fields of a job
    if found is None:
        return JobOutcome(job)
    result = RunResult(Path(f"runs/{number}"), tuple(found))
    return JobOutcome(job, replace(job_scores(Run.of(config(), result), len(ALL)), costs=TOOK))


def rows(*runs: JobOutcome) -> tuple[SweepRow, ...]:
    (block,) = table_of(runs).blocks
    assert block.headings[2] == "EM"
    return block.rows


EM = 2


def test_each_row_has_its_mean_and_its_difference_to_the_first_job() -> None:
    nearly = [not HALF[0], *HALF[1:]]  # one answer of 40 differs, which may be chance
    first, better, other = rows(
        run(3, records(HALF)), run(5, records(ALL)), run(7, records(nearly))
    )
    assert other.texts(EM)[:2] == ("47.5", "-2.5")
    assert (first.label, first.texts(EM)) == ("top_k=3", ("50.0", "", ""))
    mean, gap, interval = better.texts(EM)
    # 20 of 40 questions are right in the second job only.
    assert (better.label, mean, gap) == ("top_k=5", "100.0", "+50.0*")
    low, high = interval.strip("[]").split(", ")
    assert float(low) < 50 < float(high)


def test_the_correction_counts_all_jobs() -> None:
    table = table_of([run(at, records(ALL if at else HALF)) for at in range(4)])
    (block,) = table.blocks
    assert "(F1: 3, BLEU-1: 3, EM: 3, recall@10: 3;" in block.notes[0]
    assert block.notes[0].startswith("* differs from top_k=0: paired bootstrap over questions")


def test_a_job_whose_records_are_equal_says_so_and_one_with_other_evidence_does_not() -> None:
    first, equal, other = rows(
        run(3, records(HALF)), run(5, records(HALF)), run(10, records(HALF, evidence="m2"))
    )
    assert [row.remark for row in (first, equal, other)] == ["", EQUAL, ""]
    assert equal.texts(EM) == ("50.0", "=", "")
    assert other.texts(EM) == ("50.0", "+0.0", "[+0.0, +0.0]")
    once = run(3, records(HALF))
    assert once.scores is not None
    again = replace(once, job=replace(once.job, number=5), scores=replace(once.scores))
    assert rows(once, again)[1].remark == SAME_RUN


def test_a_difference_over_a_part_of_the_questions_says_its_number() -> None:
    part = [*ALL[:30], *[None] * 10]
    _, failing = rows(
        run(3, records(HALF)), run(5, records(part), state="failed", error="10 failed")
    )
    assert (failing.count, failing.remark) == ("30/40", "10 of 40 questions failed")
    mean, gap, interval = failing.texts(EM)
    assert (mean, gap) == ("100.0", "+50.0*")  # on the 30 questions that both answered
    assert interval.endswith("] n=30")


def test_a_partial_job_is_never_equal_to_the_first() -> None:
    same_part = [*HALF[:30], *[None] * 10]
    _, failing = rows(run(3, records(HALF)), run(5, records(same_part)))
    assert failing.remark == "10 of 40 questions failed"
    assert failing.texts(EM)[1:] == ("+0.0", "[+0.0, +0.0] n=30")
    _, alike = rows(run(3, records(same_part)), run(5, records(same_part)))
    assert alike.remark == "10 of 40 questions failed"
    assert alike.texts(EM)[1:] == ("+0.0", "[+0.0, +0.0]")


def test_a_job_without_all_records_says_why() -> None:
    _, killed = rows(run(3, records(HALF)), run(5, records(ALL[:7]), state="begun"))
    assert killed.remark == "started but did not finish, 7 of 40 questions answered"
    assert killed.texts(EM)[2].endswith(" n=7")
    error = "top_k must be at least 1,\nfound 0"
    _, failed, killed, damaged = rows(
        run(3, records(HALF)),
        run(4, None, state="failed", error=error),
        run(5, None, state="begun"),
        replace(run(6, None), missing="records.jsonl:3: not a record"),
    )
    assert failed.remark == "failed: top_k must be at least 1, found 0"
    assert killed.remark == "started but did not finish"
    assert damaged.remark == "records.jsonl:3: not a record"
    assert failed.texts(EM) == ("-", "", "")


def test_no_job_takes_the_place_of_a_first_job_that_failed() -> None:
    for first in (None, records([None] * 40)):
        table = table_of([run(3, first), run(4, records(HALF)), run(5, records(ALL))])
        (block,) = table.blocks
        assert [row.texts(EM)[1] for row in block.rows] == ["", "", ""]
        assert (
            "No differences are shown, because the first job (top_k=3) has no scores."
            in block.notes
        )


def test_jobs_on_other_questions_have_a_block_of_their_own() -> None:
    table = table_of(
        [
            run(1, records(HALF), "dataset=a"),
            run(2, records(HALF, what="Who?"), "dataset=b"),
            run(3, records(ALL), "dataset=a"),
            run(4, None, "dataset=b", state="failed", error="no"),
        ]
    )
    blocks = [(block.title, [row.job.number for row in block.rows]) for block in table.blocks]
    assert blocks == [("a", [1, 3]), ("b", [2, 4])]
    assert table.blocks[0].rows[1].texts(EM)[1] == "+50.0*"
    assert table.blocks[0].rows[1].label == "top_k=3"


def test_a_sweep_without_any_scores_has_rows_all_the_same() -> None:
    table = table_of([run(at, None, state="failed", error="no") for at in (1, 2)])
    (block,) = table.blocks
    assert (block.headings, [row.label for row in block.rows]) == ((), ["top_k=1", "top_k=2"])


def test_refusals_are_a_column_where_a_question_has_no_answer() -> None:
    unanswerable = [
        replace(
            record,
            gold=replace(record.gold, answers=("no information available",), answerable=False),
        )
        for record in records(HALF)
    ]
    (block,) = table_of([run(3, unanswerable), run(5, records(HALF))]).blocks[:1]
    assert block.headings == ("F1", "BLEU-1", "EM", "recall@10", "refusal F1")
    (plain,) = table_of([run(3, records(HALF))]).blocks
    assert plain.headings == ("F1", "BLEU-1", "EM", "recall@10")


def winner(*runs: JobOutcome) -> str:
    (block,) = table_of(runs).blocks
    return block.winner


def test_a_winner_is_named_where_it_differs_from_every_other_job() -> None:
    half, other_half = records(HALF), records([not right for right in HALF])
    assert winner(run(3, half), run(5, records(ALL))) == (
        "top_k=5 scores highest in F1: 100.0 [100.0, 100.0]. It differs from top_k=3 by more than "
        "chance (p = 0.002)."
    )
    assert "It differs from each of the 2 others by more than chance (p " in winner(
        run(3, half), run(5, records(ALL)), run(10, other_half)
    )


def test_no_winner_is_named_where_the_best_job_may_be_best_by_chance() -> None:
    nearly = records([*ALL[:39], False])
    assert winner(run(3, records(HALF)), run(5, nearly), run(10, records(ALL))) == (
        "No certain winner in F1: top_k=10 scores highest (100.0 [100.0, 100.0]), but its "
        "difference from top_k=5 can be chance."
    )
    equal = [run(at, records(ALL)) for at in range(3)]
    assert "but its differences from all 2 others can be chance." in winner(*equal)


def test_jobs_with_other_questions_or_without_scores_win_nothing() -> None:
    part = run(5, records([*ALL[:7], *[None] * 33]))
    assert winner(run(3, records(HALF)), part) == winner(run(3, records(HALF)), run(5, None)) == ""
    three = winner(run(3, None), run(4, records(HALF)), part, run(6, records(ALL)))
    assert three.startswith("top_k=6 scores highest in F1: 100.0")
    assert three.endswith(" Jobs that did not answer the same questions are left out.")
