"""The judge of BEAM: half points, the order of events, and errors that are never a score."""

import json

import pytest

from remem.errors import ModelUnavailableError, RejectedReplyError
from remem.judge.beam_judge import BeamJudge, aligned, parse_grade, parse_same, stated_lines
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.types import Gold, Usage

RUBRIC = Gold(("?",), "temporal_reasoning", items=("8 weeks", "from May", "to July"))
EVENTS = Gold(("?",), "event_ordering", items=("boat", "oars"))


def judge(model, rule="strict"):
    return BeamJudge(
        chat_model=model,
        prompts=own_library(),
        prompt="beam_rubric.v1",
        event_prompt="beam_event.v1",
        rule=rule,
    )


def scores(*values):
    return [json.dumps({"reason": "r", "score": value}) for value in values]


def labels(*values):
    return [json.dumps({"reason": "r", "label": value}) for value in values]


def test_half_points_count_by_the_strict_rule_alone(scripted_model):
    for rule, expected in (("strict", 0.5), ("released", 1 / 3)):
        model = scripted_model.ScriptedModel(*scores(1, 0.5, 0))
        grade, usage = judge(model, rule).grade("How long?", RUBRIC, "8 weeks")
        assert grade == pytest.approx(expected)
        assert usage == Usage(3, 300, 30)


def test_the_released_judge_never_sees_the_question(scripted_model):
    for rule, shown in (("strict", "Question: How long?\n"), ("released", "Question: <question>")):
        model = scripted_model.ScriptedModel(*scores(1, 1, 1))
        judge(model, rule).grade("How long?", RUBRIC, "8 weeks")
        asked = [request.messages[1].content for request in model.asked]
        assert all(content.startswith(shown) for content in asked)
        for item, content in zip(RUBRIC.items, asked, strict=True):
            assert f"Statement of the rubric: {item}\n" in content
            assert content.endswith("Answer to be scored: 8 weeks")


def test_an_order_with_a_preamble_is_right_by_the_strict_rule_alone(scripted_model):
    # Released: the reference has the ranks 1, 2, 5, 5, the answer 3, 4, 1, 2. One pair agrees, four
    # do not and one is tied, so tau-b = -3 / sqrt(5 * 6).
    answer = "In this order:\n\n1. boat\n2. oars"
    for rule, expected in (("strict", 1.0), ("released", (1 - 3 / 30**0.5) / 2)):
        model = scripted_model.ScriptedModel(*labels("DIFFERENT", "DIFFERENT", "SAME", "SAME"))
        assert judge(model, rule).grade("?", EVENTS, answer)[0] == pytest.approx(expected)
        assert len(model.asked) == 4


def test_a_refusal_of_one_line_scores_by_the_released_rule_alone(scripted_model):
    five = Gold(("?",), "event_ordering", items=tuple("abcde"))
    for rule, expected in (("strict", 0.0), ("released", (1 - 5 / 75**0.5) / 2)):
        model = scripted_model.ScriptedModel(*labels(*["DIFFERENT"] * 5))
        assert judge(model, rule).grade("?", five, "I do not know.")[0] == pytest.approx(expected)


def test_an_empty_answer_about_an_order_asks_nothing(scripted_model):
    model = scripted_model.ScriptedModel()
    assert judge(model).grade("?", EVENTS, "") == (0.0, Usage())
    assert model.asked == []


def test_an_unreadable_grade_is_an_error_with_the_whole_cost(scripted_model):
    model = scripted_model.ScriptedModel(*scores(1), "no", "no")
    with pytest.raises(ModelUnavailableError) as raised:
        judge(model).grade("?", RUBRIC, "8 weeks")
    assert raised.value.usage == Usage(3, 300, 30)


def test_a_single_event_has_no_number_by_the_released_rule(scripted_model):
    one = Gold(("?",), "event_ordering", items=("boat",))
    model = scripted_model.ScriptedModel(*labels("SAME", "SAME"))
    assert judge(model).grade("?", one, "boat")[0] == 1
    with pytest.raises(ModelUnavailableError, match="gives no number"):
        judge(model, "released").grade("?", one, "boat")


def test_a_question_without_a_rubric_and_an_unknown_rule_are_refused(scripted_model):
    model = scripted_model.ScriptedModel()
    with pytest.raises(ValueError, match="no rubric"):
        judge(model).grade("?", Gold(("a",), "4"), "a")
    with pytest.raises(ValueError, match=r"judge\.build\.rule is 'mild'"):
        judge(model, "mild")


def test_each_line_becomes_the_first_unused_item_that_is_the_same():
    same = lambda item, line: item[0] == line.strip()[0]  # noqa: E731
    assert aligned(["boat", "bus", "oars"], ["o", "b", "b", "b", " "], same) == [
        "oars",
        "boat",
        "bus",
        "b",
        " ",
    ]


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("1) boat\n2) oars", ["boat", "oars"]),
        ("- boat\n\n* oars\n\u2022 Ida", ["boat", "oars", "Ida"]),
        ("boat; 2. oars;", ["boat", "oars"]),
        ("2023 was good", ["2023 was good"]),
        (" \n", []),
    ],
)
def test_marks_of_lists_are_no_part_of_a_line(answer, lines):
    assert stated_lines(answer) == lines


def reply(text):
    return ChatReply(text, (), False, Usage())


@pytest.mark.parametrize(
    ("score", "grade"), [("1", 1), ("1.0", 1), ("0.5", 0.5), ('"0.5"', 0.5), ("0", 0), ("0.0", 0)]
)
def test_a_grade_may_be_written_in_any_of_these_forms(score, grade):
    assert parse_grade(reply(f'```json\n{{"score": {score}, "reason": "r"}}\n```')) == grade


@pytest.mark.parametrize(
    "text", ["", "1.0", '{"score": 0.7}', '{"score": true}', '{"score": 1} {"score": 0}', "{}"]
)
def test_any_other_grade_is_rejected(text):
    with pytest.raises(RejectedReplyError, match=r"expected the score 0, 0\.5 or 1"):
        parse_grade(reply(text))


@pytest.mark.parametrize("text", ["YES", '{"label": "similar"}', '{"label": "SAME"}{"label": ""}'])
def test_any_other_label_is_rejected(text):
    with pytest.raises(RejectedReplyError, match="expected the label SAME or DIFFERENT"):
        parse_same(reply(text))
