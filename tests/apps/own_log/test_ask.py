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
    assert "We adopted a dog on Friday, she is called Pixel." in done.stdout
    assert '  when: 2 June 2023 ("on Friday")' in done.stdout
    assert f"  from: {DIARY}:5, Ann, 3 June 2023" in done.stdout
    assert "6 messages, 2 speakers, 8 May - 20 Jul 2023, 0 undated" in done.stderr
    assert "semantic_retrieve" not in done.output


def test_the_evidence_is_shown_if_it_is_asked_for(tmp_path: Path) -> None:
    asked = ["ask", str(tmp_path / "m"), "When did Ann adopt a dog?", "--add", str(DIARY)]
    shown = CliRunner().invoke(app, [*asked, "--evidence"]).stdout
    assert "2023-06-02" in shown
    assert "semantic_retrieve" in shown


def test_a_question_that_the_log_does_not_answer_is_said_to_have_no_answer(tmp_path: Path) -> None:
    asked = ["ask", str(tmp_path / "m"), "Who repaired the roof?", "--add", str(DIARY)]
    assert CliRunner().invoke(app, asked).stdout == "Nothing in the log answers this.\n"


def test_missing_dates_are_warned_of_with_their_number_and_first_place(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("Ann: hello\nAnn: I moved.\n2024-02-04: Bob came.\n")
    done = CliRunner().invoke(app, ["ask", str(tmp_path / "m"), "--add", str(log)])
    assert f"WARNING: 2 of 3 messages have no date, the first at {log}:1" in done.stderr


def test_an_override_is_no_question_and_may_come_before_the_memory(tmp_path: Path) -> None:
    added = CliRunner().invoke(app, ["ask", str(tmp_path / "m"), "llm=none", "--add", str(DIARY)])
    assert (added.exit_code, added.stdout) == (0, "")
    asked = ["ask", "llm=none", str(tmp_path / "m"), "When did Ann adopt a dog?"]
    assert "We adopted a dog on Friday" in CliRunner().invoke(app, asked).stdout


def test_a_log_in_place_of_a_memory_is_told_what_to_do() -> None:
    done = CliRunner().invoke(app, ["ask", str(DIARY), "Who?"])
    assert f"remem chat {DIARY}" in str(done.exception)


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
    assert own.endswith(choices("method")["remem_i"])
    scores = CliRunner().invoke(app, ["list", "score"]).output
    assert 'verdicts that are "correct"\n' in scores


def test_every_method_says_what_it_needs_if_it_needs_anything() -> None:
    needing = {name for name, about in choices("method").items() if "; needs a" in about}
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
        bare = [name for name, said in choices(group).items() if len(said.split()) < 2]
        assert not bare, f"{group}: a line '#: ...' is missing in the files of {bare}"
    assert choices("score")["f1"] == "token F1, by the rule of convention.score.f1"
    assert choices("table")["recollection"].startswith("paper: episodic recollection")


def test_a_broken_line_of_a_log_is_told_with_its_place_and_what_to_do(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"text": "Hi"}\n{"text": \n')
    done = CliRunner().invoke(app, ["ask", str(tmp_path / "memory"), "Who?", "--add", str(log)])
    told = f"{log}:2 is not JSON (Expecting value): fix the line or remove it"
    assert str(done.exception) == told
