"""The counts of an embedding server's replies add up, and truncated texts are reported once."""

import json
import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.embed.api import ApiEmbedder
from remem.embed.vector_account import CUT, SORTED, SOURCE, fewest_cut, vector_sentences
from remem.errors import ModelUnavailableError, UnhealthyMemoryError
from remem.intake import Account, Remark
from remem.llm.vector_store import EmbeddingCall

LAKE = "She rows on the lake."
NUMBERS = st.floats(allow_nan=True, allow_infinity=True, width=32) | st.just(0.0)
ODD = st.lists(NUMBERS, max_size=3) | st.sampled_from(["AAAA", "", None])
RIGHT = st.lists(st.floats(0.5, 2, width=32), min_size=2, max_size=2)
VECTORS = st.lists(RIGHT, min_size=2, max_size=2) | st.lists(RIGHT | ODD, max_size=4)
INDICES = st.permutations([0, 1]) | st.just([None] * 4) | st.lists(st.integers(-1, 4), min_size=4)
TOKENS = st.integers(-1, 12) | st.none() | st.text()


def reply(
    vectors: Sequence[Any], indices: Sequence[int | None] = (0, 1), tokens: Any = None
) -> Any:
    items = [
        {"embedding": vector} | ({} if index is None else {"index": index})
        for vector, index in zip(vectors, indices, strict=False)
    ]
    return {"data": items, "usage": {"prompt_tokens": tokens}}


REPLIES = st.builds(reply, VECTORS, INDICES, TOKENS) | st.just({"error": "out of memory"})


class Client:
    """A stand-in for openai's client that sends made-up replies, one for each request."""

    def __init__(self, *replies: Any) -> None:
        self._replies = iter(replies)

    def post(self, path: str, **_: object) -> bytes:
        return json.dumps(next(self._replies)).encode()


def embedder(*replies: Any, calls: Any = None) -> ApiEmbedder:
    """Return an embedder with two texts per request and two dimensions."""
    asking = ApiEmbedder(
        base_url="http://127.0.0.1:9/v1",
        api_key_variable=None,
        model="m",
        dimension=2,
        instructions=None,
        sends_role=False,
        batch_size=2,
        timeout_seconds=5,
        retries=0,
        calls=calls,
    )
    asking._client = Client(*replies)
    return asking


def test_vectors_kept_refused_and_sorted_add_up_over_requests() -> None:
    asking = embedder(
        reply([[1, 0], [0, 1]], indices=(1, 0)), reply([[1, 2], [2, 1]]), reply([[3, 1], [0, 0]])
    )
    asking.embed_documents(["Ann", "Bob", "Cleo", "Dan"])
    with pytest.raises(ModelUnavailableError, match="only zeros for text 1 of 2"):
        asking.embed_documents(["Eve", "Finn"])
    assert asking.vector_account == Account(
        "vectors",
        arrived=6,
        kept=4,
        left_out=(Remark("were refused", 2, "request 3"),),
        repaired=(Remark(SORTED, 2, "request 1"),),
        asked=6,
    )
    assert list(vector_sentences({SOURCE: asking.vector_account})) == [
        "2 of 6 vectors of the embedding server were refused.",
        "2 of 6 vectors of the embedding server came in a different order from their texts, and "
        "were "
        "sorted by their index.",
    ]


def test_a_request_that_brought_no_vectors_is_asked_and_did_not_arrive() -> None:
    asking = embedder({"error": "out of memory"})
    with pytest.raises(ModelUnavailableError):
        asking.embed_documents(["Ann", "Bob"])
    assert asking.vector_account == Account("vectors", arrived=0, kept=0, asked=2)
    assert list(vector_sentences({SOURCE: asking.vector_account})) == []
    assert list(vector_sentences({})) == []


def test_texts_that_the_server_cut_are_counted_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Calls(list[EmbeddingCall]):
        add = list.append

    calls = Calls()
    asking = embedder(
        reply([[1, 0], [0, 1]], tokens=6),
        reply([[1, 2], [2, 1]], tokens=5),
        reply([[3, 1], [1, 3]], tokens=0),  # were not counted
        calls=calls,
    )
    texts = ["Ann", f"1: {LAKE} {LAKE}", f"2: {LAKE}", f"3: {LAKE}", f"4: {LAKE}", f"5: {LAKE}"]
    with caplog.at_level(logging.WARNING):
        asking.embed_documents(texts)
    assert [call.prompt_tokens for call in calls] == [6, 5, None]
    (warning,) = caplog.messages
    assert "at least 1 of 2 so far" in warning
    assert "The longest text of this request starts with '1: She rows on the lake." in warning
    assert asking.vector_account.repaired == (Remark(CUT, 3, "request 1"),)
    (note,) = vector_sentences({SOURCE: asking.vector_account})
    assert note.startswith("The embedding server cut at least 3 of 6 texts ")


@pytest.mark.parametrize(
    ("words", "tokens", "cut"),
    [((4, 4), 8, 0), ((4, 4), 7, 1), ((4, 4), 3, 2), ((9, 1, 1), 3, 1), ((9, 1, 1), 2, 1)],
)
def test_the_fewest_texts_that_can_be_cut_are_the_longest(
    words: tuple[int, ...], tokens: int, cut: int
) -> None:
    assert fewest_cut(["a " * count for count in words], tokens) == cut


@settings(max_examples=60, deadline=None)
@given(st.lists(REPLIES, min_size=1, max_size=3))
def test_whatever_a_server_sends_is_accounted_for_or_a_clear_error(replies: list[Any]) -> None:
    asking = embedder(*replies)
    kept = arrived = 0
    for at, made_up in enumerate(replies):
        try:
            vectors = asking.embed_documents([f"Ann {at}", f"Bob {at}"])
            kept += len(vectors)
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        except (ModelUnavailableError, UnhealthyMemoryError) as error:
            assert "http://127.0.0.1:9/v1" in str(error)
        arrived += len(made_up.get("data", ()))
    account = asking.vector_account
    assert (account.asked, account.kept) == (2 * len(replies), kept)
    assert account.kept + sum(remark.count for remark in account.left_out) == account.arrived
    assert account.arrived <= arrived  # a reply that cannot be read at all has no vectors
