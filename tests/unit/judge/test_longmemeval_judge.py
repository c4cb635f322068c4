"""The judge of LongMemEval: which rule it states for which kind of question."""

import pytest

from remem.judge.official_judges import LongMemEvalJudge, question_kind
from remem.prompts.library import own_library
from remem.protocols import GradesByGold
from remem.types import Gold, Usage

REFUSAL = "no information available"


def gold(category, answerable=True):
    return Gold(("18 days" if answerable else REFUSAL,), category, answerable=answerable)


def asked(scripted_model, asked_gold, answer="19 days"):
    model = scripted_model.ScriptedModel('{"explanation": "e", "label": "CORRECT"}')
    made = LongMemEvalJudge(chat_model=model, prompts=own_library(), prompt="longmemeval_judge.v1")
    assert isinstance(made, GradesByGold)
    assert made.grade("How long?", asked_gold, answer) == (True, Usage(1, 100, 10))
    return [message.content for message in model.asked[0].messages]


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("temporal-reasoning", "temporal"),
        ("knowledge-update", "update"),
        ("single-session-preference", "preference"),
        ("single-session-user", "general"),
    ],
)
def test_the_type_of_a_question_decides_its_rule_unless_it_is_to_be_refused(category, kind):
    assert question_kind(gold(category)) == kind
    assert question_kind(gold(category, answerable=False)) == "abstention"


OFF_BY_ONE, NEWEST = "17 and 19 days are CORRECT", "an earlier state is CORRECT"


@pytest.mark.parametrize(
    ("category", "off_by_one", "newest"),
    [
        ("temporal-reasoning", True, False),
        ("knowledge-update", False, True),
        ("multi-session", False, False),
    ],
)
def test_only_times_may_be_off_by_one_and_only_updates_tell_earlier_states(
    scripted_model, category, off_by_one, newest
):
    told, shown = asked(scripted_model, gold(category))
    assert (OFF_BY_ONE in told, NEWEST in told) == (off_by_one, newest)
    assert "only a part of what the reference answer says" in told
    assert shown == ("Question: How long?\nReference answer: 18 days\nAnswer to be graded: 19 days")


def test_a_preference_is_judged_by_its_description(scripted_model):
    told, shown = asked(scripted_model, gold("single-session-preference"))
    assert "need not follow every point" in told
    assert "\nDescription of the answer: 18 days\n" in shown


def test_a_question_to_refuse_is_right_if_the_answer_says_so(scripted_model):
    told, shown = asked(scripted_model, gold("temporal-reasoning", answerable=False), "")
    assert "Any other answer is WRONG" in told
    assert OFF_BY_ONE not in told
    assert shown.endswith("Answer to be graded: (no answer was given)")
