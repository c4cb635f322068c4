"""The people and institutions of a generated Complex-TR, each with the facts of its life.

As in the real records, facts of one relation may follow each other with or without a gap, overlap,
or start at the same time. Facts are dated to the month; if only the year is known, the month is
January. A fact that is still true ends in May 2023. The numbers
that control the random draws are our own, chosen so that a subject has about as many facts as in
the real data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from remem.benchmarks.complex_tr.wording import wording, write_month
from remem.files.yaml_text import read_texts

FILE = Path(__file__).parent / "texts" / "names.yaml"


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of names; `templates` has name templates for institutions and for some relations."""

    given_names: tuple[str, ...]
    family_stems: tuple[str, ...]
    family_endings: tuple[str, ...]
    place_stems: tuple[str, ...]
    place_endings: tuple[str, ...]
    templates: Mapping[str, tuple[str, ...]]


@cache
def parts() -> Parts:
    """Return all parts of names."""
    return read_texts(FILE, Parts)


def draw_name(kind: str, places: Sequence[str], rng: np.random.Generator) -> str:
    """Draw a name from the templates of a kind; if it has no templates, draw a person's name."""
    if kind not in parts().templates:
        return draw_person(places, rng)
    here, there = rng.permutation(len(places))[:2]
    number = rng.integers(4, 20)
    return _pick(parts().templates[kind], rng).format(p=places[here], q=places[there], n=number)


def draw_places(count: int, rng: np.random.Generator) -> list[str]:
    """Draw different names of towns and countries."""
    names: dict[str, None] = {}
    while len(names) < count:
        names[_pick(parts().place_stems, rng) + _pick(parts().place_endings, rng)] = None
    return list(names)


def draw_person(places: Sequence[str], rng: np.random.Generator) -> str:
    """Draw a name like "Ana Lönnberg"; some have an initial, a title or a second family name."""
    given = _pick(parts().given_names, rng)
    family = _pick(parts().family_stems, rng) + _pick(parts().family_endings, rng)
    match int(rng.integers(12)):
        case 0:
            return f"{given} {family[0]}. {family}"
        case 1:
            return f"{given} {family}, {rng.integers(4, 9)}th Baron {_pick(places, rng)}"
        case 2:
            return f"{given} {family} i {_pick(parts().family_stems, rng)}elis"
        case 3:
            return f"{given}-{_pick(parts().given_names, rng)} {family}"
        case _:
            return f"{given} {family}"


def _pick(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


LAST_MONTH = 2023 * 12 + 4
"""May 2023, counted from January of year 0."""

FIRST_YEARS = (1870, 1970, 1990)
"""The earliest, the most likely and the latest first year of a life."""
FEWEST_FACTS = 3
PLACES_PER_SUBJECT = 4
CHANCE_TO_LAST = 0.6
CHANCE_OF_INSTANT = 0.04
CHANCE_OF_RETURN = 0.08
"""Probability that a person returns to a former place of study, employer, team, ..."""
CHANCE_OF_MOVE = 0.15
"""Probability that a club has the coach of another club."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TimedFact:
    """One line of a context: a fact that is true from the month `start` to the month `end`.

    Both months are included. Months are counted from January of year 0.
    """

    relation: str
    subject: str
    object: str
    start: int
    end: int

    def __str__(self) -> str:
        stated = (
            wording().statements[self.relation].format(subject=self.subject, object=self.object)
        )
        return f"{stated} from {write_month(self.start)} to {write_month(self.end)}."


@dataclass(frozen=True, slots=True)
class Subject:
    """The person or institution that questions are about, with an id in Wikidata's form."""

    id: str
    name: str
    facts: tuple[TimedFact, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """The timing of the facts of a relation.

    `begins` is a range for the number of years from the first year of a life to the first fact.
    `longest_years` is the maximum duration of a fact, and `exact` is the share of subjects whose
    facts are dated to the month.
    """

    begins: tuple[int, int]
    longest_years: int
    exact: float


PACES: Mapping[str, Pace] = {
    "P69": Pace((6, 18), 5, 0.1),
    "P108": Pace((20, 30), 9, 0.2),
    "P54": Pace((16, 20), 4, 0.7),
    "P39": Pace((28, 42), 6, 0.8),
    "P102": Pace((18, 28), 12, 0.3),
    "P166": Pace((25, 40), 6, 0.7),
    "P26": Pace((22, 34), 20, 0.4),
    "P551": Pace((0, 40), 15, 0.1),
    "P937": Pace((0, 40), 15, 0.5),
    "P127": Pace((0, 40), 15, 0.5),
    "P286": Pace((0, 30), 4, 0.9),
    "P488": Pace((0, 30), 7, 0.8),
    "P6": Pace((0, 20), 4, 0.9),
    "P35": Pace((0, 20), 8, 0.9),
}

# The share of each kind of subject, and how many facts of each relation it has.
KINDS: Mapping[str, tuple[float, Mapping[str, tuple[int, int]]]] = {
    "scholar": (0.4, {"P69": (1, 4), "P108": (2, 6), "P39": (0, 1), "P26": (0, 1), "P551": (0, 1)}),
    "politician": (0.28, {"P69": (1, 3), "P39": (2, 6), "P102": (1, 4), "P26": (0, 2)}),
    "player": (0.12, {"P69": (0, 2), "P54": (3, 9), "P108": (0, 2), "P26": (0, 1)}),
    "marshal": (0.04, {"P39": (2, 5), "P166": (3, 7), "P937": (0, 1)}),
    "club": (0.1, {"P286": (2, 9), "P488": (1, 5), "P127": (0, 2)}),
    "old club": (0.02, {"P286": (4, 8), "P488": (15, 30)}),
    "state": (0.04, {"P6": (3, 8), "P35": (0, 2)}),
}
NAMED_AS: Mapping[str, str] = {"club": "club", "old club": "club", "state": "state"}
"""Name templates of institutions; every other kind is a person."""


def draw_subjects(count: int, rng: np.random.Generator) -> list[Subject]:
    """Draw subjects with different names."""
    subjects: dict[str, Subject] = {}
    shares = [share for share, _ in KINDS.values()]
    coaches: list[str] = []
    while len(subjects) < count:
        kind = list(KINDS)[rng.choice(len(KINDS), p=shares)]
        places = draw_places(PLACES_PER_SUBJECT, rng)
        name = draw_name(NAMED_AS.get(kind, "person"), places, rng)
        facts = _draw_facts(kind, name, places, coaches, rng)
        if name not in subjects and len(facts) >= FEWEST_FACTS:
            coaches += [fact.object for fact in facts if fact.relation == "P286"]
            subjects[name] = Subject(f"Q{9_000_000_000 + len(subjects)}", name, facts)
    return list(subjects.values())


def _draw_facts(
    kind: str, name: str, places: list[str], coaches: list[str], rng: np.random.Generator
) -> tuple[TimedFact, ...]:
    first_year = int(rng.triangular(*FIRST_YEARS))
    facts: list[TimedFact] = []
    for relation, (fewest, most) in KINDS[kind][1].items():
        count = int(rng.integers(fewest, most, endpoint=True))
        for start, end in _draw_spans(count, first_year, PACES[relation], rng):
            object_ = _draw_object(relation, facts, places, coaches, rng)
            facts.append(TimedFact(relation, name, object_, start, end))
    return tuple(dict.fromkeys(_until_death(facts)))


def _draw_object(
    relation: str,
    facts: list[TimedFact],
    places: list[str],
    coaches: list[str],
    rng: np.random.Generator,
) -> str:
    """Draw the object of the next fact, either a known name or a new one."""
    if relation == "P286" and coaches and rng.random() < CHANCE_OF_MOVE:
        return coaches[rng.integers(len(coaches))]
    related = ("P69", "P108") if relation == "P108" else (relation,)
    earlier_objects = [fact.object for fact in facts if fact.relation in related]
    if earlier_objects and rng.random() < CHANCE_OF_RETURN:
        return earlier_objects[rng.integers(len(earlier_objects))]
    while True:
        name = draw_name(relation, places, rng)
        if name not in earlier_objects:
            return name


def _until_death(facts: list[TimedFact]) -> list[TimedFact]:
    """Set the end of each award to the latest end of all awards, because the holder dies then."""
    last = max((fact.end for fact in facts if fact.relation == "P166"), default=0)
    return [replace(fact, end=last) if fact.relation == "P166" else fact for fact in facts]


def _draw_spans(count: int, first_year: int, pace: Pace, rng: np.random.Generator) -> list[Span]:
    """Draw the start and end months of the facts of one relation, in order of their start."""
    unit = 1 if rng.random() < pace.exact else 12
    start = 12 * (first_year + int(rng.integers(*pace.begins, endpoint=True)))
    start += int(rng.integers(12 // unit))  # the month, or January
    spans: list[Span] = []
    while len(spans) < count and start < LAST_MONTH:
        instant = rng.random() < CHANCE_OF_INSTANT
        length = 0 if instant else unit * int(rng.integers(1, pace.longest_years * 12 // unit))
        spans.append((start, min(start + length, LAST_MONTH)))
        start = _draw_next_start(spans[-1], unit, rng)
    if spans and spans[-1][0] > LAST_MONTH - 360 and rng.random() < CHANCE_TO_LAST:
        spans[-1] = (spans[-1][0], LAST_MONTH)
    return spans


def _draw_next_start(span: Span, unit: int, rng: np.random.Generator) -> int:
    """Draw the start of the fact after `span`: at its end, later, during it, or at its start."""
    start, end = span
    chance = rng.random()
    if chance < 0.45:
        return end
    if chance < 0.75:
        return end + unit * int(rng.integers(1, 48 // unit))
    if chance < 0.95:
        return start + unit * int(rng.integers((end - start) // unit + 1))
    return start
