"""Validate a mapped memory before it is opened.

Vectors and items are not read here, so a memory of any size opens at once.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.protocols import DamagedIndexError

DAMAGES = (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, SyntaxError, TokenError)
"""Errors that numpy, JSON and our own checks raise for a damaged file."""
OF_THE_GRAPH = {
    **dict.fromkeys(("episodes", "predicates", "phrases"), ("u1", 1)),
    **dict.fromkeys(("phrase_text", "predicate_text"), ("u1", 1)),
    **dict.fromkeys(("phrase_ends", "predicate_ends"), ("i8", 1)),
    "synonyms": ("i8", 2),
    "triples": ("i4", 2),
}
OF_ITEMS = {
    "lines": ("u1", 1),
    "ends": ("i8", 1),
    "episodes": ("i4", 1),
    "scopes": ("i8", 2),
    "vectors": ("f4", 2),
}
"""The data type and number of dimensions of each array of gists and of facts."""


@contextmanager
def whole_memory(folder: Path) -> Iterator[None]:
    """Convert errors of reading a folder to a ValueError on an incomplete mapped memory.

    Raises:
        ValueError: The folder is not a complete mapped memory.
    """
    try:
        yield
    except DamagedIndexError:  # names the file and what to do
        raise
    except DAMAGES as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ValueError(
            f"{folder}: not a complete mapped memory ({missing}); delete it to index again"
        ) from error


def check_parts(parts: Mapping[str, NDArray[Any]]) -> None:
    """Check that all parts exist, have the right type, and have valid positions.

    Raises:
        ValueError: A part is invalid.
    """
    items = {f"{kind}_{name}": of for kind in ("gist", "fact") for name, of in OF_ITEMS.items()}
    for name, (kind, dimensions) in {**OF_THE_GRAPH, **items}.items():
        part = parts.get(name)
        if part is None or part.dtype != np.dtype(kind) or part.ndim != dimensions:
            found = "no such part" if part is None else f"{part.dtype} of shape {part.shape}"
            raise ValueError(f"{name}: found {found}, expected {np.dtype(kind)} in {dimensions}D")
    for kind in ("gist", "fact"):
        check_ends(f"{kind}_ends", parts[f"{kind}_ends"], len(parts[f"{kind}_lines"]))
    check_pairs(parts["synonyms"], len(parts["gist_ends"]))
    if parts["triples"].shape != (3, len(parts["fact_ends"])):
        raise ValueError(f"triples are of shape {parts['triples'].shape}, expected 3 of each fact")


def check_ends(name: str, ends: NDArray[np.int64], length: int) -> None:
    """Check that the ends are sorted and match a text of this length."""
    ordered = bool((np.diff(ends, prepend=0) >= 0).all())
    if not ordered or (int(ends[-1]) if len(ends) else 0) != length:
        raise ValueError(f"{name} are not the ends of pieces of {length}")


def check_numbers(name: str, numbers: NDArray[Any], count: int) -> None:
    """Check that all numbers are between 0 and count - 1."""
    if numbers.size and not (int(numbers.min()) >= 0 and int(numbers.max()) < count):
        raise ValueError(f"{name} are not all numbers below {count}")


def check_pairs(pairs: NDArray[Any], gists: int) -> None:
    """Check that the array is a list of pairs i < j of gist positions."""
    if pairs.dtype != np.int64 or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"synonyms are {pairs.dtype} of shape {pairs.shape}, not int64 (m, 2)")
    check_numbers("synonyms", pairs, gists)
    if not (pairs[:, 0] < pairs[:, 1]).all():
        raise ValueError("synonyms are not all pairs i < j")
