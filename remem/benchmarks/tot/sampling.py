"""Draw Test of Time questions that have the same answer under all plausible readings.

A fact holds at a time t if start <= t <= end; occurrences are ordered by start (Test of Time,
semantic split).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from remem.benchmarks.tot.facts import LONGEST_YEARS, TemporalFact
from remem.benchmarks.tot.loader import directly_before, end_of, latest, mirror, start_of
from remem.files.yaml_text import read_texts

FILE = Path(__file__).parent / "texts" / "wording.yaml"


@dataclass(frozen=True, slots=True)
class TotWording:
    """A question template, the word for its placeholder `which`, and the entity asked for."""

    text: str
    which: str = ""
    asks: Literal["subject", "object"] = "subject"


@dataclass(frozen=True, slots=True)
class WrittenTemplate:
    """A template in the YAML file; each item of `which` gives one wording."""

    text: str
    which: tuple[str, ...] = ("",)
    asks: Literal["subject", "object"] = "subject"


@cache
def wordings() -> Mapping[str, tuple[TotWording, ...]]:
    """Return all wordings of each question type."""
    written = read_texts(FILE, dict[str, tuple[WrittenTemplate, ...]])
    return {
        question_type: tuple(
            TotWording(template.text, which, template.asks)
            for template in templates
            for which in template.which
        )
        for question_type, templates in written.items()
    }


Facts = Sequence[TemporalFact]
Proposal = tuple[dict[str, str], str]
"""The values of a wording's placeholders, and the label; None for an unsuitable question."""


def draw_question(
    question_type: str, wording: TotWording, facts: Facts, rng: np.random.Generator
) -> tuple[str, str] | None:
    """Return a question in this wording and its answer; None if no fact gives a suitable one."""
    propose = _proposer(question_type)
    for position in rng.permutation(len(facts)):
        proposal = propose(facts[position], facts, wording, rng)
        if proposal is not None:
            fields, label = proposal
            return wording.text.format(which=wording.which, **fields), label
    return None


def _proposer(
    question_type: str,
) -> Callable[[TemporalFact, Facts, TotWording, np.random.Generator], Proposal | None]:
    match question_type:
        case "event_at_time_t":
            return _event_at_time
        case "event_at_what_time":
            return _event_at_what_time
        case "number_of_events_in_time_interval":
            return _number_of_events
        case "before_after":
            return _before_after
        case "event_at_the_time_of_another_event":
            return _event_at_event
        case "first_last":
            return _first_last
        case "relation_duration":
            return _relation_duration
        case "timeline":
            return _timeline
        case _:
            raise ValueError(
                f"question type {question_type!r} is not one of the eight types of Test of Time"
            )


def _event_at_time(
    fact: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    year = int(rng.integers(fact.start, fact.end, endpoint=True))
    holders = _answers_in(year, fact, facts, wording)
    if len(holders) > 1:
        return None
    fields = {"relation": fact.relation, "given": _given_entity(fact, wording), "year": str(year)}
    return fields, holders.pop()


def _event_at_what_time(
    fact: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    if len(_occurrences(fact, facts)) > 1:
        return None
    return _triple_fields(fact), str(fact.start if wording.which == "start" else fact.end)


def _number_of_events(
    fact: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    years = [year for other in facts for year in (other.start, other.end)]
    first = int(rng.integers(min(years), max(years), endpoint=True))
    last = first + int(rng.integers(1, LONGEST_YEARS, endpoint=True))
    counted = {
        other.subject
        for other in _holders(fact, facts)
        if other.start <= last and other.end >= first
    }
    fields = {"relation": fact.relation, "given": fact.object}
    return fields | {"first": str(first), "last": str(last)}, str(len(counted))


def _before_after(
    anchor: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    others = [other for other in _holders(anchor, facts) if other is not anchor]
    if any(other.subject == anchor.subject for other in others):
        return None
    if wording.which == "before":
        neighbour = directly_before(anchor, others)
    else:
        neighbour = directly_before(mirror(anchor), [mirror(other) for other in others])
    if neighbour is None:
        return None
    fields = {"relation": anchor.relation, "given": anchor.object, "anchor": anchor.subject}
    return fields, neighbour


def _event_at_event(
    anchor: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    held = [
        other
        for other in facts
        if other.start <= anchor.start <= other.end
        and (other.relation, _given_entity(other, wording))
        != (anchor.relation, _given_entity(anchor, wording))
    ]
    if not held or len(_occurrences(anchor, facts)) > 1:
        return None
    fact = held[rng.integers(len(held))]
    answers = _answers_in(anchor.start, fact, facts, wording)
    if len(answers) > 1:
        return None
    fields = {"subject": anchor.subject, "anchor": anchor.relation, "object": anchor.object}
    return fields | {
        "relation": fact.relation,
        "given": _given_entity(fact, wording),
    }, answers.pop()


def _first_last(
    fact: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    holders = _holders(fact, facts)
    if len({holder.subject for holder in holders}) < 2:
        return None
    if wording.which == "first":
        holders = [mirror(holder) for holder in holders]
    by_start, by_end = latest(holders, start_of), latest(holders, end_of)
    if by_start != by_end or len(by_end) > 1:
        return None
    return {"relation": fact.relation, "given": fact.object}, by_end.pop()


def _relation_duration(
    fact: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    occurrences = sorted(_occurrences(fact, facts), key=start_of)
    if len(occurrences) < 2:
        return None
    position = int(rng.integers(len(occurrences)))
    occurrence = occurrences[position]
    nth = ("1st", "2nd", "3rd", "4th")[position]
    return _triple_fields(fact) | {"nth": nth}, str(occurrence.end - occurrence.start)


def _timeline(
    fact: TemporalFact, facts: Facts, wording: TotWording, rng: np.random.Generator
) -> Proposal | None:
    key = start_of if wording.which == "start" else end_of
    holders = sorted(_holders(fact, facts), key=key)
    subjects = [holder.subject for holder in holders]
    repeated = len(set(subjects)) < len(holders) or len(set(map(key, holders))) < len(holders)
    if len(holders) < 2 or repeated:
        return None
    return {"relation": fact.relation, "given": fact.object}, ",".join(subjects)


def _answers_in(year: int, fact: TemporalFact, facts: Facts, wording: TotWording) -> set[str]:
    """Return all answers to the question that `fact` answers in that year."""
    return {
        other.object if wording.asks == "object" else other.subject
        for other in facts
        if other.relation == fact.relation
        and _given_entity(other, wording) == _given_entity(fact, wording)
        and other.start <= year <= other.end
    }


def _given_entity(fact: TemporalFact, wording: TotWording) -> str:
    return fact.subject if wording.asks == "object" else fact.object


def _holders(fact: TemporalFact, facts: Facts) -> list[TemporalFact]:
    """Return the facts with the same relation and object."""
    key = (fact.relation, fact.object)
    return [other for other in facts if (other.relation, other.object) == key]


def _occurrences(fact: TemporalFact, facts: Facts) -> list[TemporalFact]:
    """Return the facts with the same triple."""
    return [other for other in _holders(fact, facts) if other.subject == fact.subject]


def _triple_fields(fact: TemporalFact) -> dict[str, str]:
    return {"subject": fact.subject, "relation": fact.relation, "object": fact.object}
