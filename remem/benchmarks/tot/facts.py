"""The temporal facts of a generated Test of Time graph, and the five orders of its facts.

Each edge gets 1 to 3 relations, each relation gets an arity, and each triple gets one or more
intervals. In an n-1 relation, for example, a subject has only one object at a time. The ranges of
values are those of the real records. We chose the weights so that the average number of facts is
about the published one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from remem.benchmarks.tot.graphs import Edge

N_LABELS = 99
LONGEST_YEARS = 10
PLACEMENT_TRIES = 12
SORTING_TYPES = (
    "shuffle",
    "relation_and_start_time",
    "start_time_and_relation",
    "start_time_and_target",
    "target_and_start_time",
)


@dataclass(frozen=True, slots=True)
class TemporalFact:
    """One line of a prompt: a relation between two entities, with its first and last year."""

    subject: str
    relation: str
    object: str
    start: int
    end: int

    def __str__(self) -> str:
        triple = f"{self.subject} was the {self.relation} of {self.object}"
        return f"{triple} from {self.start} to {self.end}."


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The labels of entities and relations, in an order that is the same for all graphs."""

    entities: tuple[str, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactStyle:
    """How the facts of a family of graphs are drawn; ranges include both ends.

    The n-th weight is the probability of n relations per edge, or of n intervals per triple.
    `instant_share` is the share of relations whose facts start and end in the same year.
    """

    n_relations: tuple[int, int]
    relation_weights: tuple[float, ...]
    interval_weights: tuple[float, ...]
    first_year: tuple[int, int]
    window_years: int
    instant_share: float


SYNTHETIC = FactStyle(
    n_relations=(4, 12),
    relation_weights=(0.36, 0.34, 0.3),
    interval_weights=(0.87, 0.08, 0.03, 0.02),
    first_year=(1910, 1990),
    window_years=30,
    instant_share=0.0,
)
WIKIDATA = FactStyle(
    n_relations=(2, 5),
    relation_weights=(0.9, 0.08, 0.02),
    interval_weights=(0.84, 0.1, 0.04, 0.02),
    first_year=(1850, 1960),
    window_years=60,
    instant_share=0.5,
)


@dataclass(frozen=True, slots=True)
class _Relation:
    label: str
    one_subject: bool
    one_object: bool
    instant: bool


class _Timetable:
    """The facts placed so far, and the years that are taken for each triple and "one" side."""

    def __init__(self) -> None:
        self.facts: list[TemporalFact] = []
        self._busy: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)

    def place(self, triple: tuple[str, _Relation, str], tries: Iterable[tuple[int, int]]) -> None:
        """Add a fact with the first interval in `tries` that overlaps no conflicting fact."""
        subject, relation, object_ = triple
        keys: list[tuple[str, ...]] = [(subject, relation.label, object_)]
        if relation.one_subject:
            keys.append(("object", relation.label, object_))
        if relation.one_object:
            keys.append(("subject", relation.label, subject))
        taken = [years for key in keys for years in self._busy[key]]
        for start, end in tries:
            for first, last in taken:
                if start <= last and first <= end:
                    break
            else:
                for key in keys:
                    self._busy[key].append((start, end))
                self.facts.append(TemporalFact(subject, relation.label, object_, start, end))
                return


def draw_vocabulary(rng: np.random.Generator) -> Vocabulary:
    """Draw the order of the labels E1 to E99 and R1 to R99."""
    entities = tuple(f"E{number}" for number in rng.permutation(N_LABELS) + 1)
    return Vocabulary(entities, tuple(f"R{number}" for number in rng.permutation(N_LABELS) + 1))


def draw_facts(
    edges: Sequence[Edge], style: FactStyle, vocabulary: Vocabulary, rng: np.random.Generator
) -> list[TemporalFact]:
    """Draw the facts of one graph; leave out an interval that conflicts with earlier facts."""
    labels = [vocabulary.entities[i] for i in rng.permutation(N_LABELS)]
    relations = _draw_relations(style, vocabulary, rng)
    first_year = int(rng.integers(*style.first_year, endpoint=True))
    triples = [
        (labels[source], relations[i], labels[target])
        for (source, target), n_relations in zip(
            edges, _draw_counts(style.relation_weights, len(edges), rng), strict=True
        )
        for i in rng.permutation(len(relations))[:n_relations]
    ]
    timetable = _Timetable()
    n_intervals = _draw_counts(style.interval_weights, len(triples), rng)
    for triple, count in zip(triples, n_intervals, strict=True):
        for _ in range(count):
            instant = triple[1].instant
            timetable.place(triple, _draw_years(first_year, style.window_years, instant, rng))
    return timetable.facts


def sort_facts(
    facts: Sequence[TemporalFact],
    sorting_type: str,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
) -> list[TemporalFact]:
    """Sort the facts by `sorting_type`: relations and targets by their index, ties at random."""
    shuffled = [facts[i] for i in rng.permutation(len(facts))]
    relation_rank = {label: rank for rank, label in enumerate(vocabulary.relations)}
    target_rank = {label: rank for rank, label in enumerate(vocabulary.entities)}
    match sorting_type:
        case "shuffle":
            return shuffled
        case "relation_and_start_time":
            return sorted(shuffled, key=lambda fact: (relation_rank[fact.relation], fact.start))
        case "start_time_and_relation":
            return sorted(shuffled, key=lambda fact: (fact.start, relation_rank[fact.relation]))
        case "start_time_and_target":
            return sorted(shuffled, key=lambda fact: (fact.start, target_rank[fact.object]))
        case "target_and_start_time":
            return sorted(shuffled, key=lambda fact: (target_rank[fact.object], fact.start))
        case _:
            raise ValueError(
                f"sorting type {sorting_type!r} is not one of {', '.join(SORTING_TYPES)}"
            )


def _draw_relations(
    style: FactStyle, vocabulary: Vocabulary, rng: np.random.Generator
) -> list[_Relation]:
    """Draw the relations of one graph, each with its arity (1-1, 1-n, n-1 or n-n)."""
    count = int(rng.integers(*style.n_relations, endpoint=True))
    return [
        _Relation(
            label=vocabulary.relations[i],
            one_subject=bool(rng.random() < 0.5),
            one_object=bool(rng.random() < 0.5),
            instant=bool(rng.random() < style.instant_share),
        )
        for i in rng.permutation(N_LABELS)[:count]
    ]


def _draw_counts(weights: Sequence[float], size: int, rng: np.random.Generator) -> list[int]:
    """Draw `size` numbers; the number n has the n-th weight."""
    drawn: list[int] = rng.choice(np.arange(1, len(weights) + 1), size=size, p=weights).tolist()
    return drawn


def _draw_years(
    first_year: int, window_years: int, instant: bool, rng: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """Yield random pairs of first and last year to try for a fact, cut at the window's end."""
    last_year = first_year + window_years
    last_start = last_year if instant else last_year - 2
    shortest, longest = (0, 0) if instant else (1, LONGEST_YEARS)
    starts = rng.integers(first_year, last_start, PLACEMENT_TRIES, endpoint=True)
    lengths = rng.integers(shortest, longest, PLACEMENT_TRIES, endpoint=True)
    tries = zip(starts.tolist(), lengths.tolist(), strict=True)
    return ((start, min(start + length, last_year)) for start, length in tries)
