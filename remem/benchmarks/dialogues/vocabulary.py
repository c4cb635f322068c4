"""The people, places and moods of the generated dialogues, and the shape of a pastime.

All names are invented; few enough are drawn for one dialogue that they recur across its events.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")

SPEAKERS = (
    *("Agnes", "Bruno", "Celia", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irma", "Jonas"),
    *("Klara", "Lorenz", "Mabel", "Nils", "Olive", "Pascal", "Ruth", "Stefan", "Thea", "Ulrich"),
)
COMPANIONS = (
    *("Rosa", "Imran", "Noor", "Wendell", "Tilda", "Kenji", "Amara", "Viggo", "Paloma", "Cedric"),
    *("Yusra", "Barnaby", "Leonie", "Mateo", "Sunniva", "Harriet", "Zoltan", "Bettina", "Odell"),
)
RELATIONS = ("cousin", "colleague", "neighbour", "old schoolmate", "flatmate", "teammate")
MUTUAL_RELATION = "friend"
PLACES = {
    "nature": (
        *("Cedar Lake", "Pike Island", "the Gullwing Reserve", "Thornbury Gorge"),
        *("Amber Cove", "the Hollin Marshes", "Bracken Valley", "the Selwyn Cliffs"),
    ),
    "studio": (
        *("the Marlow workshop", "Tinker's Barn", "the Hazel Street studio", "the Old Foundry"),
        *("the Lantern Collective", "the Ropewalk", "the Dyeworks", "the Bell Tower rooms"),
    ),
    "venue": (
        *("the Corn Exchange", "the Harbour Pavilion", "the Granary", "the Beacon Centre"),
        *("the Tramshed", "the Lido Rooms", "Union House", "the Magpie Hall"),
    ),
    "kitchen": (
        *("the community kitchen", "the Saffron School", "Bellweather Farm"),
        *("the Millbrook Canteen", "the Copper Ladle", "the parish house"),
    ),
    "garden": (
        *("the Marlow allotments", "Rosehip Nursery", "the rooftop terrace"),
        *("Orchard Close", "the school grounds", "the Priory"),
    ),
}
GOOD_MOODS = (
    *("proud", "calm", "overjoyed", "refreshed", "inspired", "grateful", "hopeful", "confident"),
    *("carefree", "cheerful"),
)
BAD_MOODS = ("frustrated", "exhausted", "disappointed", "bored", "anxious", "embarrassed")


@dataclass(frozen=True, slots=True)
class Activity:
    """A pastime; `{object}` stands for what it was done with, on or to.

    The speakers use `told`, `bare` (without the object) and `planned`; the questions use `asked`,
    `asked_bare` and `what`, which leaves the object open. The two share few words, so that the
    wording of a question alone does not lead to its evidence.
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


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """Draw one."""
    return choices[int(rng.integers(len(choices)))]


def sample(rng: np.random.Generator, choices: Sequence[T], size: int) -> tuple[T, ...]:
    """Draw `size` different ones (all of them, shuffled, where there are fewer)."""
    return tuple(choices[i] for i in rng.permutation(len(choices))[:size])


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Draw whether something happens."""
    return bool(rng.random() < probability)
