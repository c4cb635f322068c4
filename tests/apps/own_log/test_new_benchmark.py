"""`remem log init` writes files that can be read at once, and overwrites none of the user's."""

from pathlib import Path

import pytest

from remem.apps.own_log.init import write_benchmark
from remem.apps.own_log.logs.benchmark import OwnLog
from remem.errors import UsageError


def test_the_new_log_and_questions_are_a_benchmark(tmp_path: Path) -> None:
    folder = tmp_path / "diary"
    written = {path.relative_to(folder).as_posix() for path in write_benchmark(folder)}
    assert written == {
        "README.md",
        "log.txt",
        "questions.jsonl",
        "dataset/diary.yaml",
        "table/diary.yaml",
    }
    made = OwnLog(log=str(folder / "log.txt"), questions=str(folder / "questions.jsonl"))
    (history,) = made.histories()
    said = {message.id: message.text for message in history.messages()}
    for question in made.questions(history.id):
        assert bool(question.gold.evidence) == question.gold.answerable
        if question.gold.category == "what":
            (message,) = question.gold.evidence
            assert question.gold.answers[0].lower() in said[message].lower()


def test_nothing_is_left_to_fill_in(tmp_path: Path) -> None:
    for path in write_benchmark(tmp_path / "diary"):
        assert "$" not in path.read_text("utf-8")


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary/log.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not an empty folder"):
        write_benchmark(tmp_path / "diary")
    assert [path.name for path in (tmp_path / "diary").iterdir()] == ["log.txt"]


@pytest.mark.parametrize("name", ["2024", "my diary", "a:b", ".", "$x"])
def test_a_name_that_no_dataset_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is not a valid name for a benchmark"):
        write_benchmark(tmp_path / name if name != "." else Path())
