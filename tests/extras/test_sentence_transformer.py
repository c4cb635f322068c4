"""Which tokens reach sentence-transformers, tested on tiny random models made here.

The references are transformers' own forward passes, text by text, pooled by hand.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remem.embed.model_io import QueryInstructions
from remem.embed.sentence_transformer import SentenceTransformerEmbedder

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(
        not find_spec("sentence_transformers"), reason="sentence-transformers is not installed"
    ),
]

HIDDEN = 32
TEXTS = [
    "Caroline painted a sunrise over the lake and hung it in the hall",
    "hi",
    "Melanie runs",
    "The support group met on Sunday; everyone told a story about courage and home",
    "A dog barked twice at night",
]
FORMAT = "Instruct: {instruction}\nQuery: "
INSTRUCTIONS = QueryInstructions(passage="find the passage", fact="find the fact", format=FORMAT)
EOS = "</s>"


@pytest.fixture(scope="module")
def mistral(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal model like NV-Embed and Qwen, with last-token pooling and a bare tokenizer."""
    from transformers import MistralConfig, MistralModel

    config = MistralConfig(
        vocab_size=400,
        hidden_size=HIDDEN,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
    )
    return saved(MistralModel, config, "lasttoken", tmp_path_factory.mktemp("mistral"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder like MiniLM, with mean pooling."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=400,
        hidden_size=HIDDEN,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=256,
    )
    return saved(BertModel, config, "mean", tmp_path_factory.mktemp("bert"))


def saved(model_class: Any, config: Any, pooling: str, folder: Path) -> Path:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    torch.manual_seed(0)
    core = folder / "core"
    model_class(config).save_pretrained(core)
    trained_tokenizer().save_pretrained(core)
    encoder = Transformer(str(core))
    whole = SentenceTransformer(modules=[encoder, Pooling(HIDDEN, pooling_mode=pooling)])
    whole.save(str(folder / "whole"), create_model_card=False)
    return folder / "whole"


def trained_tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<pad>", EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=EOS, pad_token="<pad>")


def made(model: Path, **changes: Any) -> SentenceTransformerEmbedder:
    settings: dict[str, Any] = {
        "model": str(model),
        "revision": None,
        "trust_remote_code": False,
        "model_code": (),
        "instructions": None,
        "add_eos": False,
        "padding_side": None,
        "max_length": 128,
        "batch_size": 2,
        "device": "cpu",
        "dtype": "float32",
        "dimension": HIDDEN,
    }
    return SentenceTransformerEmbedder(**(settings | changes))


@pytest.fixture
def batches() -> Iterator[list[list[list[int]]]]:
    """The token ids of every batch that reaches a model."""
    import torch
    from torch.nn.modules.module import register_module_forward_pre_hook

    seen: list[list[list[int]]] = []

    def note(module: Any, inputs: tuple[Any, ...]) -> None:
        words = isinstance(module, torch.nn.Embedding) and module.num_embeddings == 400
        if words:
            seen.append(inputs[0].tolist())

    handle = register_module_forward_pre_hook(note)
    yield seen
    handle.remove()


def hidden_states(model: Path, text: str) -> np.ndarray:
    """Run the saved model on one text by transformers alone, without padding."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModel.from_pretrained(model, dtype=torch.float32).eval()
    with torch.no_grad():
        states = network(**tokenizer(text, return_tensors="pt")).last_hidden_state
    return np.asarray(states[0])


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def decoded(model: Path, rows: Sequence[Sequence[int]]) -> list[str]:
    from transformers import AutoTokenizer

    return list(AutoTokenizer.from_pretrained(model).batch_decode(rows))


def test_a_causal_model_gets_the_instruction_the_text_and_the_eos(
    mistral: Path, batches: list[list[list[int]]]
) -> None:
    embedder = made(mistral, instructions=INSTRUCTIONS, add_eos=True, padding_side="right")
    vectors = embedder.embed_queries(TEXTS, "fact")
    prompts = [f"Instruct: find the fact\nQuery: {text}{EOS}" for text in TEXTS]
    expected = [unit(hidden_states(mistral, prompt)[-1]) for prompt in prompts]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    batches_of_texts = [row for batch in batches[: (len(TEXTS) + 1) // 2] for row in batch]
    shown = [text.replace("<pad>", "") for text in decoded(mistral, batches_of_texts)]
    assert sorted(shown) == sorted(prompts)


def test_documents_go_without_an_instruction_and_each_target_has_its_own(mistral: Path) -> None:
    embedder = made(mistral, instructions=INSTRUCTIONS, add_eos=True)
    bare = made(mistral, add_eos=True)
    documents = embedder.embed_documents(TEXTS)
    np.testing.assert_array_equal(documents, bare.embed_documents(TEXTS))
    np.testing.assert_array_equal(bare.embed_queries(TEXTS, "fact"), documents)
    passage, fact = (embedder.embed_queries(TEXTS, target) for target in ("passage", "fact"))
    assert np.abs(passage - fact).max() > 1e-3
    assert np.abs(passage - documents).max() > 1e-3


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_padding_lies_on_the_side_that_was_asked_for(
    mistral: Path, batches: list[list[list[int]]], side: str
) -> None:
    made(mistral, add_eos=True, padding_side=side, batch_size=5).embed_documents(TEXTS)
    (batch,) = batches
    assert len({len(row) for row in batch}) == 1
    padded = [row for row in batch if 0 in row]
    assert len(padded) == 4
    for row in padded:
        kept = [token for token in row if token != 0]
        gap = [0] * (len(row) - len(kept))
        assert row == (gap + kept if side == "left" else kept + gap)
        assert kept[-1] == 1  # the end of the sequence


def test_no_eos_is_added_where_none_is_asked_for(
    mistral: Path, batches: list[list[list[int]]]
) -> None:
    made(mistral, batch_size=5).embed_documents(TEXTS)
    assert all(1 not in row for row in batches[0])


def test_texts_of_like_length_share_a_batch_and_come_back_in_their_order(
    bert: Path, batches: list[list[list[int]]]
) -> None:
    embedder = made(bert)
    vectors = embedder.embed_documents(TEXTS)
    widths = [len(batch[0]) for batch in batches]
    assert len(widths) == 3
    assert widths == sorted(widths, reverse=True)
    expected = [unit(hidden_states(bert, text).mean(axis=0)) for text in TEXTS]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_a_text_is_cut_at_the_longest_length(bert: Path, batches: list[list[list[int]]]) -> None:
    made(bert, max_length=7).embed_documents(["word " * 100])
    assert [len(row) for row in batches[0]] == [7]


def test_a_default_prompt_of_the_model_is_not_used(bert: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    prompts = {"query": "represent this: "}
    model = SentenceTransformer(str(bert), prompts=prompts, default_prompt_name="query")
    model.save(str(tmp_path), create_model_card=False)
    plain = made(bert).embed_documents(TEXTS)
    np.testing.assert_array_equal(made(tmp_path).embed_documents(TEXTS), plain)


def test_half_precision_gives_unit_vectors_of_float32(bert: Path) -> None:
    vectors = made(bert, dtype="bfloat16").embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    full = made(bert).embed_documents(TEXTS)
    assert 1e-5 < np.abs(vectors - full).max() < 0.05


def test_a_vector_that_is_not_finite_names_its_text(bert: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(bert))
    poison = model.tokenizer("~")["input_ids"][0]
    network = model[0].auto_model
    network.embeddings.word_embeddings.weight.data[poison] = np.nan
    model.save(str(tmp_path), create_model_card=False)
    with pytest.raises(ValueError, match="not finite for text 1 of 3, which starts with 'a ~ b'"):
        made(tmp_path).embed_documents(["long and clean", "a ~ b", "clean"])


def test_a_dimension_that_is_not_the_models_is_refused(bert: Path) -> None:
    with pytest.raises(ValueError, match=r"shape \(1, 32\) for 1 texts, expected \(1, 64\)"):
        made(bert, dimension=64).embed_documents(["text"])


def test_a_model_without_an_eos_cannot_be_given_one(bert: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(bert))
    model.tokenizer.eos_token = None
    model.save(str(tmp_path), create_model_card=False)
    with pytest.raises(ValueError, match="no end-of-sequence token; set add_eos to false"):
        made(tmp_path, add_eos=True).embed_documents(["text"])


def test_two_encoders_give_the_vectors_of_one_to_requests_at_the_same_time(bert: Path) -> None:
    two, one = made(bert, device=["cpu", "cpu"]), made(bert)
    asked = [TEXTS[at:] + TEXTS[:at] for at in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(two.embed_documents, asked))
    for vectors, texts in zip(found, asked, strict=True):
        np.testing.assert_allclose(vectors, one.embed_documents(texts), atol=1e-6)


def test_a_model_that_runs_out_of_memory_gives_the_vectors_of_a_smaller_batch(
    bert: Path, batches: list[list[list[int]]]
) -> None:
    import torch
    from torch.nn.modules.module import register_module_forward_pre_hook

    def fill(module: Any, inputs: tuple[Any, ...]) -> None:
        if isinstance(module, torch.nn.Embedding) and len(inputs[0]) > 1:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    expected = made(bert).embed_documents(TEXTS)
    batches.clear()
    handle = register_module_forward_pre_hook(fill)
    try:
        vectors = made(bert, batch_size=5).embed_documents(TEXTS)
    finally:
        handle.remove()
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert [len(batch) for batch in batches] == [5, 2, *[1] * 5]


def test_the_identity_holds_what_the_vectors_depend_on_and_not_how_fast(bert: Path) -> None:
    assert made(bert).identity == made(bert, batch_size=7, device="auto").identity
    changes: list[dict[str, Any]] = [
        {"instructions": INSTRUCTIONS},
        {"add_eos": True},
        {"max_length": 9},
        {"dtype": "float16"},
    ]
    for change in changes:
        assert made(bert, **change).identity != made(bert).identity
