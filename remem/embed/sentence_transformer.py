"""Sentence encoders through sentence-transformers: NV-Embed-v2, Qwen3-Embedding-8B and others.

Queries carry an instruction, but documents do not (paper, Implementation Details).
"""

import logging
import os
import re
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from queue import LifoQueue
from typing import Any, Literal

import numpy as np
from packaging.version import Version

from remem.embed.model_io import QueryInstructions, unit_rows
from remem.embed.served_encoder import NV_EMBED, SERVED_NV_EMBED, serving_command
from remem.errors import StopRunError
from remem.files.json_text import json_value
from remem.files.opened import read_file
from remem.llm.sqlite_file import file_lock
from remem.protocols import QueryTarget, Vectors

COMMIT = re.compile(r"[0-9a-f]{40}")
FIRST_THAT_REFUSES = Version("6.0.0")
DTYPES = ("float32", "float16", "bfloat16")


class SentenceTransformerEmbedder:
    """Embeds texts with a model from the Hugging Face hub or from a folder.

    The weights are loaded when the first text is embedded. So a run with only cached vectors loads
    no weights.

    Args:
        model: A name on the hub or a folder.
        revision: The commit of the model; required if the model's own code is to run.
        trust_remote_code: Whether the model needs its own code to load.
        model_code: The models whose own code the command line allows to run.
        instructions: The prefixes of queries; None for models without instructions.
        add_eos: Whether to add the end-of-sequence token to each text if the tokenizer does not.
            A text that is cut at `max_length` loses the token.
        padding_side: The side on which short texts are padded; None for the model's default.
        max_length: The maximum number of tokens; longer texts are cut.
        batch_size: Texts per forward pass. The number is halved whenever the device has too little
            memory for a batch. The model's library puts texts of similar length into one batch.
        device: "auto", "cpu", "cuda:1" or another device of torch, or several of them; "all" means
            every CUDA device. Each device has its own copy of the model, and all work in parallel.
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
        """Return everything on which the vectors depend, except rounding."""
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
        """Return the vectors of texts to be searched, shape (n, dimension)."""
        return self._embed(texts, None)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries; the instruction for `target` is put before each query."""
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
        model.default_prompt_name = None  # only the configured text comes before a text
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
                f"{self._name} has its own code, which runs only if the command line allows it; "
                f"add 'run.model_code=[{self._name}]'"
            )
        elif Path(self._name).exists():
            raise StopRunError(
                f"{self._name} is a folder here, and remem never runs the code of a model from a "
                f"folder: start remem in another folder, so that the model comes from the hub"
            )


def _check_release(model: str) -> None:
    """Raise an error if this sentence-transformers may run forbidden code in a model's folder.

    sentence-transformers before 6.0 loads a class that `modules.json` names if the model is a
    folder, and imports any installed class, even with `trust_remote_code=False`
    (`_load_module_class_from_ref`, from 5.5 `import_module_class`; stated in the notes of 5.7).
    """
    from sentence_transformers import __version__

    if Version(__version__) < FIRST_THAT_REFUSES and not _names_own_classes_alone(Path(model)):
        raise StopRunError(
            f"sentence-transformers {__version__} may run code of {model} even with "
            f"trust_remote_code=false; update the package: pip install "
            f"'sentence-transformers>={FIRST_THAT_REFUSES}'"
        )


def _names_own_classes_alone(folder: Path) -> bool:
    """Return True if a model is a folder that names only classes of sentence-transformers."""
    modules = folder / "modules.json"
    if not modules.is_file():
        return False
    types = [str(module["type"]) for module in json_value(read_file(modules))]
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
            f"{model} runs its own code, but its revision is {revision!r}: pin the 40-digit "
            "commit that you have read, or set trust_remote_code to false"
        )
    if model == NV_EMBED:
        _check_nv_embed()
    elif find_spec("sentence_transformers") is None:
        raise ImportError(
            f"{model} needs sentence-transformers, which is not installed: "
            f"pip install '.[local]' in the checkout of remem"
        )


def _check_nv_embed() -> None:
    """Raise ImportError if NV-Embed-v2's own code, which needs transformers 4, cannot run."""
    if find_spec("sentence_transformers") is None:
        lack = "sentence-transformers is not installed"
    elif find_spec("transformers") is not None and Version(version("transformers")).major > 4:
        lack = f"transformers {version('transformers')} is installed"
    else:
        return
    raise ImportError(
        f"{NV_EMBED} cannot be loaded in this environment: it needs sentence-transformers and "
        f"transformers 4, but {lack}; serve the model from an environment of its own, and use "
        f"embedder=served: "
        f"{serving_command(SERVED_NV_EMBED)}"
    )


log = logging.getLogger(__name__)

SPARE_BYTES = 2**30
"""Memory that an encoder needs besides its weights, for a small batch."""


class Encoders:
    """One encoder per device, loaded when first needed; each request uses a free encoder.

    Args:
        model: The name of the model, for error messages.
        load: Loads the model onto a device; given None, sentence-transformers chooses the device.
        device: "auto", "all" for every CUDA device, the name of a torch device, or several names.
        batch_size: Texts per forward pass, halved whenever a batch does not fit into memory.
    """

    def __init__(
        self,
        *,
        model: str,
        load: Callable[[str | None], Any],
        device: str | Sequence[str],
        batch_size: int,
    ) -> None:
        self._model = model
        self._load = load
        self._device = device
        self._batch_size = batch_size
        self._starting, self._loading = threading.Lock(), threading.Lock()
        self._free: LifoQueue[_Encoder] | None = None

    def encode(self, texts: Sequence[str], prompt: str | None, *, ends: bool) -> Vectors:
        """Return the vectors of texts, each preceded by the prompt and followed by an end token.

        The end token is added only if `ends` is true.
        """
        free = self._started()
        encoder = free.get()  # the last one used, so that no more are loaded than work at once
        try:
            return encoder.encode(texts, prompt, ends=ends)
        finally:
            free.put(encoder)

    def _started(self) -> "LifoQueue[_Encoder]":
        with self._starting:
            if self._free is None:
                self._free = LifoQueue()
                for name in reversed(chosen_devices(self._device)):
                    self._free.put(_Encoder(self._model, self._load_alone, name, self._batch_size))
            return self._free

    def _load_alone(self, device: str | None) -> Any:
        with self._loading:  # transformers changes global functions while it loads a model
            return self._load(device)


class _Encoder:
    """A model on one device, used by one thread at a time, as its tokenizer requires."""

    def __init__(
        self, name: str, load: Callable[[str | None], Any], device: str | None, batch_size: int
    ) -> None:
        self._name = name
        self._load = load
        self._device = device
        self._batch_size = batch_size
        self._model: Any = None

    def encode(self, texts: Sequence[str], prompt: str | None, *, ends: bool) -> Vectors:
        import torch

        if self._model is None:
            self._model = self._loaded()
        end = self._model.tokenizer.eos_token if ends else ""
        whole = [text + end for text in texts]
        while True:
            try:
                # As a prompt, not as text: some models leave the instruction out of their pooling.
                vectors: Vectors = self._model.encode(
                    whole, prompt=prompt, batch_size=self._batch_size, show_progress_bar=False
                )
                return vectors
            except torch.cuda.OutOfMemoryError as error:
                self._halve(texts, error)
            torch.cuda.empty_cache()  # here, because the error keeps the batch alive

    def _halve(self, texts: Sequence[str], error: Exception) -> None:
        """Halve the batch size for these and all later texts.

        Raises:
            StopRunError: A single text does not fit.
        """
        if self._batch_size == 1:
            longest = max(len(text) for text in texts)
            raise StopRunError(
                f"{self._model.device} has too little memory for {self._name} and a text of "
                f"{longest:,} characters; use a GPU with more memory, end other processes on this "
                f"one, or reduce the max_length of the embedder, which changes its vectors"
            ) from error
        self._batch_size //= 2
        log.warning(
            "%s: out of memory on %s; the batch size is now %d",
            *(self._name, self._model.device, self._batch_size),
        )

    def _loaded(self) -> Any:
        """Load the model; on CUDA only if it fits, and in one process per machine at a time."""
        if self._device is None or not self._device.startswith("cuda"):
            return self._load(self._device)
        log.info("loading %s on %s, one process at a time", self._name, self._device)
        with file_lock(loading_lock()):
            model = self._load("cpu")
            weights = sum(tensor.nbytes for tensor in model.state_dict().values())
            check_room(self._name, self._device, weights, free_bytes(self._device))
            return model.to(self._device)


def loading_lock() -> Path:
    """Return the path of the user's lock file, which a process locks while it loads a model."""
    return Path(tempfile.gettempdir()) / f"remem-{os.getuid()}-loads-a-model.lock"


def chosen_devices(device: str | Sequence[str]) -> tuple[str | None, ...]:
    """Return the names of the torch devices; the name None lets sentence-transformers choose.

    Raises:
        StopRunError: A device does not exist.
    """
    count = cuda_count()
    if device == "auto":
        return ("cuda:0",) if count else (None,)
    if device == "all":
        if not count:
            raise StopRunError(
                "the device of the embedder is 'all', but torch finds no CUDA device"
            )
        return tuple(f"cuda:{number}" for number in range(count))
    names = (device,) if isinstance(device, str) else tuple(device)
    for name in names:
        kind, _, number = name.partition(":")
        if kind == "cuda" and int(number or 0) >= count:
            raise StopRunError(
                f"the device {name} of the embedder does not exist; torch finds "
                f"{', '.join(f'cuda:{number}' for number in range(count)) or 'no CUDA device'}"
            )
    if not names:
        raise StopRunError("the embedder has no device; use auto, all, cpu or cuda:0")
    return names


def cuda_count() -> int:
    """Return the number of CUDA devices."""
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def free_bytes(device: str) -> int:
    """Return the free memory of a CUDA device."""
    import torch

    return int(torch.cuda.mem_get_info(device)[0])


def check_room(model: str, device: str, weights: int, free: int) -> None:
    """Refuse to load a model if the device has too little free memory.

    Raises:
        StopRunError: The weights and a small batch need more than `free` bytes.
    """
    if weights + SPARE_BYTES > free:
        raise StopRunError(
            f"{model} needs {_gigabytes(weights + SPARE_BYTES)} of memory on {device}, but "
            f"only {_gigabytes(free)} are free. If other processes have loaded the model "
            "there, as parallel tasks do, load it only once, with remem serve embeddings, and use "
            "embedder=served, or give each task its own GPU"
        )


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
