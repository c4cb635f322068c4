"""Hydra reads a quoted text back unchanged, and gets the options of a command line first."""

from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st

from remem.config.override_text import options_first, quoted, split_overrides


def read_back(text: str) -> object:
    (override,) = OverridesParser.create().parse_overrides([f"key={quoted(text)}"])
    return override.value()


@given(st.text("ab'\\\" ,=[]{}():$", max_size=12).filter(lambda text: "${" not in text))
def test_any_text_of_special_characters_is_read_back(text: str) -> None:
    assert read_back(text) == text


@pytest.mark.parametrize(
    ("line", "ordered"),
    [
        (
            ["method=remem_s", "--config-dir", "conf", "reader=direct"],
            ["--config-dir", "conf", "method=remem_s", "reader=direct"],
        ),
        (["a=1", "-m", "b=2", "-cd", "x=y", "~c"], ["-m", "-cd", "x=y", "a=1", "b=2", "~c"]),
        (["a=1", "--trust-config=conf", "b=2"], ["--trust-config=conf", "a=1", "b=2"]),
        ([], []),
    ],
)
def test_overrides_stand_behind_options_and_their_values(
    line: list[str], ordered: list[str]
) -> None:
    assert options_first(line) == ordered


def test_words_with_a_key_and_a_sign_are_overrides_and_paths_that_exist_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs/k=1").mkdir(parents=True)
    long = f"judge.build.chat_model={'x' * 5000}"
    names = ["runs/k=1", "offline", "is 1 + 1 = 2?", "/no/k=1"]
    plain = ["convention=strict", "+score=mine", "++a.b=1", "~ablation"]
    overrides = [*plain, "llm@judge_llm=x", long]
    mixed = [word for pair in zip(plain, names, strict=True) for word in pair]
    assert split_overrides([*names, *overrides]) == (names, overrides)
    assert split_overrides(mixed) == (names, plain)
