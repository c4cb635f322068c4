"""Complex-TR: questions on dated facts about people and institutions (paper, Datasets).

All facts are one history, with one episode per fact. Each question lists the facts about its
subject. As in the released code, all these facts are its gold evidence. A question id starts with
its level. In L2, L2M and L2H, the question refers to a date, and in L3, L3M and L3H to an event.
The M stands for an interval, and the H for a distance from the date or event.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from remem.benchmarks.complex_tr.facts import TimedFact
from remem.benchmarks.json_files import checked, field, gold_text, read_json
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.intake import Intake
from remem.metrics.qa import checked_separator, join_answers
from remem.protocols import DataFile
from remem.types import AnswerSeparator, Episode, Gold, History, Message, Query, Question

Names = tuple[str, ...]
Facts = Sequence[TimedFact]


def directly_before(anchor: TimedFact, others: Facts) -> Names:
    """Return the object of the fact directly before the anchor.

    "Directly before" has several meanings; the result is () unless all of them give one object.
    """
    ended = [other for other in others if other.end <= anchor.start]
    readings = (
        _latest(ended, _end_of),
        _latest(ended, _start_of),
        _latest([other for other in others if other.start < anchor.start], _start_of),
        _latest([other for other in others if other.end < anchor.end], _end_of),
    )
    agreed = set.union(*readings)
    return tuple(agreed) if len(agreed) == 1 and all(readings) else ()


def mirror(fact: TimedFact) -> TimedFact:
    """Return the fact with its time negated, so that "after" becomes "before"."""
    return replace(fact, start=-fact.end, end=-fact.start)


def in_order(facts: Facts) -> Names:
    """Return the distinct objects, earliest start first; () if two objects start together."""
    starts: dict[str, int] = {}
    for fact in sorted(facts, key=lambda fact: fact.start):
        starts.setdefault(fact.object, fact.start)
    return tuple(starts) if len(set(starts.values())) == len(starts) else ()


def _latest(facts: Facts, key: Callable[[TimedFact], int]) -> set[str]:
    largest = max(map(key, facts), default=0)
    return {fact.object for fact in facts if key(fact) == largest}


def _start_of(fact: TimedFact) -> int:
    return fact.start


def _end_of(fact: TimedFact) -> int:
    return fact.end


logger = logging.getLogger(__name__)

HISTORY_ID = "complex-tr"
RECORD_ID = re.compile(r"(?P<kind>L[23])[MH]?_(?P<subject>Q[0-9]+)_P[0-9]+(?:_P[0-9]+)?_[0-9]+")
CATEGORIES = {"L2": "time_to_event", "L3": "event_to_event"}


@dataclass(frozen=True, slots=True)
class ComplexTrItem:
    """One record: its question, the parts of its answer, and the facts that it states."""

    id: str
    category: str
    subject: str
    question: str
    items: tuple[str, ...]
    facts: tuple[str, ...]


class ComplexTR(BenchmarkOnLoaded):
    """The sample in the released code: 1,000 questions as records, and a corpus of facts."""

    def __init__(
        self, *, data: str, questions: str, corpus: str, answer_separator: AnswerSeparator
    ) -> None:
        raw_questions, questions_file = read_json(Path(data), "complex_tr", questions)
        raw_corpus, corpus_file = read_json(Path(data), "complex_tr", corpus)
        items = read_items(raw_questions, questions_file.name)
        facts = read_corpus(raw_corpus, corpus_file.name)
        check_corpus(facts, items, corpus_file.name)
        self._loaded = build_benchmark(
            items, facts, (questions_file, corpus_file), answer_separator
        )


def read_items(raw: Any, name: str) -> list[ComplexTrItem]:
    """Return the records of a file."""
    return [
        read_item(record, f"record {position} of {name}")
        for position, record in enumerate(checked(raw, list, name))
    ]


def read_item(record: Any, where: str) -> ComplexTrItem:
    """Return a record from its parsed JSON."""
    item_id = field(record, "id", str, where)
    match = RECORD_ID.fullmatch(item_id)
    if match is None:
        raise ValueError(f"{where} has the id {item_id!r}, expected the form 'L2M_Q42_P69_0'")
    where = f"{item_id} ({where})"
    texts = [gold_text(answer, where) for answer in field(record, "answers", list, where)]
    if not texts or not all(text.strip() for text in texts):
        raise ValueError(f"{where} has the answers {texts}, expected one or more non-empty texts")
    return ComplexTrItem(
        id=item_id,
        category=CATEGORIES[match["kind"]],
        subject=match["subject"],
        question=field(record, "question", str, where).strip(),
        items=tuple(texts),
        facts=tuple(dict.fromkeys(split_lines(field(record, "fact_context", str, where)))),
    )


def split_lines(context: str) -> Iterator[str]:
    r"""Return the non-empty lines of a context, separated by " \n " (or " \n" in level L2H)."""
    return (line.strip() for line in context.split("\n") if line.strip())


def stated_facts(items: Iterable[ComplexTrItem]) -> list[str]:
    """Return the distinct facts of all questions, in code-point order."""
    return sorted({fact for item in items for fact in item.facts})


def read_corpus(raw: Any, name: str) -> list[str]:
    """Return the distinct facts of a corpus, in code-point order."""
    lines = [checked(line, str, f"a line of {name}") for line in checked(raw, list, name)]
    facts = sorted({line.strip() for line in lines} - {""})
    if facts != lines:
        logger.warning(
            "%s has lines that are unsorted, repeated or padded with spaces; remem corrects this",
            name,
        )
    return facts


def check_corpus(facts: Sequence[str], items: Sequence[ComplexTrItem], name: str) -> None:
    """Check that the corpus has all facts of the questions; log facts that no question states."""
    fact_ids = set(facts)
    for item in items:
        for fact in item.facts:
            if fact not in fact_ids:
                raise ValueError(
                    f"{item.id} states {fact!r}, which is not in {name}; use both files from the "
                    f"same release"
                )
    others = sorted(fact_ids - set(stated_facts(items)))
    if others:
        logger.warning("%s: facts without a question: %d (first: %r)", name, len(others), others[0])


def build_benchmark(
    items: Sequence[ComplexTrItem],
    facts: Sequence[str],
    files: Sequence[DataFile],
    separator: AnswerSeparator,
) -> LoadedBenchmark:
    """Return a benchmark with an episode for each fact, and a question for each item in order.

    A number is appended to a repeated question id.
    """
    ids = {fact: f"s{number:04d}" for number, fact in enumerate(facts, start=1)}
    history = History(
        HISTORY_ID,
        tuple(Episode(i, (Message(i, speaker="", text=fact),)) for fact, i in ids.items()),
    )
    seen: Counter[str] = Counter()
    intake: Intake[Question] = Intake("questions")
    for index, item in enumerate(items):
        seen[item.id] += 1
        query_id = item.id if seen[item.id] == 1 else f"{item.id}#{seen[item.id]}"
        gold = Gold(
            answers=(join_answers(item.items, checked_separator(separator)),),
            category=item.category,
            items=item.items,
            separator=separator,
            evidence=tuple(ids[fact] for fact in item.facts),
            group=item.subject,
        )
        intake.keep(Question(Query(query_id, HISTORY_ID, index, item.question), gold))
        if query_id != item.id:
            intake.repair(
                query_id, "they repeated the id of an earlier question, and a number was added"
            )
    account = intake.account(arrived=len(items))
    return LoadedBenchmark([(history, intake.items)], files, (account,))
