"""How many questions about made-up logs `remem ask` answers right, by rules and by a model.

The logs and questions are our own (tests/ask). The rules were tuned on the first 20 logs only.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from remem.benchmarks.own_log.reading import read_log
from remem.run.log_answer import LogAnswer, spoken
from remem.run.log_memory import open_memory
from remem.temporal.loose_dates import resolve_dates
from remem.time_scope import TimePoint

LOGS = Path(__file__).parents[2] / "tests" / "ask"
TUNED_ON = 20
"""The logs up to this number were seen when the rules were tuned."""
KINDS = ("a date", "a name, place, number or reason", "nothing: the log does not say")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about a log, and the words that a right answer has; None if there is no answer."""

    log: str
    question: str
    answer: str | None

    @property
    def held_out(self) -> bool:
        """Tell whether the log was not seen when the rules were tuned."""
        return int(self.log[:2]) > TUNED_ON

    @property
    def kind(self) -> str:
        """Return what is asked for."""
        if self.answer is None:
            return KINDS[2]
        asks_date = re.match(r"(?:until )?when\b", self.question, re.IGNORECASE)
        return KINDS[0] if asks_date else KINDS[1]


@dataclass(frozen=True, slots=True)
class Judged:
    """A question, what was answered, and whether that is right."""

    asked: AskedQuestion
    answer: str
    right: bool


def questions(folder: Path = LOGS) -> list[AskedQuestion]:
    """Read the questions."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [AskedQuestion(**json.loads(line)) for line in lines]


def ask_all(
    asked: Sequence[AskedQuestion], overrides: Sequence[str], folder: Path = LOGS
) -> Iterator[Judged]:
    """Ask each question of a memory of its log, which is made once a log."""
    for log in sorted({question.log for question in asked}):
        with (
            TemporaryDirectory() as place,
            open_memory(Path(place), overrides, make=True) as memory,
        ):
            memory.add(read_log(folder / "logs" / log).messages)
            for question in asked:
                if question.log == log:
                    yield judged(question, memory.ask(question.question))


def judged(asked: AskedQuestion, answer: LogAnswer) -> Judged:
    """Judge an answer by the words of the gold answer.

    Right is an answer whose sentence has the gold answer, as whole words in its order. If a date is
    asked for, its date may have it: the dates of a model's sentence, if it has any, else the date
    of the source. If a person is asked for and the sentence says "I", its speaker may be it. Where
    the log does not say, only "nothing" is right.
    """
    shown = " | ".join(part for part in (answer.text, _beside(asked, answer)) if part)
    if asked.answer is None:
        return Judged(asked, shown, not answer.text)
    gold = rf"(?<![\w.,]){re.escape(asked.answer)}(?![\w]|[.,]\d)"
    return Judged(asked, shown, re.search(gold, shown, re.IGNORECASE) is not None)


def _beside(asked: AskedQuestion, answer: LogAnswer) -> str:
    """Return what is shown next to the sentence and is a part of the answer."""
    if asked.kind == KINDS[0]:
        own = () if _is_quoted(answer) else resolve_dates(answer.text, _said(answer))
        return "; ".join(spoken(date.scope) for date in own) or answer.when
    by_name = answer.quote is not None and re.match("who", asked.question, re.IGNORECASE)
    if by_name and answer.quote and re.search(r"\bI\b", answer.text):
        return f"said by {answer.quote.message.speaker}"
    return ""


def _is_quoted(answer: LogAnswer) -> bool:
    return answer.quote is not None and answer.text == answer.quote.sentence


def _said(answer: LogAnswer) -> TimePoint | None:
    return answer.quote.message.time if answer.quote else None


def share(found: Sequence[Judged], wanted: Callable[[AskedQuestion], bool]) -> str:
    """Write how many of the wanted questions were answered right: "28 of 30 (93%)"."""
    chosen = [item.right for item in found if wanted(item.asked)]
    return f"{sum(chosen)} of {len(chosen)} ({sum(chosen) / len(chosen):.0%})" if chosen else "-"


def rows(found: Sequence[Judged]) -> list[tuple[str, str, str]]:
    """Return a row for each kind of question and one for all: seen logs, then held-out logs."""
    listed = []
    for name, kinds in (*((kind, {kind}) for kind in KINDS), ("all", set(KINDS))):
        cells = [
            share(found, lambda asked: asked.kind in kinds and asked.held_out is held)  # noqa: B023  used at once
            for held in (False, True)
        ]
        listed.append((name, cells[0], cells[1]))
    return listed
