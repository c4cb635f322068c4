"""A dataset of one's own: a few notes and two questions. Its class reads your files instead."""

from collections.abc import Sequence

from remem.benchmarks.loaded import LoadedBenchmark
from remem.protocols import DataFile
from remem.time_scope import TimePoint
from remem.types import REFUSAL_PHRASE, Episode, Gold, History, Message, Query, Question


class Notes(LoadedBenchmark):
    """One history; ids must be unique, and every gold answer some text: this is checked."""

    def __init__(self, *, day: int) -> None:
        said = ("Ann: I planted two cherry trees.", "Bob: I sold my blue boat to Carla.")
        messages = tuple(
            Message(f"n{n}", *one.split(": ", 1), TimePoint(2024, 3, day), f"{day} March 2024")
            for n, one in enumerate(said, start=1)
        )
        history = History("notes", (Episode("e1", messages),))
        super().__init__([(history, _asked())], [DataFile("notes", "no file: made in the code")])


def _asked() -> Sequence[Question]:
    sold = Gold(("a blue boat",), "single", evidence=("n2",), group="notes")
    nobody = Gold((REFUSAL_PHRASE,), "adversarial", answerable=False, group="notes")
    return [
        Question(Query("q1", "notes", 0, "What did Bob sell to Carla?"), sold),
        Question(Query("q2", "notes", 1, "Which car did Ann buy?"), nobody),
    ]
