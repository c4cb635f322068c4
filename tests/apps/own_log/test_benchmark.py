"""The user's own questions about their own log, as a benchmark."""

from pathlib import Path

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
