"""Two small made-up histories, with a fact in each message that nothing else can know."""

from dataclasses import dataclass

from remem.temporal.dates import format_point
from remem.time_scope import TimePoint
from remem.types import Episode, History, Message, Query


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A message whose last word occurs nowhere else, and a question about it."""

    message: Message
    word: str
    question: str


@dataclass(frozen=True, slots=True)
class PlantedHistory:
    """A history of planted facts."""

    id: str
    facts: tuple[PlantedFact, ...]

    @property
    def history(self) -> History:
        """Return the history, one session for each fact."""
        episodes = (
            Episode(f"session_{at}", (fact.message,)) for at, fact in enumerate(self.facts, 1)
        )
        return History(self.id, tuple(episodes))

    def query(self, text: str) -> Query:
        """Return a question to this history."""
        return Query(f"{self.id}/{text}", self.id, 0, text)


def _planted(name: str, year: int, facts: tuple[tuple[str, str, str], ...]) -> PlantedHistory:
    planted = []
    for at, (speaker, thing, word) in enumerate(facts, 1):
        time = TimePoint(year, 3 * at, 5 + 7 * at, 600)
        message = Message(
            f"{name}:{at}",
            speaker,
            f"I named my {thing} {word}",
            time,
            format_point(TimePoint(year, 3 * at, 5 + 7 * at)),
        )
        planted.append(PlantedFact(message, word, f"What did {speaker} name the {thing}?"))
    return PlantedHistory(name, tuple(planted))


FIRST = _planted(
    "planted-1",
    2031,
    (("Ann", "boat", "Quibberdast"), ("Bob", "parrot", "Zelmontrice"), ("Ann", "lamp", "Vorkanip")),
)
SECOND = _planted(
    "planted-2",
    2034,
    (("Cid", "horse", "Brumfoldy"), ("Dee", "guitar", "Taxelwin"), ("Cid", "tent", "Ostrivane")),
)
NEVER_SAID = "Wexulbrath"
"""A word of a question that no message contains."""
UNANSWERED = f"Has Ann ever sailed her boat to {NEVER_SAID}?"
