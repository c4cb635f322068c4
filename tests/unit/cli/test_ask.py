"""`remem ask`, `remem list` and `remem doctor` as they are called."""

from pathlib import Path

from typer.testing import CliRunner

from remem.cli.main import app
from remem.cli.naming import choices, group_names

DIARY = Path(__file__).parents[3] / "examples/own_log/diary.txt"


def test_a_log_is_added_and_asked_in_one_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["ask", str(tmp_path / "m"), "When did Ann adopt a dog?", "--add", str(DIARY)]
    )
    assert done.exit_code == 0, done.output
    assert "6 of 6 messages were new" in done.output
    assert "2023-06-02" in done.output
    assert "semantic_retrieve" in done.output


def test_list_shows_a_group_and_refuses_another() -> None:
    shown = CliRunner().invoke(app, ["list", "method"])
    assert "remem_i" in shown.output
    assert "recollection" not in shown.output
    wrong = CliRunner().invoke(app, ["list", "metod"])
    assert "did you mean 'method'?" in str(wrong.exception)


def test_list_shows_the_tables_of_the_paper_and_of_conf() -> None:
    shown = CliRunner().invoke(app, ["list"]).output
    assert "recollection" in shown
    assert "real-offline" in shown


def test_list_describes_every_name() -> None:
    for group in group_names():
        bare = [name for name, said in choices(group).items() if len(said.split()) < 2]
        assert not bare, f"{group}: a line '#: ...' is missing in the files of {bare}"
    assert choices("score")["f1"] == "token F1, by the rule of convention.score.f1"
    assert choices("table")["recollection"].startswith("paper: episodic recollection")
