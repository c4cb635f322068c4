"""What `remem estimate` prints."""

from pathlib import Path

import pytest

from remem.cli.readiness import estimate


def test_an_estimate_of_a_replay_says_that_it_costs_nothing_and_shows_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = ["reader=direct", "llm=replay", "llm@llm.recorded=smollm2"]
    estimate([*replay, f"paths.results={tmp_path}"])
    said = " ".join(capsys.readouterr().out.split())
    assert said.endswith("it sends nothing and costs nothing")
    assert "tokens in" not in said
