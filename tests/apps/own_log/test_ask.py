"""`remem log ask` as a user calls it."""

import json
from pathlib import Path

from typer.testing import CliRunner

from remem.cli.main import app

DIARY = Path(__file__).parents[3] / "examples/own_log/diary.txt"


def test_a_log_is_added_and_asked_in_one_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["log", "ask", str(tmp_path / "m"), "When did Ann adopt a dog?", "--add", str(DIARY)]
    )
    assert done.exit_code == 0, done.output
    assert "new messages: 6 of 6" in done.output
    assert "We adopted a dog on Friday, she is called Pixel." in done.stdout
    assert '  when: 2 June 2023 ("on Friday")' in done.stdout
    assert f"  from: {DIARY}:5, Ann, 3 June 2023" in done.stdout
    assert "6 messages, 2 speakers, 8 May - 20 Jul 2023, 0 undated" in done.stderr
    assert "semantic_retrieve" not in done.output


def test_the_evidence_is_shown_if_it_is_asked_for(tmp_path: Path) -> None:
    asked = ["log", "ask", str(tmp_path / "m"), "When did Ann adopt a dog?", "--add", str(DIARY)]
    shown = CliRunner().invoke(app, [*asked, "--evidence"]).stdout
    assert "2023-06-02" in shown
    assert "semantic_retrieve" in shown


def test_missing_dates_are_warned_of_with_their_number_and_first_place(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("Ann: hello\nAnn: I moved.\n2024-02-04: Bob came.\n")
    done = CliRunner().invoke(app, ["log", "ask", str(tmp_path / "m"), "--add", str(log)])
    assert f"WARNING: 2 of 3 messages have no date, the first at {log}:1" in done.stderr


def test_an_override_is_no_question_and_may_come_before_the_memory(tmp_path: Path) -> None:
    added = CliRunner().invoke(
        app, ["log", "ask", str(tmp_path / "m"), "llm=none", "--add", str(DIARY)]
    )
    assert (added.exit_code, added.stdout) == (0, "")
    asked = ["log", "ask", "llm=none", str(tmp_path / "m"), "When did Ann adopt a dog?"]
    assert "We adopted a dog on Friday" in CliRunner().invoke(app, asked).stdout


def test_a_log_in_place_of_a_memory_is_told_what_to_do() -> None:
    done = CliRunner().invoke(app, ["log", "ask", str(DIARY), "Who?"])
    assert f"remem log chat {DIARY}" in str(done.exception)


def test_a_line_that_does_not_answer_is_called_the_closest_and_is_no_answer_in_json(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("2024-02-04 Ann: The boiler is broken.\n2024-02-04 Bob: ok thanks\n")
    asked = ["log", "ask", str(tmp_path / "m"), "Why is the boiler broken?"]
    printed = CliRunner().invoke(app, [*asked, "--add", str(log)]).stdout
    assert printed.startswith("The closest line: The boiler is broken.\n  when: 4 February 2024")
    answered = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["answered"]
    assert (answered["answer"], answered["sentence"]) == ("", "The boiler is broken.")
