"""Vectors of real sentences by MiniLM, for the benchmark of large memories; computed once.

Where there are fewer distinct sentences than vectors, parts of the sentences fill up: the mean of
the model's token vectors over the first or last half or three quarters of a sentence (late
chunking), so that every vector is one of real words that the model has read.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measure.real_sentences import distinct_questions, distinct_sentences, real_benchmarks
from remem.config.run_config import compose_config
from remem.embed.minilm import PACKAGE, REQUIREMENT, verified_folder
from remem.protocols import Vectors

FOLDER = Path(os.environ.get("REMEM_RESULTS", "results")) / "cache" / "bench_vectors"
PARTS = ((0.0, 0.5), (0.5, 1.0), (0.0, 0.75), (0.25, 1.0), (0.25, 0.75))
"""The begin and the end of each part of a sentence."""
LEAST_TOKENS = 3
"""Number of tokens of the shortest part."""
BATCH, CHUNK = 64, 8192
QUESTIONS = "questions.npz"
MOST_TOKENS = 256  # what the model was published with


@dataclass(frozen=True, slots=True)
class RealVectors:
    """Unit vectors of sentences, of parts of them, and of questions."""

    sentences: Vectors
    parts: Vectors
    part_of: NDArray[np.int64]
    """The sentence of each part."""
    questions: Vectors

    def rows(self, count: int, seed: int) -> Vectors:
        """Return `count` vectors in the order of the datasets: parts only if sentences run out."""
        rng = np.random.default_rng(seed)
        whole = rng.permutation(len(self.sentences))[:count]
        parts = rng.permutation(len(self.parts))[: count - len(whole)]
        if len(whole) + len(parts) < count:
            raise ValueError(f"found {len(whole) + len(parts):,} vectors, expected {count:,}")
        place = np.concatenate([whole, self.part_of[parts] + 0.5])
        order = np.argsort(place, kind="stable")
        rows = np.concatenate([self.sentences[whole], self.parts[parts]])
        return np.asarray(rows[order], dtype=np.float32)

    def shuffled_questions(self, seed: int) -> Vectors:
        """Return the questions in a random order."""
        return np.random.default_rng(seed).permutation(self.questions)


def why_not() -> str:
    """Return why there are no real vectors, or nothing."""
    if "REMEM_DATA" not in os.environ:
        return "not measured: it needs REMEM_DATA=<folder>"
    if find_spec(PACKAGE) is None or find_spec("sentence_transformers") is None:
        return "not measured: pip install -e '.[local,offline]'"
    return ""


def prepared(*, most: int | None) -> Path:
    """Embed the sentences in REMEM_DATA, at most so many, unless it was done; return the folder."""
    benchmarks = real_benchmarks()
    sentences, questions = distinct_sentences(benchmarks)[:most], distinct_questions(benchmarks)
    folder = FOLDER / _sum([REQUIREMENT, str(PARTS), *sentences, *questions])
    encoder = MeanOfTokens()
    for at in range(0, len(sentences), CHUNK):
        path = folder / f"{at}.npz"
        if not path.exists():
            _save(path, encoder.with_parts(sentences[at : at + CHUNK]))
    if not (folder / QUESTIONS).exists():
        _save(folder / QUESTIONS, encoder.with_parts(questions))
    return folder


def read(folder: Path) -> RealVectors:
    """Read the vectors of a folder that was prepared."""
    names = sorted((path.stem for path in folder.glob("*.npz") if path.stem.isdigit()), key=int)
    found = [_load(folder / f"{name}.npz") for name in names]
    return RealVectors(
        sentences=np.concatenate([chunk["whole"] for chunk in found]),
        parts=np.concatenate([chunk["parts"] for chunk in found]),
        part_of=np.concatenate(
            [int(name) + chunk["part_of"] for name, chunk in zip(names, found, strict=True)]
        ),
        questions=_load(folder / QUESTIONS)["whole"],
    )


def near_duplicates(rows: Vectors, similarity: float, sample: int = 2_000) -> float:
    """Return the share of a sample of rows that have another row of at least this similarity."""
    chosen = np.linspace(0, len(rows) - 1, min(sample, len(rows)), dtype=np.int64)
    found = 0
    for part in np.array_split(chosen, max(1, len(chosen) // 50)):
        found += int(np.count_nonzero((rows[part] @ rows.T >= similarity).sum(axis=1) > 1))
    return found / len(chosen)


class MeanOfTokens:
    """MiniLM, with vectors of texts and of parts of them."""

    def __init__(self) -> None:
        self._model: tuple[Any, Any] | None = None

    def with_parts(self, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return the vectors of texts and of their parts, and the text of each part."""
        whole = np.empty((len(texts), 384), dtype=np.float32)
        parts, part_of = [], []
        for places, tokens, mask, begins in self._batches(texts):
            whole[places] = _unit((tokens * mask[:, :, None]).sum(axis=1))
            for row, place in enumerate(places.tolist()):
                spans = _spans(np.flatnonzero(begins[row]), int(mask[row].sum()) - 1)
                parts += [tokens[row, begin:end].mean(axis=0) for begin, end in spans]
                part_of += [place] * len(spans)
        order = np.argsort(part_of, kind="stable")
        return {
            "whole": whole,
            "parts": _unit(np.array(parts, dtype=np.float32)[order]),
            "part_of": np.array(part_of, dtype=np.int64)[order],
        }

    def _batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[NDArray[np.int64], Vectors, NDArray[Any], NDArray[np.bool_]]]:
        """Yield positions, token vectors, masks, and the first tokens of words, by length."""
        import torch

        tokenizer, model = self._loaded()
        order = np.argsort([len(text) for text in texts], kind="stable")
        for at in range(0, len(order), BATCH):
            places = order[at : at + BATCH]
            batch = tokenizer(
                [texts[place] for place in places.tolist()],
                padding=True,
                truncation=True,
                max_length=MOST_TOKENS,
                return_tensors="pt",
            )
            with torch.inference_mode():
                tokens = model(**batch).last_hidden_state.numpy()
            begins = np.zeros(batch["input_ids"].shape, dtype=np.bool_)
            for row in range(len(places)):
                words = batch.word_ids(row)
                begins[row] = [
                    word is not None and (token == 0 or words[token - 1] != word)
                    for token, word in enumerate(words)
                ]
            yield places, tokens, batch["attention_mask"].numpy(), begins

    def _loaded(self) -> tuple[Any, Any]:
        if self._model is None:
            from transformers import AutoModel, AutoTokenizer

            minilm = compose_config(["embedder=minilm"]).embedder.build.embedder
            folder = verified_folder(minilm.weights_sha256)
            self._model = (
                AutoTokenizer.from_pretrained(folder),
                AutoModel.from_pretrained(folder).eval(),
            )
        return self._model


def _spans(begins: NDArray[np.int64], last: int) -> list[tuple[int, int]]:
    """Return the different parts of a text: token ranges that begin and end with a word."""
    limits = [*begins.tolist(), last]
    words = len(begins)
    found = [(limits[round(words * begin)], limits[round(words * end)]) for begin, end in PARTS]
    return [span for span in dict.fromkeys(found) if span[1] - span[0] >= LEAST_TOKENS]


def _save(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Save arrays in a file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished.npz")
    np.savez(unfinished, allow_pickle=False, **arrays)
    unfinished.rename(path)


def _load(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _sum(texts: Sequence[str]) -> str:
    found = hashlib.sha256()
    for text in texts:
        found.update(text.encode() + b"\0")
    return found.hexdigest()[:16]
