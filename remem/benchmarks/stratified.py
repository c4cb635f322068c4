"""Draw a part of a benchmark with equally many questions per category, for costly methods.

The paper scores HippoRAG 2 on 160 questions of Test of Time and does not say which.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from remem.protocols import DataFile

OWN_CHOICE = "not the paper's sample"
"""Part of the name of data that is a different sample than the paper's."""


def draw_subset(categories: Sequence[str], size: int, seed: int) -> list[int]:
    """Return `size` random positions in order, equally many of each category."""
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
    """Return the files with a note in their names that they are read only in part."""
    marker = f"(subset of {size}, seed {seed}: {OWN_CHOICE})"
    return [DataFile(f"{file.name} {marker}", file.sha256) for file in files]


def own_samples(names: Iterable[str]) -> list[str]:
    """Return the distinct names of data that are marked as a part of our own choice."""
    return [name for name in dict.fromkeys(names) if OWN_CHOICE in name]
