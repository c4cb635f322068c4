import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from remem.apps.referee.audits.audited import find
from remem.apps.referee.imports.aggregates import aggregates
from remem.apps.referee.imports.census import census, is_leaked, outcome_of, refuses
from remem.apps.referee.imports.formulas import find_formula
from remem.apps.referee.imports.imported import ImportedAnswer
from remem.apps.referee.imports.importing import read_matched
from remem.apps.referee.imports.known_questions import DataSets
from remem.apps.referee.imports.matched import MatchedAnswer, MatchedAnswers
from remem.apps.referee.imports.system_ranking import rankings
from remem.types import Gold, Query, Question

Write = Callable[[str, object], Path]


def answered(text: str | None, question: str = "Who baked?", **stated: Any) -> MatchedAnswer:
    """Return an answer to a question whose gold answer is "Ann Lee"."""
    query = Query("q", "h", 0, question)
    gold = Gold(("Ann Lee",), "names")
    return MatchedAnswer(
        ImportedAnswer(where="here", answer=text, **stated), Question(query, gold), False
    )


def test_an_answer_is_of_one_kind() -> None:
    cases = [
        (answered(None, verdicts={"j": 1}), "error"),
        (answered("...", verdicts={"j": 1}), "empty"),
        (answered("Ann", is_cut=True, verdicts={"j": 0.5}), "right"),
        (answered("An", is_cut=True, verdicts={"j": 0.4}), "cut"),
        (answered("I cannot tell.", verdicts={"j": 0}), "refused"),
        (answered("I cannot tell."), "refused"),
        (answered("Bob", verdicts={"j": 0}), "wrong"),
        (answered("Bob"), "unjudged"),
    ]
    for answer, kind in cases:
        assert outcome_of(answer, "j") == kind


def test_a_refusal_is_the_phrase_of_a_convention_or_what_models_say() -> None:
    refusing = ["No information available.", "That is not mentioned.", "I have no record of it."]
    assert all(map(refuses, refusing))
    assert not refuses("Ann has no dog.")
    assert not refuses(None)


def test_a_gold_answer_leaks_through_the_question_the_prompt_or_a_stored_question() -> None:
    cases = [
        (answered("x", "Did Ann Lee bake?"), True),
        (answered("x", prompt="Hint: ann lee."), True),
        (answered("x", prompt="Hint: Ann and Lee."), False),
        (answered("x", context="Ann Lee baked."), False),
        (answered("x", "Who was it that baked?", context="Who was it that baked? Ann Lee."), True),
        (answered("x", "Who was it that baked?", context="Who was it that baked? Bob."), False),
    ]
    for answer, leaked in cases:
        assert is_leaked(answer) == leaked


def test_a_short_gold_word_and_a_question_to_refuse_do_not_leak() -> None:
    short = Question(Query("q", "h", 0, "Is it no or yes?"), Gold(("no",), "c"))
    trap = Question(Query("q", "h", 0, "Ann Lee?"), Gold(("Ann Lee",), "5", answerable=False))
    for question in (short, trap):
        assert not is_leaked(MatchedAnswer(ImportedAnswer(where=""), question, False))


def arena(made: SimpleNamespace, write: Write, grades: dict[str, list[float]]) -> list[Path]:
    """Write a file of memory-arena for each system, with the grades of the four questions."""
    return [
        write(
            f"{system}.json",
            made.arena_file(
                [
                    made.arena_record(
                        f"conv-7_q{at}", grade, flags={"temporal_correct": at % 2 == 0}
                    )
                    for at, grade in enumerate(found)
                ],
                strategy=system.partition("-")[0],
                metadata={"seed": system, "models": {"anthropic_judge": "judge-1"}},
            ),
        )
        for system, found in grades.items()
    ]


@pytest.fixture
def matched(made: SimpleNamespace, write: Write, overrides: list[str]) -> list[MatchedAnswers]:
    """The answers of three systems, one of them imported twice."""
    grades = {"a-1": [100, 100, 80, 60], "a-2": [100, 100, 40, 20], "b": [90, 50, 30, 10]}
    paths = arena(made, write, grades | {"c": [100, 60, 40, 20]})
    return read_matched(paths, dataset="locomo", data_sets=DataSets(overrides))


def test_the_formula_of_a_score_has_the_factor_of_each_check(
    matched: list[MatchedAnswers],
) -> None:
    answers = [answer for run in matched for answer in run.imported.answers]
    formula = find_formula(answers, "accuracy", "judge-1")
    assert formula is not None
    assert {(found.checks, round(found.factor, 6), found.failing) for found in formula.factors} == {
        (("sources_pass",), 0.8, 16),
        (("temporal_correct",), 0.5, 8),
    }
    assert formula.cap == pytest.approx(0.8)
    assert formula.answers == 16


def test_a_score_that_is_no_product_has_no_formula(matched: list[MatchedAnswers]) -> None:
    answers = [answer for run in matched for answer in run.imported.answers]
    for verdict in (0.5, 0.0):
        stated = {"judge-1": verdict, "accuracy": 0.1}
        changed = ImportedAnswer(where="", verdicts=stated, flags=answers[0].flags)
        assert find_formula([*answers, changed], "accuracy", "judge-1") is None
    assert find_formula(answers[:9], "accuracy", "judge-1") is None


def test_a_published_mean_is_compared_with_that_of_the_answers(
    made: SimpleNamespace, write: Write, overrides: list[str]
) -> None:
    record = made.arena_record("conv-7_q0", 50)
    path = write("a.json", made.arena_file([record], accuracy=0.9))
    (run,) = read_matched([path], dataset="locomo", data_sets=DataSets(overrides))
    overall, category, judge = aggregates(run.imported)
    assert (overall.judge, overall.published) == ("accuracy", 0.9)
    assert overall.recomputed is not None
    assert overall.recomputed.mean == pytest.approx(0.4)
    assert (category.category, category.published) == ("temporal", pytest.approx(0.4))
    assert (judge.judge, judge.published) == ("judge-1", None)


def test_systems_are_ranked_over_questions_and_pairs_tested(matched: list[MatchedAnswers]) -> None:
    (ranking,) = rankings(matched)
    assert [(found.system, found.rank, found.repeats) for found in ranking.systems] == [
        ("a", 1, 2),
        ("c", 2, 1),
        ("b", 3, 1),
    ]
    first = ranking.systems[0]
    # (.8 x 1, .4 x 1, .8 x .6, .4 x .4), the mean over both repeats of each question
    assert first.mean.mean == pytest.approx((0.8 + 0.4 + 0.48 + 0.16) / 4)
    # the repeats have the means .52 and .4: 1.96 x (.12 / sqrt 2) / sqrt 2
    assert first.over_repeats == pytest.approx(1.96 * 0.12 / 2)
    _, pair, _ = ranking.pairs
    # .08, .2, .24 and .12: mean .16, standard error .0365, so t = 4.38 with 3 degrees of freedom
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.difference.mean == pytest.approx(0.16)
    assert pair.p_value == pytest.approx(0.0220, abs=1e-4)
    assert pair.p_holm >= pair.p_value


def test_what_is_the_same_in_all_answers_is_named(
    made: SimpleNamespace, write: Write, overrides: list[str]
) -> None:
    grades = {name: [50, 50, 50, 50] for name in ("a", "b", "c")}
    runs = read_matched(arena(made, write, grades), dataset="locomo", data_sets=DataSets(overrides))
    told = [
        found.text for found in find(runs, rankings(runs)) if found.check == "same value everywhere"
    ]
    assert "memory-arena: sources_pass: false in 12 of 12 answers" in told


def test_a_right_answer_with_half_the_score_is_counted(matched: list[MatchedAnswers]) -> None:
    (found,) = [
        at
        for at in find(matched, rankings(matched))
        if at.check == "right answers with half the score"
    ]
    assert (found.count, found.of, found.ids) == (2, 5, ("conv-7/q1",))
    assert found.text.endswith("fail the check temporal_correct")


def test_a_present_day_before_the_end_of_the_history_is_found_with_the_answers_that_use_it(
    made: SimpleNamespace, write: Write, overrides: list[str]
) -> None:
    when = {"query": "When was the fair?", "gold_answers": ["2022"]}
    results = [
        made.amb_result("conv-7_q0", correct=True, reasoning="Today is 9 May 2023."),
        made.amb_result("conv-7_q1", correct=False, reasoning="As of May 9, 2023, ...", **when),
        made.amb_result("conv-7_q3", correct=False, query="What did Bob buy?"),
    ]
    path = write("amb.json", made.amb_file(results))
    runs = read_matched([path], data_sets=DataSets(overrides))
    found = {finding.check: finding for finding in find(runs, rankings(runs))}
    day = found["present day"]
    assert (day.count, day.of, day.ids) == (1, 2, ("conv-7/q1",))
    assert "today is 2023-05-09, but the history ends on 2023-05-11 (3 answers)" in day.text
    assert "it is the day of session_9, the last session if their names are sorted" in day.text
    assert found["other gold answers"].ids == ("conv-7/q3",)
    assert found["contexts without dates"].count == 3


def test_an_empty_answer_with_a_verdict_and_an_item_of_another_history_are_found(
    made: SimpleNamespace, write: Write, overrides: list[str]
) -> None:
    context = '## Memory 1\n{"dia_id": "D99:1"}\n\n## Memory 2\n{"dia_id": "D2:1"}'
    results = [made.amb_result("conv-7_q0", correct=True, answer="", context=context)]
    runs = read_matched([write("a.json", made.amb_file(results))], data_sets=DataSets(overrides))
    found = {finding.check: finding for finding in find(runs, rankings(runs))}
    assert found["errors and empty answers with a verdict"].text.endswith(
        "1 of them count as right"
    )
    assert (found["retrieved from elsewhere"].count, found["retrieved from elsewhere"].of) == (1, 2)
    assert census(runs[0]).counts["empty"] == 1


def test_an_answer_without_a_verdict_above_0_may_lack_a_check(
    matched: list[MatchedAnswers],
) -> None:
    answers = [answer for run in matched for answer in run.imported.answers]
    lacking = ImportedAnswer(
        where="", verdicts={"judge-1": 0, "accuracy": 0}, flags={"temporal_correct": False}
    )
    formula = find_formula([*answers, lacking], "accuracy", "judge-1")
    assert formula is not None
    failing = {found.checks: found.failing for found in formula.factors}
    assert failing == {("sources_pass",): 16, ("temporal_correct",): 9}


def test_what_an_answer_did_is_no_check_that_it_failed(
    made: SimpleNamespace, write: Write, overrides: list[str]
) -> None:
    abstaining = {"temporal_correct": True, "abstained": True}
    records = [
        made.arena_record("conv-7_q0", 100, flags=abstaining),
        made.arena_record("conv-7_q1", 100, flags={"temporal_correct": False}),
    ]
    runs = read_matched(
        [write("a.json", made.arena_file(records))], dataset="locomo", data_sets=DataSets(overrides)
    )
    (found,) = [
        at for at in find(runs, rankings(runs)) if at.check == "right answers with half the score"
    ]
    assert found.text.endswith("in common that they fail the check temporal_correct")


def ranked_rows(write: Write, verdicts: dict[str, list[float]]) -> list[MatchedAnswers]:
    """Return the runs of systems with these verdicts on the questions q0, q1, ..."""
    rows = [
        {"system": system, "id": f"q{at}", "question": f"Which is {at}?", "gold": "red"}
        | {"answer": "red", "correct": verdict}
        for system, given in verdicts.items()
        for at, verdict in enumerate(given)
    ]
    return read_matched([write("rows.jsonl", "\n".join(map(json.dumps, rows)))])


def test_means_that_differ_by_rounding_share_a_rank(write: Write) -> None:
    assert (0.1 + 0.2) / 2 > 0.15
    runs = ranked_rows(write, {"a": [0.15, 0.15], "b": [0.1, 0.2], "c": [0.1, 0.1]})
    (ranking,) = rankings(runs)
    assert [(found.system, found.rank) for found in ranking.systems] == [
        ("a", 1),
        ("b", 1),
        ("c", 3),
    ]
    assert [found.base_rank for found in ranking.systems] == [1, 1, 3]


def test_answers_that_a_file_has_cut_off_are_found(write: Write) -> None:
    long = [{"answer": "a" * (100 if at < 10 else 40 + at)} for at in range(60)]
    rows = [
        {"id": f"q{at}", "question": "Why?", "gold": "red"} | row for at, row in enumerate(long)
    ]
    runs = read_matched([write("rows.jsonl", "\n".join(map(json.dumps, rows)))])
    (found,) = [finding for finding in find(runs, ()) if finding.check.endswith("cut off")]
    assert found.ids[:2] == ("q0", "q1")
    runs = read_matched([write("rows.jsonl", "\n".join(map(json.dumps, rows[1:])))])
    assert not find(runs, ())


def test_a_system_in_another_place_by_the_judge_is_named(
    made: SimpleNamespace, write: Write, overrides: list[str]
) -> None:
    paths = arena(made, write, {"a": [80, 0], "b": [0, 100]})
    runs = read_matched(paths, dataset="locomo", data_sets=DataSets(overrides))
    (found,) = [finding for finding in find(runs, rankings(runs)) if finding.check == "rank"]
    assert found.text.endswith("a is in place 2, not 1, b is in place 1, not 2")
