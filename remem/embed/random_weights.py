"""A tiny model with an encoder's architecture and random weights.

It replaces an encoder whose weights are missing, and tests all steps of the real model (tokens,
instruction, padding, pooling, unit length). Its search results are meaningless, and all its results
are marked `weights: random`.
"""

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
from remem.files.unfinished_files import remove_left_over
from remem.protocols import QueryTarget, Vectors

Architecture = Literal["qwen3", "mistral"]

VOCABULARY, LAYERS, HEADS, KEY_VALUE_HEADS = 2048, 2, 4, 2
POSITIONS = 8192
END, PAD = "<end>", "<pad>"
WORDS = ("the", "where", "when", "who", "what", "a", "to", "in", "was", "is")
"""Training words of the tokenizer; everything else becomes bytes."""


class RandomWeights:
    """Embed through the class of the real model, with random weights.

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
        self._made = {"architecture": architecture, "seed": seed, "dimension": dimension}
        place = Path(folder) / f"{architecture}-{dimension}-{seed}"
        if not place.is_dir():
            _make(place, architecture, seed, dimension)
        self._embedder = encoder(model=str(place), dimension=dimension)

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimension

    @property
    def identity(self) -> Mapping[str, object]:
        """Return everything that the vectors depend on: how the weights were made."""
        return {**self._embedder.identity, "model": json.dumps(self._made), "weights": "random"}

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched, shape (n, dimension)."""
        return self._embedder.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Embed queries, each prefixed with the instruction of its target."""
        return self._embedder.embed_queries(texts, target)


def _make(place: Path, architecture: Architecture, seed: int, dimension: int) -> None:
    """Write a model in sentence-transformers' format; a complete folder gets its name."""
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
    """Make a tokenizer of bytes, which knows every text; Qwen3's puts the end after each."""
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
