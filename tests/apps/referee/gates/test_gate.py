"""A gate decides by the margin alone, and only if every frozen question was answered."""

from collections.abc import Sequence
from dataclasses import fields, replace

import pytest

from remem.apps.referee.gates.gate import Gated, gate
from remem.apps.referee.gates.gate_baseline import (
    SUMMED,
    Baseline,
    BaselineRun,
    FrozenQuestion,
    question_sum,
    records_sum,
)
from remem.apps.referee.gates.gate_text import OTHER_CODE, notes, told_baseline, told_gate
from remem.config.settings import our_scores
from remem.errors import UsageError, VerificationFailedError
from remem.files.shipped import scoring_sum
from remem.results.conventions import score_sets
from remem.types import Gold, Record

(CONVENTION,) = score_sets(
    ["paper,resamples=199"], scores=tuple(score for score in our_scores() if score.name == "em")
).values()


def records(right: Sequence[bool], *, categories: int = 1, histories: int = 0) -> list[Record]:
    """Return records whose answers are right or wrong."""
    return [
        Record(
            query_id=f"h/{at}",
            history_id="h",
            index=at,
            question=f"What {at}?",
            gold=Gold(
                ("red",),
                f"c{at % categories}",
                group=f"h{at % histories}" if histories else "",
            ),
            status="ok",
            answer="red" if is_right else "blue",
        )
        for at, is_right in enumerate(right)
    ]


def baseline(found: Sequence[Record], *, scores: Sequence[float | None] = ()) -> Baseline:
    values = scores or [float(record.answer == "red") for record in found]
    clusters = [record.gold.group or record.query_id for record in found]
    numbers = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    run = BaselineRun(
        label="BM25",
        dataset="made_up",
        fingerprint="0123456789ab",
        convention=CONVENTION.chosen,
        judge="",
        scores=("em",),
        data={"made up": "0" * 64},
        records=records_sum(found),
        questions=len(found),
    )
    questions = tuple(
        FrozenQuestion(
            record.query_id, question_sum(record), record.gold.category, numbers[cluster], (value,)
        )
        for record, cluster, value in zip(found, clusters, values, strict=True)
    )
    return Baseline(run, questions)


def decide(before: Sequence[Record], now: Sequence[Record], margin: float = 0.04) -> Gated:
    return gate(baseline(before), now, CONVENTION, margin=margin)


def answers(gained: int, lost: int, total: int = 1000) -> tuple[list[Record], list[Record]]:
    """Return a baseline and a run that gains and loses the given numbers of right answers."""
    before = [False] * gained + [True] * (total - gained)
    now = [True] * gained + [False] * lost + [True] * (total - gained - lost)
    return records(before), records(now)


def test_an_equal_run_passes_however_few_its_questions_are() -> None:
    same = records([True, False, True])
    found = decide(same, same)
    assert (found.has_passed, found.is_equal) == (True, True)
    assert told_gate(found)[0] == "Every record is equal to the baseline's."


def test_equal_scores_of_few_other_answers_do_not_pass() -> None:
    before = records([False] * 20)
    found = decide(before, [replace(record, answer="green") for record in before])
    assert not found.is_equal
    assert found.scores[0].verdict == "not shown"  # 1 - .05 ** (1 / 20) = 13.9 points
    assert found.scores[0].power is None


def test_noise_passes_and_says_its_counts_and_power() -> None:
    found = decide(*answers(gained=74, lost=76))
    (score,) = found.scores
    assert (score.better, score.worse, score.equal) == (74, 76, 850)
    assert score.verdict == "passed"
    assert score.bounds.mean == pytest.approx(-0.002)
    lines = told_gate(found)
    assert lines[0].startswith("EM: -0.2 points, at least -2.")
    assert lines[0].endswith("(one-sided 95%, 1000 questions); margin 4: passed")
    assert lines[1] == "  better on 74, worse on 76, equal on 850"
    assert lines[2].startswith("  power: an unchanged memory passes in 95% of cases; a drop of 3.0")


def test_a_drop_of_five_points_fails_as_worse() -> None:
    found = decide(*answers(gained=50, lost=100))
    assert found.scores[0].verdict == "worse"
    assert not found.has_passed
    assert "failed, worse than the baseline" in told_gate(found)[0]


def test_a_small_drop_of_few_questions_is_neither_passed_nor_worse() -> None:
    found = decide(*answers(gained=7, lost=8, total=100))
    assert found.scores[0].verdict == "not shown"
    assert "a drop as large as the margin cannot be ruled out" in told_gate(found)[0]


def test_the_margin_decides() -> None:
    before, now = answers(gained=50, lost=80)  # -3 points, at least -4.9
    assert not decide(before, now, margin=0.04).has_passed
    assert decide(before, now, margin=0.06).has_passed
    for margin in (0.0, 1.0, -0.04):
        with pytest.raises(UsageError, match="the margin is"):
            decide(before, now, margin=margin)


def test_a_score_of_which_less_is_better_is_turned() -> None:
    score = replace(CONVENTION.scores[0], better="lower")
    before, now = answers(gained=50, lost=100)
    found = gate(baseline(before), now, replace(CONVENTION, scores=(score,)), margin=0.04)
    assert found.scores[0].bounds.mean == pytest.approx(0.05)
    assert (found.scores[0].better, found.scores[0].worse) == (100, 50)


def test_a_category_that_collapses_fails_a_gate_that_passes_as_a_whole() -> None:
    before = records([True] * 2000, categories=100)
    now = [
        replace(record, answer="blue") if record.gold.category == "c7" else record
        for record in before
    ]
    (score,) = decide(before, now).scores
    assert score.verdict == "passed"  # 20 of 2,000 questions
    assert [part.category for part in score.categories if not part.has_passed] == ["c7"]
    assert not score.has_passed
    assert any("category c7: -100.0 points" in line for line in told_gate(decide(before, now)))


def test_whole_histories_are_resampled_and_a_few_of_them_find_less() -> None:
    right = [at % 3 > 0 for at in range(200)]
    before = records(right, histories=10)
    now = records([at % 10 > 1 and at % 3 > 0 for at in range(200)], histories=10)
    by_history = decide(before, now).scores[0].bounds
    assert (by_history.units, by_history.clusters) == (10, 10)
    by_question = gate(
        baseline(before), now, replace(CONVENTION, bootstrap_unit="questions"), margin=0.04
    )
    assert by_question.scores[0].bounds.low > by_history.low
    assert "only 10 clusters" in notes(decide(before, now))[0]
    single = decide(records(right, histories=1), records([*right[1:], True], histories=1))
    assert "All questions are of one cluster" in notes(single)[0]


def test_a_missing_question_is_refused_by_name() -> None:
    before = records([True] * 5)
    with pytest.raises(VerificationFailedError, match=r"lacks 2 of the 5 .* .first: 'h/1'"):
        decide(before, [before[0], before[2], before[4]])


@pytest.mark.parametrize(
    "change",
    [
        {"question": "What else?"},
        {"history_id": "other"},
        {"gold": Gold(("blue",), "c0")},
    ],
)
def test_a_changed_question_is_refused_by_name(change: dict) -> None:
    before = records([True] * 3)
    now = [before[0], replace(before[1], **change), before[2]]
    with pytest.raises(VerificationFailedError, match=r"1 of 3 questions .first: 'h/1'"):
        decide(before, now)


def test_the_checksum_covers_every_field_of_a_gold() -> None:
    assert set(SUMMED) == {field.name for field in fields(Gold)}


def test_further_questions_and_other_data_are_said_and_do_not_count() -> None:
    before = records([True] * 3)
    failed = replace(before[2], status="error", answer="", error="timeout")
    found = gate(
        baseline(before[:2]),
        [*before[:2], failed],
        CONVENTION,
        margin=0.04,
        data={"made up": "1" * 64},
    )
    assert found.has_passed
    assert found.not_in_baseline == 1
    assert notes(found) == (
        "1 questions of the run are not in the baseline: not counted.",
        "The baseline was made from different data files: made up.",
    )


def test_a_question_without_the_score_in_the_baseline_does_not_count() -> None:
    before = records([True] * 3)
    now = [replace(record, answer="Red") for record in before]
    found = gate(baseline(before, scores=[1.0, None, 0.0]), now, CONVENTION, margin=0.5)
    assert found.scores[0].bounds.n == 2
    with pytest.raises(UsageError, match="no question of the baseline has a value for em"):
        gate(baseline(before, scores=[None] * 3), now, CONVENTION, margin=0.5)


def test_a_score_that_only_the_baseline_has_is_refused() -> None:
    judged = tuple(score for score in our_scores() if score.name == "llm_judge")
    before = records([True] * 3)
    frozen = baseline(before)
    frozen = replace(frozen, run=replace(frozen.run, scores=("llm_judge",)))
    convention = replace(CONVENTION, scores=judged)
    verdicts = {"h/0": 1.0, "h/2": 1.0}
    with pytest.raises(
        UsageError, match=r"'h/1' has a value for llm_judge in the baseline but not in"
    ):
        gate(frozen, before, convention, margin=0.04, verdicts=verdicts)
    now = [replace(record, answer="Red") for record in before]
    found = gate(frozen, now, convention, margin=0.04, verdicts={**verdicts, "h/1": 0.5})
    assert found.scores[0].worse == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (scoring_sum(), "the baseline was edited"),
        ("0" * 16, "the code of the scores has changed"),
        ("", "the baseline was edited, or verdicts or the code of scores changed; find"),
    ],
)
def test_equal_records_with_other_scores_decide_nothing_and_the_reason_is_named(
    code: str, reason: str
) -> None:
    wrong = records([True, False, False])
    frozen = baseline(wrong, scores=[1.0, 1.0, 1.0])
    frozen = replace(frozen, run=replace(frozen.run, code=code))
    with pytest.raises(
        VerificationFailedError, match=rf"a different em in 2 of 3.*'h/1'.: {reason}"
    ):
        gate(frozen, wrong, CONVENTION, margin=0.9)


def test_a_baseline_that_counts_a_question_in_another_category_decides_nothing() -> None:
    right = records([True] * 3)
    frozen = baseline(right)
    first, *others = frozen.questions
    frozen = replace(frozen, questions=(replace(first, category="other"), *others))
    with pytest.raises(VerificationFailedError, match=f"in the category of 1 .* {first.id!r}"):
        gate(frozen, right, CONVENTION, margin=0.9)


def test_other_code_of_the_scores_is_mentioned_with_a_decision() -> None:
    before = records([True] * 3)
    frozen = baseline(before)
    frozen = replace(frozen, run=replace(frozen.run, code="0" * 16))
    assert OTHER_CODE in notes(gate(frozen, before, CONVENTION, margin=0.04))
    assert OTHER_CODE not in notes(decide(before, before))


def test_a_new_baseline_says_how_many_questions_have_no_score() -> None:
    found = records([True] * 5)
    first, *_ = told_baseline(baseline(found, scores=[1.0, None, 0.0, None, 1.0]), 0.04)
    assert first == "em: 3 questions; 2 others have no such score and will not count"
    first, *_ = told_baseline(baseline(found), 0.04)
    assert first == "em: 5 questions"
