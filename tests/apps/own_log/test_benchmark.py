"""Questions of one's own on a log of one's own, as a benchmark."""

from pathlib import Path

import pytest

from remem.apps.own_log.logs.benchmark import OwnLog
from remem.types import REFUSAL_PHRASE

FOLDER = Path(__file__).parents[3] / "examples/own_log"


def test_the_example_is_read() -> None:
    made = OwnLog(log=str(FOLDER / "diary.txt"), questions=str(FOLDER / "questions.jsonl"))
    (history,) = made.histories()
    first, second, third = made.questions(history.id)
    assert (history.id, first.gold.evidence, first.gold.answers) == (
        "diary",
        ("m3",),
        ("2 June 2023",),
    )
    assert second.gold.evidence == ("m2",)
    assert (third.gold.answerable, third.gold.answers) == (False, (REFUSAL_PHRASE,))
    assert [file.name for file in made.files()] == ["diary.txt", "questions.jsonl"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"answer": "x"}', "questions.jsonl:1 has no 'question'"),
        (
            '{"question": "Who?", "answer": "Ann", "evidence": [7]}',
            "names message 7 as evidence, expected 1 to 6",
        ),
        (
            '{"question": "Who?", "answer": "Ann", "evidence": 7}',
            "'evidence' of .* is int, expected list",
        ),
        ('{"question": "Who?", "answer": 7}', "'answer' of .* is int, expected str"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, complaint: str) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(line)
    with pytest.raises(ValueError, match=complaint):
        OwnLog(log=str(FOLDER / "diary.txt"), questions=str(questions))
