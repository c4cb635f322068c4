"""A prompt is chosen by name or by file, or has examples as turns for small models."""

from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.prompts.chosen import (
    PromptSum,
    chosen_prompt,
    few_shot_library,
    prompt_origin,
    prompt_sum,
)
from remem.prompts.library import load, own_library
from remem.protocols import ChatMessage, ChatReply
from remem.readers.answer_lines import parse_answer
from remem.types import REFUSAL_PHRASE, Usage

OWN = PromptSum("own", "judge.v1", "a" * 64)
FETCHED = PromptSum("released", "judge", "b" * 64)


def test_a_name_means_a_prompt_of_the_library() -> None:
    assert chosen_prompt(own_library(), "judge.v1") == load("judge.v1")
    assert prompt_sum(own_library(), "judge.v1").library == "own"


def test_a_path_means_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "strict.v2.txt"
    path.write_text("=== user ===\n{{ question }}?\n")
    assert chosen_prompt(own_library(), str(path)).render(question="So") == (
        ChatMessage("user", "So?"),
    )
    found = prompt_sum(own_library(), str(path))
    assert (found.library, found.name) == ("strict.v2.txt", "strict.v2")


def test_a_prompt_that_is_not_there_is_named(tmp_path: Path) -> None:
    for name in ("judge.v0", str(tmp_path / "judge.v1.txt")):
        with pytest.raises(FileNotFoundError, match="no prompt"):
            chosen_prompt(own_library(), name)


@pytest.mark.parametrize(
    ("sums", "said"),
    [
        ((), "none"),
        ((OWN,), "own"),
        ((FETCHED, FETCHED), "released:bbbbbbbbbbbb"),
    ],
)
def test_a_record_says_whose_prompts_made_it(sums: tuple[PromptSum, ...], said: str) -> None:
    assert prompt_origin(sums) == said


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
