"""Invented names for a generated Complex-TR that are as hard to parse as the real ones.

They have commas, "and", "to", "of", parentheses, double spaces, quotation marks, digits and
diacritics. Some start like other names, and some institutions can be both studied at and worked
for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from remem.benchmarks.text_files import read_texts

FILE = Path(__file__).parent / "texts" / "names.yaml"


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of names; `templates` has those for the objects of a relation and for two subjects."""

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
    """Draw a name of a kind in `Parts.templates`, with two places; other kinds give a person."""
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
