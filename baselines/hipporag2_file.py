"""A HippoRAG 2 index on disk: a folder of arrays; one of them holds the texts as JSON."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_openie import Triple
from remem.index.ranking import Pairs, Scores
from remem.index.stored_arrays import from_json, json_array, open_arrays, write_arrays
from remem.protocols import Vectors
from remem.types import Passage, Usage

FORMAT = "HippoRAG 2 of remem, version 2"
PARTS = {"texts", "passages", "phrases", "facts", "synonyms", "likeness"}


@dataclass(frozen=True, slots=True)
class Texts:
    """The JSON part: the passages with their triples, the model usage and the failures."""

    passages: tuple[Passage, ...]
    triples: tuple[tuple[Triple, ...], ...]
    usage: Usage
    failures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays: the vectors of each kind of text, and the synonyms."""

    passages: Vectors
    phrases: Vectors
    facts: Vectors
    synonyms: Pairs
    likeness: Scores


def save(folder: Path, texts: Texts, arrays: Arrays) -> None:
    """Write an index into an existing folder."""
    parts = {field.name: getattr(arrays, field.name) for field in fields(arrays)}
    write_arrays(folder, FORMAT, {"texts": json_array(Texts, texts), **parts})


def load(folder: Path) -> tuple[Texts, Arrays]:
    """Return the content of a stored index.

    Raises:
        ValueError: A file is missing, damaged or of another kind.
        OSError: A file cannot be read.
    """
    parts: dict[str, Any] = open_arrays(folder, FORMAT)
    if set(parts) != PARTS:
        raise ValueError(f"found the parts {sorted(parts)}, expected {sorted(PARTS)}")
    texts = from_json(Texts, parts.pop("texts").tobytes(), "texts")
    arrays = Arrays(**parts)
    distinct = len({passage.text for passage in texts.passages})
    if not distinct == len(texts.passages) == len(texts.triples):
        raise ValueError("some of its passages are the same, or have no triples")
    _check_synonyms(arrays.synonyms, arrays.likeness, len(arrays.phrases))
    return texts, arrays


def _check_synonyms(pairs: Pairs, likeness: Scores, phrases: int) -> None:
    has_right_types = pairs.dtype.kind == "i" and likeness.dtype.kind == "f" and likeness.ndim == 1
    ordered = has_right_types and pairs.shape == (len(likeness), 2) and _ascend(pairs, phrases)
    if not ordered or not np.isfinite(likeness).all():
        raise ValueError(f"its synonyms are not valid pairs of its {phrases} phrases")


def _ascend(pairs: Pairs, phrases: int) -> bool:
    first, second = pairs[:, 0], pairs[:, 1]
    return bool(((first >= 0) & (first < second) & (second < phrases)).all())


def check_shape(what: str, vectors: NDArray[np.float32], count: int, dimension: int) -> None:
    """Raise ValueError unless the vectors are float32 of shape (count, dimension), or (0, 0)."""
    shape = (count, dimension) if count else (0, 0)
    if vectors.shape != shape or vectors.dtype != np.float32:
        raise ValueError(
            f"its {what} have vectors of shape {vectors.shape} and type {vectors.dtype}, "
            f"expected {shape} in float32"
        )
