"""Draws a part of a benchmark that asks as many questions of each category, for costly methods.

The paper scores HippoRAG 2 on 160 of Test of Time's questions and does not say which.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from remem.protocols import DataFile

OWN_CHOICE = "not the paper's sample"
"""How data are named of which the paper asked another part."""


def draw_subset(categories: Sequence[str], size: int, seed: int) -> list[int]:
    """Draw `size` positions, equally many of each category, and return them in order."""
    names = sorted(set(categories))
    share, rest = divmod(size, max(len(names), 1))
    fewest = min((categories.count(name) for name in names), default=0)
    if rest or not 1 <= share <= fewest:
        raise ValueError(
            f"subset is {size}, expected a multiple of {len(names)}, the number of question "
            f"types, up to {len(names) * fewest}; change dataset.subset, or set it to null for "
            f"all questions"
        )
    rng = np.random.default_rng(seed)
    drawn: list[int] = []
    for name in names:
        positions = [i for i, category in enumerate(categories) if category == name]
        drawn += rng.choice(positions, share, replace=False).tolist()
    return sorted(drawn)


def mark_subset(files: Sequence[DataFile], size: int, seed: int) -> list[DataFile]:
    """Name the files as what they are read for: a part of our own choice."""
    marker = f"(subset of {size}, seed {seed}: {OWN_CHOICE})"
    return [DataFile(f"{file.name} {marker}", file.sha256) for file in files]


def own_samples(names: Iterable[str]) -> list[str]:
    """Return which of these names of data say that they are a part of our own choice, each once."""
    return [name for name in dict.fromkeys(names) if OWN_CHOICE in name]
