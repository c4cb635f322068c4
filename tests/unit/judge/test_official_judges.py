"""Judges with downloaded prompts: what they send, and how each rule reads realistic replies.

The files are structured like the authors' files; their wording is ours.
"""

import hashlib

import pytest
from omegaconf import OmegaConf

from remem.benchmarks.files.fetched_prompts import FetchedLibrary
from remem.config.run_config import compose_config
from remem.errors import ModelUnavailableError
from remem.judge.official_judges import (
    OfficialCueJudge,
    OfficialLongMemEvalJudge,
    released_yes,
    strict_yes,
)
from remem.protocols import ChatReply, GradesByGold
from remem.types import Gold, Usage

LONGMEMEVAL = """
import nosuchmodule

def get_anscheck_prompt(task, question, answer, response, abstention=False):
    if not abstention:
        if task in ['single-session-user']:
            template = "General. {} | {} | {} | yes or no?"
            prompt = template.format(question, answer, response)
        elif task == 'temporal-reasoning':
            template = "Times. {} | {} | {} | yes or no?"
        elif task == 'knowledge-update':
            template = "Updates. {} | {} | {} | yes or no?"
        elif task == 'single-session-preference':
            template = "Wishes. {} | {} | {} | yes or no?"
        else:
            raise NotImplementedError
    else:
        template = "Unknown. {} | {} | {} | yes or no?"
    return prompt
"""
LOCOMO_PLUS = '''
PROMPT_TEMPLATES = {
    "single-hop": "Other. {gold} {pred} {evidence}",
    "Cognitive": """
Linked?
{evidence}
Said: {pred}
{{"label": "correct"|"wrong", "reason": "<why>"}}
""",
}
'''
FILES = {
    "longmemeval_official": ("evaluate_qa.py", LONGMEMEVAL),
    "locomo_plus_official": ("prompt.py", LOCOMO_PLUS),
}


@pytest.fixture
def library(tmp_path):
    """Return a function that makes a judge's prompt library, on a file like the authors'."""

    def make(judge, content=None):
        file, usual = FILES[judge]
        content = content or usual
        build = compose_config([f"judge={judge}", f"paths.results={tmp_path}"]).judge.build
        parts = OmegaConf.to_container(build.prompts, resolve=True)
        folder = tmp_path / "prompts" / parts["name"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(content)
        return FetchedLibrary(
            name=parts["name"],
            folder=parts["folder"],
            sums={file: hashlib.sha256(content.encode()).hexdigest()},
            recipes=parts["recipes"],
        )

    return make


def longmemeval(model, prompts, rule="released"):
    return OfficialLongMemEvalJudge(
        chat_model=model, prompts=prompts, prompt="longmemeval_judge.v1", rule=rule
    )


def locomo_plus(model, prompts, rule="released"):
    return OfficialCueJudge(chat_model=model, prompts=prompts, prompt="judge_cue.v1", rule=rule)


def gold(category, **more):
    return Gold(("18 days",), category, **more)


TO_REFUSE = Gold(
    ("no information available",),
    "temporal-reasoning",
    answerable=False,
    items=("You never said when.",),
)


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        (gold("single-session-user"), "General. How {long}? | 18 days | {} | yes or no?"),
        (gold("temporal-reasoning"), "Times. How {long}? | 18 days | {} | yes or no?"),
        (gold("knowledge-update"), "Updates. How {long}? | 18 days | {} | yes or no?"),
        (gold("single-session-preference"), "Wishes. How {long}? | 18 days | {} | yes or no?"),
        (TO_REFUSE, "Unknown. How {long}? | You never said when. | {} | yes or no?"),
    ],
)
def test_the_template_for_the_kind_of_question_is_sent_alone(scripted_model, library, asked, sent):
    model = scripted_model.ScriptedModel("Yes.")
    made = longmemeval(model, library("longmemeval_official"))
    assert isinstance(made, GradesByGold)
    assert made.grade("How {long}?", asked, "{}") == (True, Usage(1, 100, 10))
    [request] = model.asked
    assert request.reply_schema is None
    assert [(message.role, message.content) for message in request.messages] == [("user", sent)]


def test_a_question_to_refuse_from_an_older_run_has_no_explanation(scripted_model, library):
    made = longmemeval(scripted_model.ScriptedModel(), library("longmemeval_official"))
    older = Gold(("no information available",), "multi-session", answerable=False)
    with pytest.raises(ValueError, match=r"the record does not explain this.*longmemeval again"):
        made.grade("Q", older, "A")


@pytest.mark.parametrize(
    ("text", "released", "strict"),
    [
        ("yes", True, True),
        ("Yes.", True, True),
        ("Yes, the response names the same day, so it", True, True),
        ("no", False, False),
        ("No, the response says yesterday.", True, False),
        ("No. Yes would need both boats.", True, None),
        ("Answer: yes or no? No", True, None),
        ("The response is correct.", False, None),
        ("", False, None),
    ],
)
def test_released_finds_yes_anywhere_and_strict_wants_one_word(
    scripted_model, library, text, released, strict
):
    assert released_yes(text) is released
    assert strict_yes(text) is strict
    prompts, asked = library("longmemeval_official"), gold("multi-session")
    model = scripted_model.ScriptedModel(text)
    assert longmemeval(model, prompts).grade("Q", asked, "A")[0] is released
    made = longmemeval(scripted_model.ScriptedModel(text), prompts, "strict")
    if strict is not None:
        assert made.grade("Q", asked, "A") == (strict, Usage(1, 100, 10))
        return
    with pytest.raises(ModelUnavailableError, match=r"judge said .* expected yes or no") as none:
        made.grade("Q", asked, "A")
    assert none.value.usage == Usage(1, 100, 10)


def test_a_reply_that_was_cut_counts_for_both_rules(scripted_model, library):
    cut = ChatReply("Yes. The response", (), truncated=True, usage=Usage())
    for rule in ("released", "strict"):
        made = longmemeval(scripted_model.ScriptedModel(cut), library("longmemeval_official"), rule)
        assert made.grade("Q", gold("multi-session"), "A")[0] is True


CUE = ("Ann: I want: to row.\nBob: Good.",)


def test_the_cue_and_the_reply_are_sent_without_the_remark(scripted_model, library):
    model = scripted_model.ScriptedModel('{"label": "correct", "reason": "x"}')
    made = locomo_plus(model, library("locomo_plus_official"))
    assert made.judge("Ann: Calm water.", CUE, "Did you {row}?") == (1.0, Usage(1, 100, 10))
    [request] = model.asked
    assert request.reply_schema is None
    assert [(message.role, message.content) for message in request.messages] == [
        (
            "user",
            "\nLinked?\nAnn\uff1aI want: to row.\nBob\uff1aGood.\nSaid: Did you {row}?\n"
            '{"label": "correct"|"wrong", "reason": "<why>"}\n',
        )
    ]


def test_the_label_is_read_by_each_rule_from_the_same_reply(scripted_model, library):
    prompts = library("locomo_plus_official")
    cut = '{"label": "wrong", "reason": "It is not correct, because'
    assert locomo_plus(scripted_model.ScriptedModel(cut), prompts).judge("R", CUE, "A")[0] == 1
    with pytest.raises(ModelUnavailableError, match="expected one of the labels correct,"):
        locomo_plus(scripted_model.ScriptedModel(cut), prompts, "strict").judge("R", CUE, "A")


def test_a_file_of_another_shape_is_refused_with_what_was_expected(library):
    changed = LONGMEMEVAL.replace("Times. {} | {}", "Times. {}")
    told = r"evaluate_qa\.py has the placeholders \['1', '2'\], expected \['1', '2', '3'\]"
    with pytest.raises(ValueError, match=told):
        library("longmemeval_official", changed).load("longmemeval_judge.v1")


def test_a_prompt_without_a_message_for_these_values_says_so(library):
    prompt = library("longmemeval_official").load("longmemeval_judge.v1")
    with pytest.raises(ValueError, match=r"has no message for the values \{'kind': 'other'\}"):
        prompt.render(kind="other", question="Q", gold_answer="G", generated_answer="A")


@pytest.mark.parametrize("judge", [*FILES, "locomo_plus"])
@pytest.mark.parametrize(
    ("convention", "rule"),
    [("paper", "released"), ("reference", "released"), ("strict", "strict")],
)
def test_the_convention_chooses_the_rule(judge, convention, rule):
    config = compose_config([f"judge={judge}", f"convention={convention}"])
    assert config.judge.build.rule == rule


@pytest.mark.parametrize("make", [longmemeval, locomo_plus])
def test_an_unknown_rule_is_refused(scripted_model, library, make):
    with pytest.raises(ValueError, match=r"judge\.build\.rule is 'x', expected 'released' or"):
        make(scripted_model.ScriptedModel(), library("longmemeval_official"), "x")
