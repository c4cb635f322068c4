"""Check a memory before the first question, with made-up histories that hold known facts.

A memory that fails one of the hard checks would give scores that mean nothing: it answers from
other histories, from earlier questions, or not at all.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from remem.config.conf_files import OUTSIDE, REPLAY_ENDPOINT, RIVALS
from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.protocols import Memory
from remem.run.health import UnhealthyMemoryError
from remem.run.local_models import check_local_model
from remem.run.memory_findings import MemoryCheck, write_memory_checks
from remem.run.planted_facts import FIRST, NEVER_SAID, SECOND, UNANSWERED, PlantedHistory
from remem.run.question_record import checked_evidence, recordable
from remem.run.served_embedder import ask_server
from remem.run.started_run import StartedRun
from remem.temporal.dates import find_dates
from remem.time_scope import TimePoint
from remem.types import Evidence

log = logging.getLogger(__name__)

LONGEST_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Item:
    """A recalled item, whatever its kind."""

    text: str
    time: TimePoint | None = None

    def has_word(self, word: str) -> bool:
        """Return whether the text contains a word."""
        return word.lower() in self.text.lower()

    def has_day(self, day: TimePoint) -> bool:
        """Return whether the item has the day of a date, as its time or in its text."""
        points = [point for _, _, point in find_dates(self.text)]
        points += [self.time] if self.time else []
        return (day.year, day.month, day.day) in {(at.year, at.month, at.day) for at in points}


def check_before_questions(run: StartedRun, make_memory: Callable[[], Memory]) -> None:
    """Check the models of a run, and its memory if that is another project's or a program.

    What the server of the embedder says, and the findings on the memory, are written into the
    folder of the run.

    Raises:
        StopRunError: The local model cannot be served.
        NotServedError: The encoder is not served where the run looks for it.
        UnhealthyMemoryError: A hard check failed, and `run.health` is "stop".
    """
    config, folder = run.config, run.store.folder
    check_local_model(f"llm={config.settings.llm.name}", config.chat_model)
    encoder = ask_server(config)
    if encoder is not None:
        run.manifest.keep_encoder(encoder)
    if not _is_checked(config):
        return
    checks = check_memory(make_memory)
    write_memory_checks(folder, checks)
    for check in checks:
        if not check.passed:
            log.warning("%s: check %r failed: %s", config.label, check.name, check.found)
    stopping = [check for check in checks if check.stops]
    if stopping and config.settings.run.health == "stop":
        raise UnhealthyMemoryError(
            f"{config.label} failed the check {stopping[0].name!r}: {stopping[0].found}; "
            f"run.health=warn continues anyway"
        )


def _is_checked(config: RunConfig) -> bool:
    """Return whether a run checks its memory.

    A run that replays stored replies has none to the questions about planted facts.
    """
    target = config.settings.method.build["_target_"]
    return target in OUTSIDE or (target in RIVALS and not _replays(config))


def _replays(config: RunConfig) -> bool:
    return any(node["_target_"] == REPLAY_ENDPOINT for node in nodes(config.settings.method.build))


def check_memory(make_memory: Callable[[], Memory]) -> tuple[MemoryCheck, ...]:
    """Return the result of every check; only the first if the memory does not answer.

    Each history gets a memory of its own, as in a run, and both exist at the same time.

    Raises:
        StopRunError: The memory cannot be used for a reason unrelated to its content.
    """
    empty = _empty(make_memory())
    first, second = make_memory(), make_memory()
    try:
        for memory, planted in ((first, FIRST), (second, SECOND)):
            memory.index(planted.history)
        found = [_recalled(first, FIRST, fact.question) for fact in FIRST.facts]
    except Exception as error:  # noqa: BLE001  a memory may fail in any way: it is a finding
        cause = recordable(error, "the planted facts could not be stored or recalled")
        return (MemoryCheck("answers", False, f"{type(cause).__name__}: {cause}"),)
    checks = (lambda: _finds(found), lambda: _dates(found), lambda: _isolation(first, second))
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
    """Ask a memory that nothing was stored in."""
    try:
        items = _recalled(memory, FIRST, FIRST.facts[0].question)
    except Exception as error:  # noqa: BLE001  as above
        cause = recordable(error, "an empty memory was asked")
        return MemoryCheck(
            "empty", False, f"an empty memory fails: {type(cause).__name__}: {cause}"
        )
    if items:
        return MemoryCheck("empty", False, f"an empty memory recalls {_shown(items[0])}")
    return MemoryCheck("empty", True, "an empty memory recalls nothing")


def _finds(found: Sequence[Sequence[Item]]) -> MemoryCheck:
    missed = [
        fact.message.text
        for fact, items in zip(FIRST.facts, found, strict=True)
        if not any(item.has_word(fact.word) for item in items)
    ]
    told = f"{len(found) - len(missed)} of {len(found)} planted facts are found by a question"
    example = f"; {missed[0]!r} is not" if missed else ""
    return MemoryCheck("finds", not missed, told + example)


def _dates(found: Sequence[Sequence[Item]]) -> MemoryCheck:
    """Compare the dates of recalled facts with those of their messages."""
    recalled = [
        (fact.message, [item for item in items if item.has_word(fact.word)])
        for fact, items in zip(FIRST.facts, found, strict=True)
    ]
    seen = [(message, items) for message, items in recalled if items]
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
            f"{message.date} is recalled as {_shown(items[0])}",
        )
    return MemoryCheck("dates", True, f"{len(seen)} of {len(seen)} recalled facts have their date")


def _isolation(first: Memory, second: Memory) -> MemoryCheck:
    """Ask each memory for the facts of the other."""
    for memory, own, other in ((second, SECOND, FIRST), (first, FIRST, SECOND)):
        for fact in other.facts:
            for item in _recalled(memory, own, fact.question):
                if item.has_word(fact.word):
                    return MemoryCheck(
                        "isolation",
                        False,
                        f"a fact of history {other.id} is recalled in history {own.id}: "
                        f"{_shown(item)}",
                    )
    return MemoryCheck("isolation", True, "no fact of one history is recalled in the other")


def _repeats(memory: Memory) -> MemoryCheck:
    for fact in FIRST.facts:
        once, again = (_recalled(memory, FIRST, fact.question) for _ in range(2))
        if once != again:
            return MemoryCheck(
                "repeats",
                False,
                f"the same question does not recall the same items twice ({len(once)}, then "
                f"{len(again)}): {fact.question!r}",
            )
    return MemoryCheck("repeats", True, "the same question recalls the same items")


def _questions(memory: Memory) -> MemoryCheck:
    """Ask a question twice, and look for its own words among the items."""
    items = [item for _ in range(2) for item in _recalled(memory, FIRST, UNANSWERED)]
    kept = [item for item in items if item.has_word(NEVER_SAID)]
    if kept:
        return MemoryCheck("questions", False, f"a question is recalled as {_shown(kept[0])}")
    return MemoryCheck("questions", True, "no question is stored")


def _recalled(memory: Memory, planted: PlantedHistory, question: str) -> list[Item]:
    return list(_items(checked_evidence(memory.recall(planted.query(question)))))


def _items(evidence: Evidence) -> Iterator[Item]:
    yield from (Item(f"{gist.text} {gist.when}") for gist in evidence.gists)
    yield from (Item(f"{fact.text} {fact.when}") for fact in evidence.facts)
    yield from (Item(passage.text, passage.time) for passage in evidence.passages)


def _shown(item: Item) -> str:
    text = " ".join(item.text.split())
    return repr(text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}...")
