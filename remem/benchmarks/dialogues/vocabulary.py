"""The data of pastimes and names for a dialogue, and random choices from them.

All names are invented. A dialogue uses only a few of them, so they recur across its events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from remem.benchmarks.json_files import read_texts

T = TypeVar("T")

TEXTS = Path(__file__).parent / "texts"


@dataclass(frozen=True, slots=True)
class Names:
    """The people and things that a dialogue may be about; `places` by the setting of a pastime."""

    speakers: tuple[str, ...]
    companions: tuple[str, ...]
    relations: tuple[str, ...]
    mutual_relation: str
    places: Mapping[str, tuple[str, ...]]
    good_moods: tuple[str, ...]
    bad_moods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Activity:
    """A pastime; `{object}` is the thing it was done with, on or to.

    The speakers use `told`, `bare` (without the object) and `planned`. The questions use `asked`,
    `asked_bare` and `what`, which leaves the object open. Their wordings share few words, so the
    words of a question alone do not lead to its evidence.
    """

    name: str
    told: tuple[str, ...]
    bare: str
    planned: str
    asked: tuple[str, ...]
    asked_bare: str
    what: str
    unit: str
    setting: str
    objects: tuple[str, ...]


@cache
def names() -> Names:
    """Return all names, places and moods."""
    return read_texts(TEXTS / "names.yaml", Names)


@cache
def pastimes() -> tuple[Activity, ...]:
    """Return all pastimes."""
    return read_texts(TEXTS / "pastimes.yaml", tuple[Activity, ...])


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """Draw one of the choices."""
    return choices[int(rng.integers(len(choices)))]


def sample(rng: np.random.Generator, choices: Sequence[T], size: int) -> tuple[T, ...]:
    """Draw `size` different choices; all of them, shuffled, if there are fewer."""
    return tuple(choices[i] for i in rng.permutation(len(choices))[:size])


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with this probability."""
    return bool(rng.random() < probability)
