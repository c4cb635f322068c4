"""Loading an encoder: errors that say what to do, batches, GPUs."""

import fcntl
import tempfile
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from remem.config.instantiation import instantiate_checked
from remem.config.run_config import configure
from remem.embed import sentence_transformer
from remem.embed.sentence_transformer import Encoders, chosen_devices
from remem.errors import StopRunError

SERVE = (
    "serve the model from an environment of its own, and use "
    "embedder=served: make env NAME=nv-embed && "
    ".venv-nv-embed/bin/remem serve embeddings embedder=nv_embed_v2 "
    "'run.model_code=[nvidia/NV-Embed-v2]'"
)


def refusal(embedder: str) -> str:
    with pytest.raises(ImportError) as raised:
        instantiate_checked(
            configure(f"embedder={embedder}").resolved["embedder"]["build"]["embedder"]
        )
    return str(raised.value)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The releases that count as installed, by module name; empty at first."""
    there: dict[str, str] = {}
    spec = ModuleSpec("there", None)
    monkeypatch.setattr(
        sentence_transformer, "find_spec", lambda name: spec if name in there else None
    )
    monkeypatch.setattr(sentence_transformer, "version", there.__getitem__)
    return there


def test_a_missing_package_is_installed_for_qwen_and_served_elsewhere_for_nv_embed(
    install: dict[str, str],
) -> None:
    assert refusal("qwen3_embedding_8b") == (
        "Qwen/Qwen3-Embedding-8B needs sentence-transformers, which is not installed: "
        "pip install '.[local]' in the checkout of remem"
    )
    assert refusal("nv_embed_v2") == (
        "nvidia/NV-Embed-v2 cannot be loaded in this environment: it needs sentence-transformers "
        f"and transformers 4, but sentence-transformers is not installed; {SERVE}"
    )


def test_nv_embed_is_refused_before_a_run_where_transformers_is_too_new(
    install: dict[str, str],
) -> None:
    install |= {"sentence_transformers": "6.0.0", "transformers": "5.3.0"}
    assert f"but transformers 5.3.0 is installed; {SERVE}" in refusal("nv_embed_v2")
    install["transformers"] = "4.45.2"
    instantiate_checked(configure("embedder=nv_embed_v2").resolved["embedder"]["build"]["embedder"])


pytestmark = pytest.mark.extra
torch: Any = pytest.importorskip("torch", reason="torch is not installed")

TEXTS = [f"text {number}" for number in range(10)]


class Model:
    """A model that runs out of memory with batches above `most`, and records its batch sizes."""

    def __init__(self, device: str | None, most: int = 64, weights: int = 0) -> None:
        self.device = device
        self.most = most
        self.batches: list[int] = []
        self.tokenizer = SimpleNamespace(eos_token="</s>")
        self._weights = weights

    def encode(
        self, texts: Sequence[str], *, prompt: str | None, batch_size: int, show_progress_bar: bool
    ) -> np.ndarray:
        self.batches.append(batch_size)
        if batch_size > self.most:
            raise torch.cuda.OutOfMemoryError(f"CUDA out of memory on {self.device}")
        return np.array([[len(text), len(prompt or "")] for text in texts], dtype=np.float32)

    def state_dict(self) -> dict[str, Any]:
        return {"weights": SimpleNamespace(nbytes=self._weights)}

    def to(self, device: str) -> "Model":
        self.device = device
        return self


def started(load: Callable[[str | None], Any], device: str | list[str] = "cpu") -> Encoders:
    return Encoders(model="a/model", load=load, device=device, batch_size=64)


def test_a_batch_that_does_not_fit_is_halved_until_it_does_and_stays_small(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, roomy = Model("cpu", most=17), Model("cpu")
    ours, reference = started(lambda _: model), started(lambda _: roomy)
    found = ours.encode(TEXTS, "query: ", ends=True)
    np.testing.assert_array_equal(found, reference.encode(TEXTS, "query: ", ends=True))
    assert found[0].tolist() == [len("text 0</s>"), len("query: ")]
    assert model.batches == [64, 32, 16]
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "the batch size is now 16" in caplog.text
    ours.encode(TEXTS, None, ends=False)
    assert model.batches == [64, 32, 16, 16]
    assert len(caplog.records) == 2


def test_a_text_that_does_not_fit_alone_stops_the_run() -> None:
    model = Model("cuda:0", most=0)
    encoder = started(lambda _: model)
    with pytest.raises(StopRunError, match=r"cuda:0 has too little memory for"):
        encoder.encode(["short", "x" * 1500], None, ends=False)
    model.most = 64
    assert len(encoder.encode(TEXTS, None, ends=False)) == len(TEXTS)  # it is free again


def test_two_requests_at_once_use_two_encoders_and_one_after_another_the_same() -> None:
    both = threading.Barrier(2, timeout=20)
    loaded: list[Model] = []
    together = False

    class Waiting(Model):
        def encode(self, *texts: Any, **settings: Any) -> np.ndarray:
            if together:
                both.wait()  # passes only if the other encoder is at work
            return super().encode(*texts, **settings)

    def load(device: str | None) -> Model:
        loaded.append(Waiting(device))
        return loaded[-1]

    encoder = started(load, ["cpu", "meta"])
    for _ in range(3):
        alone = encoder.encode(TEXTS, None, ends=False)
    assert [model.device for model in loaded] == ["cpu"]  # the second is loaded when it is needed
    together, found = True, []
    threads = [
        threading.Thread(target=lambda: found.append(encoder.encode(TEXTS, None, ends=False)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(str(model.device) for model in loaded) == ["cpu", "meta"]
    for vectors in found:
        np.testing.assert_array_equal(vectors, alone)
    assert len(found) == 2


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, int]:
    """Two GPUs with 20 GB of free memory each, which models reduce when they are loaded."""
    free = {"cuda:0": 20 * 10**9, "cuda:1": 20 * 10**9}
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # of the lock
    monkeypatch.setattr(sentence_transformer, "cuda_count", lambda: len(free))
    monkeypatch.setattr(sentence_transformer, "free_bytes", lambda device: free[device])
    return free


def test_the_second_model_on_a_gpu_is_refused_if_the_first_leaves_no_room(
    gpus: dict[str, int],
) -> None:
    def load(device: str | None) -> Model:
        assert device == "cpu"  # until it is known that the GPU has room

        class Large(Model):
            def to(self, device: str) -> Model:
                gpus[device] -= 16 * 10**9
                return super().to(device)

        return Large(device, weights=16 * 10**9)

    started(load, "auto").encode(TEXTS, None, ends=False)
    with pytest.raises(
        StopRunError, match=r"needs 17\.1 GB of memory on cuda:0, but only 4\.0 GB"
    ) as no:
        started(load, "auto").encode(TEXTS, None, ends=False)
    assert "use embedder=served, or give each task its own GPU" in str(no.value)
    started(load, "cuda:1").encode(TEXTS, None, ends=False)
    assert gpus == {"cuda:0": 4 * 10**9, "cuda:1": 4 * 10**9}


def test_processes_load_one_after_another_so_that_each_sees_what_is_left(
    gpus: dict[str, int],
) -> None:
    held: list[bool] = []

    def look() -> None:
        with sentence_transformer.loading_lock().open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                held.append(False)
            except BlockingIOError:
                held.append(True)

    class Looking(Model):
        def to(self, device: str) -> Model:
            look()
            return super().to(device)

    def load(device: str | None) -> Model:
        look()
        return Looking(device)

    started(load, "cuda:1").encode(TEXTS, None, ends=False)
    look()
    assert held == [True, True, False]


def test_all_means_every_gpu_and_auto_the_first(gpus: dict[str, int]) -> None:
    assert chosen_devices("all") == ("cuda:0", "cuda:1")
    assert chosen_devices("auto") == ("cuda:0",)
    assert chosen_devices(["cuda:1", "cpu"]) == ("cuda:1", "cpu")
    with pytest.raises(
        StopRunError, match="cuda:2 of the embedder does not exist; torch finds cuda:0, cuda:1"
    ):
        chosen_devices(["cuda:0", "cuda:2"])
    gpus.clear()
    assert chosen_devices("auto") == (None,)
    for device in ("all", "cuda", []):
        with pytest.raises(StopRunError, match=r"CUDA devices?|no device"):
            chosen_devices(device)
