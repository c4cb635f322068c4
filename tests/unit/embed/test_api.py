"""`/v1/embeddings` over real HTTP, on a loopback server that records its requests."""

import base64
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remem.embed.api import ApiEmbedder
from remem.embed.cached import CachedEmbedder
from remem.embed.model_io import QueryInstructions
from remem.errors import ModelUnavailableError, StopRunError, UnhealthyMemoryError
from remem.llm.vector_store import EmbeddingCall, VectorStore
from remem.serve.http_handler import EVERYTHING, Reply, Request
from remem.serve.server import LoopbackServer

INSTRUCTIONS = QueryInstructions(passage="find it", fact="find facts", format="Do {instruction}: ")
KEY = "sk-very-secret-0123"
Body = dict[str, Any]


class Server:
    """Answers with the vector [length of the text, 1, 0] unless told otherwise."""

    def __init__(self, token: str | None = None) -> None:
        self.bodies: list[Body] = []
        self.answer: Callable[[Body], tuple[int, object]] = self.well
        self.http = LoopbackServer({("POST", EVERYTHING): self.reply}, token=token)
        self.url = f"{self.http.url}/v1"

    def reply(self, request: Request) -> Reply:
        self.bodies.append(request.body)
        status, answer = self.answer(request.body)
        return Reply(json.dumps(answer).encode(), status)

    def well(self, body: Body) -> tuple[int, object]:
        return 200, reply([[float(len(text)), 1.0, 0.0] for text in body["input"]], body)


def reply(vectors: list[list[float]], body: Body) -> Body:
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    if body.get("encoding_format") == "base64":
        for item in data:
            packed = np.array(item["embedding"], dtype=np.float32).tobytes()
            item["embedding"] = base64.b64encode(packed).decode()
    usage = {"prompt_tokens": 7 * len(vectors), "total_tokens": 7 * len(vectors)}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    with server.http:
        yield server


def embedder(server: Server, **changes: Any) -> ApiEmbedder:
    settings: dict[str, Any] = {
        "base_url": server.url,
        "api_key_variable": None,
        "model": "some-model",
        "dimension": 3,
        "instructions": None,
        "sends_role": False,
        "batch_size": 2,
        "timeout_seconds": 10,
        "retries": 0,
        "calls": None,
    }
    return ApiEmbedder(**(settings | changes))


def expected(*lengths: int) -> np.ndarray:
    vectors = np.array([[length, 1.0, 0.0] for length in lengths])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_an_endpoint_that_is_down_is_named_with_the_key_that_sets_its_address(
    server: Server,
) -> None:
    down = embedder(server, base_url="http://me:secret@127.0.0.1:1/v1")
    told = r"^nothing answers at http://127\.0\.0\.1:1/v1 \(.*set embedder\.build\.embedder\.base_u"
    with pytest.raises(ModelUnavailableError, match=told):
        down.embed_documents(["a"])


def test_texts_go_in_batches_and_come_back_as_unit_vectors_in_order(server: Server) -> None:
    vectors = embedder(server).embed_documents(["a", "bb", "ccc", "dddd", ""])
    np.testing.assert_allclose(vectors, expected(1, 2, 3, 4, 1), atol=1e-6)
    assert vectors.dtype == np.float32
    # An empty text is sent as a space, since an endpoint would refuse it.
    assert [body["input"] for body in server.bodies] == [["a", "bb"], ["ccc", "dddd"], [" "]]
    assert {body["model"] for body in server.bodies} == {"some-model"}


def test_a_foreign_server_is_sent_the_instruction_before_the_query_and_no_role(
    server: Server,
) -> None:
    asked = embedder(server, instructions=INSTRUCTIONS)
    asked.embed_queries(["who?"], "passage")
    asked.embed_queries(["who?"], "fact")
    asked.embed_documents(["who?"])
    assert [body["input"] for body in server.bodies] == [
        ["Do find it: who?"],
        ["Do find facts: who?"],
        ["who?"],
    ]
    assert all(not {"role", "target"} & body.keys() for body in server.bodies)


def test_a_server_of_ours_is_sent_the_role_and_the_target_and_the_bare_query(
    server: Server,
) -> None:
    asked = embedder(server, sends_role=True)
    asked.embed_queries(["who?"], "fact")
    asked.embed_documents(["who?"])
    query, document = server.bodies
    assert (query["input"], query["role"], query["target"]) == (["who?"], "query", "fact")
    assert (document["input"], document["role"]) == (["who?"], "document")
    assert "target" not in document


def test_a_query_never_carries_two_instructions(server: Server) -> None:
    with pytest.raises(ValueError, match="so each query would have two instructions"):
        embedder(server, sends_role=True, instructions=INSTRUCTIONS)


def test_a_failed_request_is_sent_again_as_often_as_configured(server: Server) -> None:
    def fails_once(body: Body) -> tuple[int, object]:
        return server.well(body) if len(server.bodies) > 1 else (500, {"error": "tired"})

    server.answer = fails_once
    assert embedder(server, retries=1).embed_documents(["a"]).shape == (1, 3)
    server.answer = lambda body: (500, {"error": "tired"})
    server.bodies.clear()
    with pytest.raises(ModelUnavailableError, match="InternalServerError: status 500: tired"):
        embedder(server, retries=0).embed_documents(["a"])
    assert len(server.bodies) == 1


def test_the_key_comes_from_the_environment_and_reaches_nothing_but_the_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    server = Server(token=KEY)
    asked = embedder(server, api_key_variable="SOME_KEY")
    complaint = r"status 401: wrong key \*\*\*; check the key in .*api_key_variable \(SOME_KEY\)"
    with server.http:
        asked.embed_documents(["a"])  # else refused by the server, which checks the key
        server.answer = lambda body: (401, {"error": {"message": f"wrong key {KEY}"}})
        with pytest.raises(StopRunError, match=complaint) as caught:
            asked.embed_documents(["b"])
    assert KEY not in json.dumps(asked.identity)
    assert KEY not in str(caught.getrepr(chain=True, style="long", showlocals=False))
    assert caught.value.__cause__ is None


def test_a_key_that_is_not_set_is_named_at_the_first_request(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    asked = embedder(server, api_key_variable="SOME_KEY")
    told = r"environment variable SOME_KEY, which embedder\.build\.embedder\.api_key_var"
    with pytest.raises(StopRunError, match=told):
        asked.embed_documents(["a"])
    assert server.bodies == []


def test_every_request_is_accounted_for_with_the_tokens_of_the_endpoint(server: Server) -> None:
    class Calls(list[EmbeddingCall]):
        add = list.append

    calls = Calls()
    embedder(server, calls=calls, sends_role=True).embed_queries(["a", "bb", "ccc"], "fact")
    assert [(call.inputs, call.prompt_tokens) for call in calls] == [
        (("a", "bb"), 14),
        (("ccc",), 7),
    ]
    assert {call.model for call in calls} == {"some-model"}
    assert calls[0].extra == {"role": "query", "target": "fact"}
    assert all(call.seconds > 0 for call in calls)


@pytest.mark.parametrize(
    ("status", "answer", "path", "exit_code", "complaint"),
    [
        (422, {"error": "batch size 128 > maximum allowed batch size 32"}, "/v1", 1, "batch_size="),
        (404, {"detail": "Not Found"}, "", 1, "is /v1 missing at the end of .*base_url"),
        (403, {"message": "no access"}, "/v1", 1, "status 403: no access; check the key"),
        (402, {"error": {"message": "pay"}}, "/v1", 4, "status 402: pay; no calls are possible"),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, "/v1", 4, "topped up"),
    ],
)
def test_a_refusal_of_every_request_stops_the_run_with_its_reason_and_cure(
    server: Server, status: int, answer: Body, path: str, exit_code: int, complaint: str
) -> None:
    server.answer = lambda body: (status, answer)
    address = server.url.removesuffix("/v1") + path
    with pytest.raises(StopRunError, match=complaint) as caught:
        embedder(server, base_url=address).embed_documents(["a"])
    assert caught.value.exit_code == exit_code
    assert len(server.bodies) == 1


def test_what_came_instead_of_vectors_is_shown_without_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    padded = {"error": {"message": f"{'x' * 295} {KEY}"}}  # cut in the middle of the key
    server.answer = lambda body: (200, padded)
    told = r"sent no embeddings \(data: .*: xxx"
    with pytest.raises(ModelUnavailableError, match=told) as caught:
        embedder(server, api_key_variable="SOME_KEY").embed_documents(["a"])
    assert KEY[:3] not in str(caught.value)


def same(body: Body) -> tuple[int, object]:
    return 200, reply([[0.6, 0.8, 0.0] for _ in body["input"]], body)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_one_vector_for_different_texts_stops_the_run_in_any_batch(
    server: Server, batch_size: int
) -> None:
    server.answer = same
    asked = embedder(server, batch_size=batch_size)
    complaint = (
        f"{server.url} sent the same vector for 'Ann moved.' and 'Bob baked.', so .*"
        "; to continue anyway, set run.health=warn"
    )
    with pytest.raises(UnhealthyMemoryError, match=complaint):
        asked.embed_documents(["Ann moved.", "ann moved", "Bob baked."])


@pytest.mark.parametrize(("same_vectors", "warnings"), [("warn", 1), (None, 0)])
def test_one_vector_for_different_texts_is_a_warning_said_once_or_expected(
    server: Server, same_vectors: str | None, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = same
    asked = embedder(server, same_vectors=same_vectors)
    with caplog.at_level(logging.WARNING):
        for text in ("Ann moved.", "Bob baked.", "Cleo sang."):
            asked.embed_documents([text])
    assert len(caplog.messages) == warnings


def test_no_vector_of_a_batch_in_which_texts_share_one_is_stored(
    server: Server, tmp_path: Path
) -> None:
    server.answer = same
    store = VectorStore(store=str(tmp_path / "calls.sqlite"), model="some-model", dimension=3)
    asked = CachedEmbedder(embedder=embedder(server), cache=store, portion=2)
    with pytest.raises(UnhealthyMemoryError):
        asked.embed_documents(["Ann moved.", "Bob baked."])
    assert list(tmp_path.rglob("*.f32")) == []
