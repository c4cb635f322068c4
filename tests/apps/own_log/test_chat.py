"""`remem log chat` in a pipe and at a terminal."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from remem.apps.own_log import chat as chat_module
from remem.apps.own_log.log_memory import OwnMemory
from remem.cli.main import app

DIARY = Path(__file__).parents[3] / "examples/own_log/diary.txt"


def test_each_line_of_a_pipe_is_a_question_and_a_follow_up_uses_the_former(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added = []
    add = OwnMemory.add

    def counted(memory, told):
        added.append(len(told))
        return add(memory, told)

    monkeypatch.setattr(OwnMemory, "add", counted)
    asked = "Where did Ann move?\n\nand when?\nWho repaired the roof?\n"
    done = CliRunner().invoke(app, ["log", "chat", str(DIARY)], input=asked)
    assert done.exit_code == 0, done.output
    moved = (
        "I moved to Oslo last week, the new flat is near the harbour.\n"
        '  when: 1 May 2023 to 7 May 2023 ("last week")\n'
        f"  from: {DIARY}:2, Ann, 8 May 2023\n"
    )
    assert done.stdout == f"{moved}{moved}Nothing in the log answers this.\n"
    assert "6 messages, 2 speakers" in done.stderr
    assert added == [6]


def test_follow_ups_of_follow_ups_keep_the_topic() -> None:
    asked = "When did Ann adopt a dog?\nand how?\nand when?\n"
    shown = CliRunner().invoke(app, ["log", "chat", str(DIARY)], input=asked).stdout
    assert shown.count("We adopted a dog on Friday, she is called Pixel.") == 3


def test_a_memory_in_place_of_a_log_is_told_what_to_do(tmp_path: Path) -> None:
    CliRunner().invoke(app, ["log", "ask", str(tmp_path / "m"), "--add", str(DIARY)])
    done = CliRunner().invoke(app, ["log", "chat", str(tmp_path / "m")])
    assert f"ask it with remem log ask {tmp_path / 'm'}" in str(done.exception)


def test_at_a_terminal_it_asks_until_the_end_of_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["  Who? ", "", "When?"])

    def read_line(prompt: str) -> str:
        assert prompt == "> "
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", read_line)
    assert list(chat_module._questions()) == ["Who?", "When?"]
    assert capsys.readouterr().out == "\n"
