"""A prompt is chosen by name or by file, and identified by its text."""

from pathlib import Path

import pytest

from remem.prompts.chosen import PromptSum, chosen_prompt, prompt_origin, prompt_sum
from remem.prompts.library import load, own_library
from remem.protocols import ChatMessage

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
        ((OWN, FETCHED), "own(judge.v1)+released:bbbbbbbbbbbb"),
        ((FETCHED, FETCHED), "released:bbbbbbbbbbbb"),
    ],
)
def test_a_record_says_whose_prompts_made_it(sums: tuple[PromptSum, ...], said: str) -> None:
    assert prompt_origin(sums) == said
