"""`remem list` as it is called."""

from typer.testing import CliRunner

from remem.cli.main import app
from remem.cli.names import descriptions, group_names


def test_list_shows_a_group_and_refuses_another() -> None:
    shown = CliRunner().invoke(app, ["list", "method"])
    assert "remem_i" in shown.output
    assert "recollection" not in shown.output
    wrong = CliRunner().invoke(app, ["list", "metod"])
    assert "did you mean 'method'?" in str(wrong.exception)


def test_list_shows_the_label_of_tables_and_one_sentence() -> None:
    lines = CliRunner().invoke(app, ["list", "method"]).output.splitlines()
    (own,) = (line for line in lines if line.startswith("  remem_i "))
    assert "  REMem-I (<planner>)  " in own
    assert own.endswith(descriptions("method")["remem_i"])
    scores = CliRunner().invoke(app, ["list", "score"]).output
    assert 'verdicts that are "correct"\n' in scores


def test_every_method_says_what_it_needs_if_it_needs_anything() -> None:
    needing = {name for name, about in descriptions("method").items() if "; needs a" in about}
    assert needing == {
        *("graphiti", "graphiti_new", "hipporag2", "mem0", "mem0_2", "mem0_graph"),
        *("langmem", "lightrag"),
    }


def test_list_shows_the_tables_of_the_paper_and_of_conf() -> None:
    shown = CliRunner().invoke(app, ["list"]).output
    assert "recollection" in shown
    assert "real-offline" in shown


def test_list_describes_every_name() -> None:
    for group in group_names():
        bare = [name for name, said in descriptions(group).items() if len(said.split()) < 2]
        assert not bare, f"{group}: a line '#: ...' is missing in the files of {bare}"
    assert descriptions("score")["f1"] == "token F1, by the rule of convention.score.f1"
    assert descriptions("table")["recollection"].startswith("paper: episodic recollection")
