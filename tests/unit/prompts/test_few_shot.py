"""The prompts for small models show examples as turns, each answered in a form that we read."""

import pytest

from remem.config.run_config import compose_config, run_config
from remem.prompts.chosen import few_shot_library
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.readers.answer_lines import parse_answer
from remem.types import REFUSAL_PHRASE, Usage

VALUES = {
    "evidence": "Ann: I adopted Rex.",
    "question": "Whom did Ann adopt?",
    "refusal": REFUSAL_PHRASE,
    "separator": "commas",
}


def test_every_example_is_answered_in_a_line_that_is_read_and_one_refuses() -> None:
    messages = few_shot_library().load("reader_direct.v1").render(**VALUES)
    said = [message.content for message in messages if message.role == "assistant"]
    answers = [parse_answer(ChatReply(text, (), False, Usage())) for text in said]
    assert answers == ["a blue kayak", "3 March 2022", REFUSAL_PHRASE]
    assert messages[-1].role == "user"
    assert messages[-1].content == "Ann: I adopted Rex.\n\nQuestion: Whom did Ann adopt?"


def test_a_prompt_without_such_examples_is_the_usual_one() -> None:
    assert few_shot_library().load("planner.v1") == own_library().load("planner.v1")


@pytest.mark.app("small_model")
def test_it_names_another_run_and_its_prompts_are_our_own() -> None:
    asked = ["method=bm25_messages", "reader=direct", "llm=smollm2"]
    usual = run_config(compose_config(asked))
    few_shot = run_config(compose_config([*asked, "prompts=few_shot"]))
    assert few_shot.fingerprint([]) != usual.fingerprint([])
    assert {prompt.library for prompt in few_shot.prompts} == {"own"}
