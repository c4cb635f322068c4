"""Sentence encoders through sentence-transformers: NV-Embed-v2, Qwen3-Embedding-8B, any other.

Queries carry an instruction, documents none (paper, Implementation Details).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from packaging.version import Version

from remem.embed.encoders import Encoders
from remem.embed.instructions import QueryInstructions
from remem.embed.served_encoder import NV_EMBED, SERVED_NV_EMBED, serving_command
from remem.embed.unit_rows import unit_rows
from remem.errors import StopRunError
from remem.protocols import QueryTarget, Vectors

COMMIT = re.compile(r"[0-9a-f]{40}")
FIRST_THAT_REFUSES = Version("6.0.0")
DTYPES = ("float32", "float16", "bfloat16")


class SentenceTransformerEmbedder:
    """Embed texts with a model of the Hugging Face hub, or of a folder.

    The weights are loaded at the first text: a run whose vectors are cached needs none.

    Args:
        model: A name on the hub or a folder.
        revision: The commit of the model; required where its own code is to run.
        trust_remote_code: Whether the model brings code of its own, without which it does not load.
        model_code: Models whose own code the command line lets run; no other model's code runs.
        instructions: The prefixes of queries; None for models without instructions.
        add_eos: Whether the end-of-sequence token is put after each text, where the tokenizer
            itself puts none. A text that is cut at `max_length` loses it.
        padding_side: The side on which short texts are padded; None for the model's default.
        max_length: The maximum number of tokens; longer texts are cut.
        batch_size: Texts per forward pass; the model's library batches texts of like length. It is
            halved whenever the device has too little memory for a batch.
        device: "auto", "cpu", "cuda:1" or another device of torch; several, or "all" for every CUDA
            device, have one copy of the model each and encode requests at the same time.
        dtype: Precision of the weights.
        dimension: The length of a vector.
    """

    def __init__(
        self,
        *,
        model: str,
        revision: str | None,
        trust_remote_code: bool,
        model_code: Sequence[str],
        instructions: QueryInstructions | None,
        add_eos: bool,
        padding_side: Literal["left", "right"] | None,
        max_length: int,
        batch_size: int,
        device: str | Sequence[str],
        dtype: Literal["float32", "float16", "bfloat16"],
        dimension: int,
    ) -> None:
        _check(model, revision, trust_remote_code, padding_side, dtype)
        self._name = model
        self._revision = revision
        self._trust_remote_code = trust_remote_code
        self._model_code = tuple(model_code)
        self._instructions = instructions
        self._add_eos = add_eos
        self._padding_side = padding_side
        self._max_length = max_length
        self._dtype = dtype
        self._dimension = dimension
        self._encoders = Encoders(
            model=model, load=self._load, device=device, batch_size=batch_size
        )

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    @property
    def identity(self) -> Mapping[str, object]:
        """Return everything that the vectors depend on, except rounding."""
        return {
            "model": self._name,
            "revision": self._revision,
            "instructions": asdict(self._instructions) if self._instructions else None,
            "add_eos": self._add_eos,
            "padding_side": self._padding_side,
            "max_length": self._max_length,
            "dtype": self._dtype,
            "dimension": self._dimension,
        }

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched, shape (n, dimension)."""
        return self._embed(texts, None)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Embed queries, each prefixed with the instruction of its target."""
        prompt = self._instructions.prefix(target) if self._instructions else None
        return self._embed(texts, prompt)

    def _embed(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        if not texts:
            return np.empty((0, self._dimension), dtype=np.float32)
        vectors = self._encoders.encode(texts, prompt, ends=self._add_eos)
        return unit_rows(vectors, texts, dimension=self._dimension, model=self._name)

    def _load(self, device: str | None) -> Any:
        import torch
        from sentence_transformers import SentenceTransformer

        self._check_code()
        model = SentenceTransformer(
            self._name,
            revision=self._revision,
            trust_remote_code=self._trust_remote_code,
            device=device,
            model_kwargs={"torch_dtype": getattr(torch, self._dtype)},
        )
        model.default_prompt_name = None  # only what is configured stands before a text
        model.max_seq_length = self._max_length
        if self._padding_side is not None:
            model.tokenizer.padding_side = self._padding_side
        if self._add_eos and not model.tokenizer.eos_token:
            raise ValueError(f"{self._name} has no end-of-sequence token; set add_eos to false")
        return model

    def _check_code(self) -> None:
        """Check that a model's own code may run: from the hub, and allowed on the command line.

        Raises:
            StopRunError: The code may not run, or this release would run it even if forbidden.
        """
        if not self._trust_remote_code:
            _check_release(self._name)
        elif self._name not in self._model_code:
            raise StopRunError(
                f"{self._name} brings code of its own, which runs only if the command line says "
                f"so: add 'run.model_code=[{self._name}]'"
            )
        elif Path(self._name).exists():
            raise StopRunError(
                f"{self._name} is a folder here, and code of a model never runs from a folder: "
                "start from another folder, so that the model comes from the hub"
            )


def _check_release(model: str) -> None:
    """Raise an error for releases that run the code in a model's folder even if forbidden.

    sentence-transformers before 6.0 loads a class that `modules.json` names if the model is a
    folder, and imports any installed class, even with `trust_remote_code=False`
    (`_load_module_class_from_ref`, from 5.5 `import_module_class`; stated in the notes of 5.7).
    """
    from sentence_transformers import __version__

    if Version(__version__) < FIRST_THAT_REFUSES and not _names_own_classes_alone(Path(model)):
        raise StopRunError(
            f"sentence-transformers {__version__} may run code of {model} although it is told not "
            f"to; update it: pip install 'sentence-transformers>={FIRST_THAT_REFUSES}'"
        )


def _names_own_classes_alone(folder: Path) -> bool:
    """Return True if a model is a folder that names only classes of sentence-transformers."""
    modules = folder / "modules.json"
    if not modules.is_file():
        return False
    types = [str(module["type"]) for module in json.loads(modules.read_bytes())]
    return all(name.startswith("sentence_transformers.") for name in types)


def _check(
    model: str, revision: str | None, trust_remote_code: bool, padding_side: str | None, dtype: str
) -> None:
    if padding_side not in (None, "left", "right"):
        raise ValueError(f"unknown padding_side {padding_side!r}, expected 'left' or 'right'")
    if dtype not in DTYPES:
        raise ValueError(f"unknown dtype {dtype!r}, expected one of {DTYPES}")
    if trust_remote_code and not COMMIT.fullmatch(revision or ""):
        raise ValueError(
            f"{model} brings code of its own and its revision is {revision!r}: pin the 40-digit "
            "commit that you have read, or set trust_remote_code to false"
        )
    if model == NV_EMBED:
        _check_nv_embed()
    elif find_spec("sentence_transformers") is None:
        raise ImportError(
            f"{model} needs sentence-transformers, which is not installed: "
            f"pip install 'remem[local]'"
        )


def _check_nv_embed() -> None:
    """Raise ImportError where the model's own code cannot run: it needs transformers 4."""
    if find_spec("sentence_transformers") is None:
        lack = "sentence-transformers is not installed"
    elif find_spec("transformers") is not None and Version(version("transformers")).major > 4:
        lack = f"transformers {version('transformers')} is installed"
    else:
        return
    raise ImportError(
        f"{NV_EMBED} cannot be loaded in this environment: its own code needs transformers 4, and "
        f"{lack}; use embedder=served, after serving it from its own environment: "
        f"{serving_command(SERVED_NV_EMBED)}"
    )
