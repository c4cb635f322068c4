"""Test of Time, semantic split: questions on lists of templated facts (paper, Datasets).

Each question is asked five times, with the facts in a different order. Records with the same set of
facts share one history, so each of the 560 graphs is indexed only once. The order of the facts is
stored in each query. With a `subset` of the records, graphs without questions are left out.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from remem.benchmarks.json_files import checked, field, gold_text, read_json
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark, check_unique
from remem.benchmarks.split import draw_subset, mark_subset
from remem.benchmarks.tot.facts import TemporalFact
from remem.prompts.interaction import PROMPT
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question


def directly_before(anchor: TemporalFact, others: Sequence[TemporalFact]) -> str | None:
    """Return the subject of the fact directly before the anchor.

    "Directly before" has several meanings. The result is None unless all of them lead to the same
    single entity.
    """
    ended = [other for other in others if other.end < anchor.start]
    ended_or_met = [other for other in others if other.end <= anchor.start]
    readings = [
        latest(ended, end_of),
        latest(ended, start_of),
        latest(ended_or_met, end_of),
        latest(ended_or_met, start_of),
        latest([other for other in others if other.start < anchor.start], start_of),
        latest([other for other in others if other.start <= anchor.start], start_of),
        latest([other for other in others if other.end < anchor.end], end_of),
        latest([other for other in others if other.end <= anchor.end], end_of),
    ]
    agreed = set.union(*readings)
    return agreed.pop() if len(agreed) == 1 and all(readings) else None


def latest(facts: Sequence[TemporalFact], key: Callable[[TemporalFact], int]) -> set[str]:
    """Return the subjects of the facts for which `key` is largest."""
    largest = max(map(key, facts), default=0)
    return {fact.subject for fact in facts if key(fact) == largest}


def mirror(fact: TemporalFact) -> TemporalFact:
    """Return the fact in reversed time, where "after" is "before" and "first" is "last"."""
    return replace(fact, start=-fact.end, end=-fact.start)


def start_of(fact: TemporalFact) -> int:
    """Return the year in which a fact starts."""
    return fact.start


def end_of(fact: TemporalFact) -> int:
    """Return the year in which a fact ends."""
    return fact.end


# A question may look like a fact ("was the R3 of"), so the facts end at the instruction.
FACT = re.compile(r"E[0-9]+ was the R[0-9]+ of E[0-9]+ from -?[0-9]+ to -?[0-9]+\.")


@dataclass(frozen=True, slots=True)
class TotItem:
    """One record of the file: its position, and its facts in the order of the prompt."""

    position: int
    facts: tuple[str, ...]
    prompt: str
    question: str
    category: str
    label: str


class ToTSemantic(BenchmarkOnLoaded):
    """The published benchmark: one list of records."""

    def __init__(self, *, data: str, file: str, subset: int | None, subset_seed: int) -> None:
        raw, source = read_json(Path(data), "test_of_time", file)
        self._loaded = self.from_json(
            raw, name=source.name, files=(source,), subset=subset, subset_seed=subset_seed
        )

    @staticmethod
    def from_json(
        raw: Any, *, name: str, files: Sequence[DataFile], subset: int | None, subset_seed: int
    ) -> LoadedBenchmark:
        """Return the benchmark from parsed JSON with the structure of the file.

        Args:
            raw: The list of records.
            name: The name of the data in error messages.
            files: The files that the data came from.
            subset: The number of records to use, equally many of each question type; None for all.
            subset_seed: The seed of the subset.
        """
        items = [
            read_item(record, position, f"record {position} of {name}")
            for position, record in enumerate(checked(raw, list, name))
        ]
        if subset is not None:
            drawn = draw_subset([item.category for item in items], subset, subset_seed)
            items = [items[position] for position in drawn]
            files = mark_subset(files, subset, subset_seed)
        graphs: dict[tuple[str, ...], list[TotItem]] = {}
        for item in items:
            graphs.setdefault(tuple(sorted(item.facts)), []).append(item)
        questions_of_history = []
        for facts, items in graphs.items():
            history = build_history(facts)
            questions_of_history.append((history, questions_of_items(history, items)))
        return LoadedBenchmark(questions_of_history, files)


def read_item(record: Any, position: int, where: str) -> TotItem:
    """Return one record; its prompt must contain its question."""
    prompt = field(record, "prompt", str, where)
    question = field(record, "question", str, where).strip()
    match = PROMPT.fullmatch(prompt)
    if match is None:
        raise ValueError(
            f"{where} has a prompt that does not consist of facts, an instruction and a question"
        )
    if match["question"].split() != question.split():
        raise ValueError(
            f"the prompt of {where} asks {match['question'].strip()!r}, expected {question!r}"
        )
    return TotItem(
        position=position,
        facts=read_facts(match["facts"], where),
        prompt=prompt,
        question=question,
        category=field(record, "question_type", str, where),
        label=gold_text(record.get("label"), where),
    )


def read_facts(text: str, where: str) -> tuple[str, ...]:
    """Return the facts of a prompt, each of which must match the template and be unique."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for line in lines:
        if not FACT.fullmatch(line):
            raise ValueError(
                f"{where} has the line {line!r}, expected 'E1 was the R2 of E3 from 1990 to 1995.'"
            )
    check_unique(lines, f"facts of {where}")
    return tuple(lines)


def build_history(facts: tuple[str, ...]) -> History:
    """Return a history with an episode for each fact; the facts and their ids are sorted."""
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()
    episodes = []
    for number, fact in enumerate(facts, start=1):
        fact_id = f"f{number:04d}"
        episodes.append(Episode(fact_id, (Message(fact_id, speaker="", text=fact),)))
    return History(f"tot-{digest[:12]}", tuple(episodes))


def questions_of_items(history: History, items: Sequence[TotItem]) -> list[Question]:
    """Return a question for each record; all these records have the facts of `history`."""
    ids = {message.text: message.id for message in history.messages()}
    return [
        Question(
            Query(
                id=f"tot-{item.position}",
                history_id=history.id,
                index=index,
                text=item.question,
                prompt=item.prompt,
                order=tuple(ids[fact] for fact in item.facts),
            ),
            Gold(answers=(item.label,), category=item.category, group=history.id),
        )
        for index, item in enumerate(items)
    ]
