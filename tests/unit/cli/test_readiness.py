"""`remem list` and `estimate`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from remem.cli.names import descriptions, group_names
from remem.cli.readiness import estimate
from remem.config.conf_files import conf_folder

Ask = Callable[..., Result]


def test_list_shows_the_names_of_a_group_with_their_label_and_one_sentence(ask: Ask) -> None:
    output = ask("list", "method").output
    (own,) = (line for line in output.splitlines() if line.startswith("  remem_i "))
    assert "  REMem-I (<planner>)  " in own
    assert own.endswith(descriptions("method")["remem_i"])
    assert "recollection" not in output
    assert 'verdicts that are "correct"\n' in ask("list", "score").output


def test_every_method_says_what_it_needs_if_it_needs_anything() -> None:
    needing = {name for name, about in descriptions("method").items() if "; needs a" in about}
    of_the_core = needing & {file.stem for file in (conf_folder() / "method").glob("*.yaml")}
    assert of_the_core == {"graphiti", "hipporag2", "mem0", "mem0_graph"}


def test_list_describes_every_name() -> None:
    for group in group_names():
        bare = [name for name, said in descriptions(group).items() if len(said.split()) < 2]
        assert not bare, f"{group}: a line '#: ...' is missing in the files of {bare}"
    assert descriptions("score")["f1"] == "token F1, by the rule of convention.score.f1"
    assert descriptions("table")["recollection"].startswith("paper: episodic recollection")


@pytest.mark.app("small_model")
def test_an_estimate_of_a_replay_says_that_it_costs_nothing_and_shows_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = ["reader=direct", "llm=replay", "llm@llm.recorded=smollm2"]
    estimate([*replay, f"paths.results={tmp_path}"])
    output = " ".join(capsys.readouterr().out.split())
    assert output.endswith("it sends nothing and costs nothing")
    assert "tokens in" not in output
