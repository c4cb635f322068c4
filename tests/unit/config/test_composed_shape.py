"""A configuration of a wrong shape is refused with a clear sentence, whoever wrote it."""

from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError


def test_a_missing_group_or_a_value_of_another_type_is_named() -> None:
    cases = [
        ("~llm", "llm is missing, expected a group of settings"),
        ("~dataset.scores", "dataset.scores is missing"),
        ("dataset.scores=false", "dataset.scores is False, expected a list"),
        ("+judge.build=x", "judge.build is 'x', expected a part with a _target_"),
        ("~convention.score", "convention.score is missing"),
        ("+reader.x=" + "[" * 60 + "]" * 60, "nested more than 50 levels deep"),
        ("reader.build=null", "reader.build is None, expected a part with a _target_"),
        ("reader.build._target_=[os, system]", "reader.build._target_ is not text"),
        ("+method.build.x={_target_: [os, system]}", "method.build.x._target_ is not text"),
        ("+reader.x={1: a}", "reader.x has the key 1, which is not text"),
    ]
    for override, said in cases:
        with pytest.raises(UsageError, match=said):
            run_config(compose_config([override]))


@pytest.mark.parametrize(
    "content", ["name: x\nname: y\n", "'[[['\n", "x: " + "[" * 150 + "]" * 150]
)
def test_a_file_that_cannot_be_composed_is_refused_by_a_sentence(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "reader").mkdir()
    (tmp_path / "reader/mine.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"cannot be composed: |mine\.yaml is "):
        compose_config([f"hydra.searchpath=['file://{tmp_path}']", "reader=mine"])
