"""The encoders of one model: one per device, each with the batch that fits into its memory."""

import logging
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import LifoQueue
from typing import Any

from remem.errors import StopRunError
from remem.llm.sqlite_file import file_lock
from remem.protocols import Vectors

log = logging.getLogger(__name__)

SPARE_BYTES = 2**30
"""Memory that an encoder needs besides its weights, for a small batch."""


class Encoders:
    """One encoder per device, loaded when first needed; a request takes one that is free.

    Args:
        model: The name of the model, for errors.
        load: Loads the model onto a device; None leaves the choice to sentence-transformers.
        device: "auto", "all" for every CUDA device, a device of torch, or several.
        batch_size: Texts per forward pass, halved whenever they do not fit into the memory.
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
        """Return the vectors of texts after a prompt; `ends` adds the end of the sequence."""
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
        """Halve the batch for this and all later texts; they are sorted, so the first is longest.

        Raises:
            StopRunError: A single text does not fit.
        """
        if self._batch_size == 1:
            longest = max(len(text) for text in texts)
            raise StopRunError(
                f"{self._name} has no memory on {self._model.device} for a text of {longest:,} "
                f"characters alone: use a GPU with more memory, end other processes on it, or "
                f"reduce the embedder's max_length, which changes its vectors"
            ) from error
        self._batch_size //= 2
        log.warning(
            "%s: out of memory on %s; batches have %d texts from now on",
            *(self._name, self._model.device, self._batch_size),
        )

    def _loaded(self) -> Any:
        """Load the model; on a CUDA device only if it fits, and one at a time per machine."""
        if self._device is None or not self._device.startswith("cuda"):
            return self._load(self._device)
        log.info("loading %s on %s, one process at a time", self._name, self._device)
        with file_lock(loading_lock()):
            model = self._load("cpu")
            weights = sum(tensor.nbytes for tensor in model.state_dict().values())
            check_room(self._name, self._device, weights, free_bytes(self._device))
            return model.to(self._device)


def loading_lock() -> Path:
    """Return the lock file of this user's process that loads a model."""
    return Path(tempfile.gettempdir()) / f"remem-{os.getuid()}-loads-a-model.lock"


def chosen_devices(device: str | Sequence[str]) -> tuple[str | None, ...]:
    """Return the devices of torch; None is the choice of sentence-transformers without CUDA.

    Raises:
        StopRunError: A device is not there.
    """
    count = cuda_count()
    if device == "auto":
        return ("cuda:0",) if count else (None,)
    if device == "all":
        if not count:
            raise StopRunError("the embedder's device is all, and torch finds no CUDA device")
        return tuple(f"cuda:{number}" for number in range(count))
    names = (device,) if isinstance(device, str) else tuple(device)
    for name in names:
        kind, _, number = name.partition(":")
        if kind == "cuda" and int(number or 0) >= count:
            raise StopRunError(
                f"the embedder's device {name} is not there: torch finds {count} CUDA devices, "
                f"which are numbered from 0"
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
    """Refuse to load a model beside others that leave it too little memory.

    Raises:
        StopRunError: The weights and a small batch need more than the free bytes.
    """
    if weights + SPARE_BYTES > free:
        raise StopRunError(
            f"{model} needs {_gigabytes(weights + SPARE_BYTES)} of memory on {device}, and "
            f"{_gigabytes(free)} are free. If other processes have loaded it there, as parallel "
            f"tasks do, load it once with remem serve-embeddings and use embedder=served, or give "
            f"each task a GPU of its own"
        )


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
