"""A HippoRAG 2 index on disk: JSON and arrays in one npz, no pickle.

The archive has a checksum of every part, so damage is detected when it is read.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from baselines.hipporag2_openie import Triple
from remem.index.array_archive import read_arrays
from remem.index.pairs import Pairs
from remem.index.ranking import Scores
from remem.protocols import Vectors
from remem.types import Passage, Usage

FILE_NAME = "hipporag2.npz"
FORMAT = "HippoRAG 2 of remem, version 1"
PARTS = {"texts", "passages", "phrases", "facts", "synonyms", "likeness"}


@dataclass(frozen=True, slots=True)
class Texts:
    """The JSON part: the passages with their triples, the model usage and the failures."""

    format: str
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


_TEXTS = TypeAdapter(Texts)


def save(folder: Path, texts: Texts, arrays: Arrays) -> None:
    """Write an index into an existing folder."""
    with (folder / FILE_NAME).open("wb") as file:
        np.savez(
            file,
            texts=np.frombuffer(_TEXTS.dump_json(texts), dtype=np.uint8),
            passages=arrays.passages,
            phrases=arrays.phrases,
            facts=arrays.facts,
            synonyms=arrays.synonyms,
            likeness=arrays.likeness,
        )


def load(path: Path) -> tuple[Texts, Arrays]:
    """Return the content of an index file.

    Raises:
        ValueError: The file is missing, damaged or of another kind.
    """
    parts: dict[str, Any] = read_arrays(path)
    if set(parts) != PARTS:
        raise ValueError(f"found the parts {sorted(parts)}, expected {sorted(PARTS)}")
    texts = _texts(parts.pop("texts").tobytes())
    arrays = Arrays(**parts)
    distinct = len({passage.text for passage in texts.passages})
    if texts.format != FORMAT or not distinct == len(texts.passages) == len(texts.triples):
        raise ValueError(f"expected {FORMAT!r} with the triples of each of its distinct passages")
    _check_synonyms(arrays.synonyms, arrays.likeness, len(arrays.phrases))
    return texts, arrays


def _texts(content: bytes) -> Texts:
    try:
        return _TEXTS.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"texts.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _check_synonyms(pairs: Pairs, likeness: Scores, phrases: int) -> None:
    known = pairs.dtype.kind == "i" and likeness.dtype.kind == "f" and likeness.ndim == 1
    ordered = known and pairs.shape == (len(likeness), 2) and _ascend(pairs, phrases)
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
