"""`remem list` and `estimate`."""

from collections.abc import Callable

from typer.testing import Result

from remem.cli.names import descriptions, group_names

Ask = Callable[..., Result]


def test_list_shows_the_names_of_a_group_with_their_label_and_one_sentence(ask: Ask) -> None:
    output = ask("list", "method").output
    (own,) = (line for line in output.splitlines() if line.startswith("  remem_i "))
    assert "  REMem-I (<planner>)  " in own
    assert own.endswith(descriptions("method")["remem_i"])
    assert "recollection" not in output
    assert 'verdicts that are "correct"\n' in ask("list", "score").output


def test_list_describes_every_name() -> None:
    for group in group_names():
        bare = [name for name, said in descriptions(group).items() if len(said.split()) < 2]
        assert not bare, f"{group}: a line '#: ...' is missing in the files of {bare}"
    assert descriptions("score")["f1"] == "token F1, by the rule of convention.score.f1"
    assert descriptions("table")["recollection"].startswith("paper: episodic recollection")
