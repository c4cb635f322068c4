"""The checks of a memory, and the file in the folder of a run that stores their findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from remem.files.adapters import adapter, parsed
from remem.files.disk import write_whole
from remem.files.opened import read_file
from remem.protocols import Memory
from remem.run.question_record import checked_evidence, recordable
from remem.temporal.dates import find_dates, format_point
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, History, Message, Query

CHECKS = "memory_checks.json"
"""The file of the findings in a run's folder."""
CheckName = Literal["answers", "finds", "dates", "isolation", "empty", "repeats", "questions"]
HARD: frozenset[CheckName] = frozenset({"answers", "isolation", "questions"})
"""The checks whose failure stops a run."""
NOT_PACKED = "the details are not in the bundle"


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """The result of one check: its name, whether it passed, and the finding as text."""

    name: CheckName
    passed: bool
    found: str

    @property
    def stops(self) -> bool:
        """Return whether this result stops a run."""
        return not self.passed and self.name in HARD


def write_memory_checks(folder: Path, checks: tuple[MemoryCheck, ...]) -> None:
    """Write the findings on a memory into the folder of its run."""
    write_whole(folder / CHECKS, adapter(tuple[MemoryCheck, ...]).dump_json(checks) + b"\n")


def read_memory_checks(folder: Path) -> tuple[MemoryCheck, ...]:
    """Return the findings of a run; empty if its memory was not checked."""
    file = folder / CHECKS
    if not file.is_file():
        return ()
    return parsed(tuple[MemoryCheck, ...], read_file(file))


def packed_checks(folder: Path) -> dict[CheckName, bool]:
    """Return whether each check passed, by name.

    The findings are left out, because they may quote a model.
    """
    return {check.name: check.passed for check in read_memory_checks(folder)}


def restore_memory_checks(folder: Path, packed: Mapping[CheckName, bool]) -> None:
    """Write the checks from a bundle; write nothing if the memory was not checked."""
    if packed:
        checks = (MemoryCheck(name, passed, NOT_PACKED) for name, passed in packed.items())
        write_memory_checks(folder, tuple(checks))


LONGEST_SHOWN = 120


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
        """Return a query with a question about this history."""
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


@dataclass(frozen=True, slots=True)
class RecalledItem:
    """A recalled item, whatever its kind."""

    text: str
    time: TimePoint | None = None

    def has_word(self, word: str) -> bool:
        """Return whether the text contains a word."""
        return word.lower() in self.text.lower()

    def has_day(self, day: TimePoint) -> bool:
        """Return whether the time of the item, or a date in its text, is on this day."""
        points = [point for _, _, point in find_dates(self.text)]
        points += [self.time] if self.time else []
        return (day.year, day.month, day.day) in {(at.year, at.month, at.day) for at in points}


def check_memory(make_memory: Callable[[], Memory]) -> tuple[MemoryCheck, ...]:
    """Return the result of each check.

    If the memory cannot store and recall, only the failed check "answers" is returned. There are
    two planted histories, each in its own memory, as in a run. Both memories exist at the same
    time.

    Raises:
        StopRunError: An error concerns the whole run and not only the memory.
    """
    empty = _empty(make_memory())
    first, second = make_memory(), make_memory()
    try:
        for memory, planted in ((first, FIRST), (second, SECOND)):
            memory.index(planted.history)
        recalled = [_recalled(first, FIRST, fact.question) for fact in FIRST.facts]
    except Exception as error:  # noqa: BLE001  a memory may fail in any way, which is a finding
        cause = recordable(error, "the planted facts could not be stored or recalled")
        return (MemoryCheck("answers", False, f"{type(cause).__name__}: {cause}"),)
    checks = (lambda: _finds(recalled), lambda: _dates(recalled), lambda: _isolation(first, second))
    others = (lambda: _repeats(first), lambda: _questions(first))
    results = [_guarded(check) for check in (*checks, *others)]
    return (MemoryCheck("answers", True, "it stores and answers"), empty, *results)


def _guarded(check: Callable[[], MemoryCheck]) -> MemoryCheck:
    try:
        return check()
    except Exception as error:  # noqa: BLE001  as above
        cause = recordable(error, "a check of the memory failed")
        return MemoryCheck("answers", False, f"{type(cause).__name__}: {cause}")


def _empty(memory: Memory) -> MemoryCheck:
    """Query an empty memory."""
    try:
        items = _recalled(memory, FIRST, FIRST.facts[0].question)
    except Exception as error:  # noqa: BLE001  as above
        cause = recordable(error, "an empty memory was asked")
        return MemoryCheck(
            "empty", False, f"an empty memory fails: {type(cause).__name__}: {cause}"
        )
    if items:
        return MemoryCheck("empty", False, f"an empty memory recalls {_format_item(items[0])}")
    return MemoryCheck("empty", True, "an empty memory recalls nothing")


def _finds(recalled: Sequence[Sequence[RecalledItem]]) -> MemoryCheck:
    missed = [
        fact.message.text
        for fact, items in zip(FIRST.facts, recalled, strict=True)
        if not any(item.has_word(fact.word) for item in items)
    ]
    counted = (
        f"{len(recalled) - len(missed)} of {len(recalled)} planted facts are found by their "
        "question"
    )
    example = f"; {missed[0]!r} is not" if missed else ""
    return MemoryCheck("finds", not missed, counted + example)


def _dates(recalled: Sequence[Sequence[RecalledItem]]) -> MemoryCheck:
    """Compare the dates of recalled facts with those of their messages."""
    with_word = [
        (fact.message, [item for item in items if item.has_word(fact.word)])
        for fact, items in zip(FIRST.facts, recalled, strict=True)
    ]
    seen = [(message, items) for message, items in with_word if items]
    if not seen:
        return MemoryCheck("dates", False, "no planted fact was recalled, so no date was either")
    lost = [
        (message, items)
        for message, items in seen
        if message.time is None or not any(item.has_day(message.time) for item in items)
    ]
    if lost:
        message, items = lost[0]
        return MemoryCheck(
            "dates",
            False,
            f"{len(lost)} of {len(seen)} recalled facts lost their date: a message of "
            f"{message.date} is recalled as {_format_item(items[0])}",
        )
    return MemoryCheck("dates", True, f"{len(seen)} of {len(seen)} recalled facts have their date")


def _isolation(first: Memory, second: Memory) -> MemoryCheck:
    """Ask each memory about the facts of the other memory."""
    for memory, own, other in ((second, SECOND, FIRST), (first, FIRST, SECOND)):
        for fact in other.facts:
            for item in _recalled(memory, own, fact.question):
                if item.has_word(fact.word):
                    return MemoryCheck(
                        "isolation",
                        False,
                        f"a fact of history {other.id} is recalled in history {own.id}: "
                        f"{_format_item(item)}",
                    )
    return MemoryCheck("isolation", True, "no fact of one history is recalled in the other")


def _repeats(memory: Memory) -> MemoryCheck:
    for fact in FIRST.facts:
        once, again = (_recalled(memory, FIRST, fact.question) for _ in range(2))
        if once != again:
            return MemoryCheck(
                "repeats",
                False,
                f"asking the same question twice does not recall the same items ({len(once)}, "
                f"then {len(again)}): {fact.question!r}",
            )
    return MemoryCheck("repeats", True, "the same question recalls the same items")


def _questions(memory: Memory) -> MemoryCheck:
    """Ask a question twice, and look for the question itself among the items."""
    items = [item for _ in range(2) for item in _recalled(memory, FIRST, UNANSWERED)]
    echoes = [item for item in items if item.has_word(NEVER_SAID)]
    if echoes:
        return MemoryCheck(
            "questions", False, f"a question is recalled as {_format_item(echoes[0])}"
        )
    return MemoryCheck("questions", True, "no question is stored")


def _recalled(memory: Memory, planted: PlantedHistory, question: str) -> list[RecalledItem]:
    return list(_items(checked_evidence(memory.recall(planted.query(question)))))


def _items(evidence: Evidence) -> Iterator[RecalledItem]:
    yield from (RecalledItem(f"{gist.text} {gist.when}") for gist in evidence.gists)
    yield from (RecalledItem(f"{fact.text} {fact.when}") for fact in evidence.facts)
    yield from (RecalledItem(passage.text, passage.time) for passage in evidence.passages)


def _format_item(item: RecalledItem) -> str:
    text = " ".join(item.text.split())
    return repr(text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}...")
