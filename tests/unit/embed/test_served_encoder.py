"""Asking a server which encoder it has; the error for another server says what to do."""

import socket
from collections.abc import Iterator

import pytest
from openai import OpenAI

from remem.embed.hashing import HashingEmbedder
from remem.embed.served_encoder import (
    ServedEncoder,
    served_encoders,
    serving_command,
    wanted_encoder,
)
from remem.errors import NotServedError
from remem.serve.embeddings import embedding_routes
from remem.serve.http_handler import Reply, error_reply, json_reply
from remem.serve.server import LoopbackServer

NV_EMBED = ServedEncoder("nv_embed_v2", "nvidia/NV-Embed-v2", "7604d305b621f1")
COMMAND = (
    "make env NAME=nv-embed && .venv-nv-embed/bin/remem serve embeddings embedder=nv_embed_v2 "
    "'run.model_code=[nvidia/NV-Embed-v2]'"
)
SECRET = "sk-0123456789"
NOWHERE = "http://127.0.0.1:1/v1"


def serving(encoder: ServedEncoder) -> LoopbackServer:
    return LoopbackServer(embedding_routes(HashingEmbedder(dimension=8), encoder))


@pytest.fixture
def base_url() -> Iterator[str]:
    """The address of a server that reports the name, model and revision of NV-Embed-v2."""
    with serving(NV_EMBED) as server:
        yield f"{server.url}/v1"


def refusal(reply: Reply, key: str = "") -> str:
    """Return the error message for a server that gives this reply at /v1/models."""
    with (
        LoopbackServer({("GET", "/v1/models"): lambda _: reply}) as server,
        pytest.raises(NotServedError) as raised,
    ):
        served_encoders(f"{server.url}/v1", key)
    return str(raised.value).replace(server.url, "URL")


def test_a_server_says_its_name_model_and_revision(base_url: str) -> None:
    assert served_encoders(base_url) == (NV_EMBED,)
    assert str(NV_EMBED) == "nv_embed_v2 (nvidia/NV-Embed-v2 at revision 7604d30)"


def test_a_model_that_the_server_does_not_know_is_empty() -> None:
    with serving(ServedEncoder("hashing")) as server:
        assert served_encoders(f"{server.url}/v1") == (ServedEncoder("hashing"),)


def test_a_client_of_openai_reads_the_list(base_url: str) -> None:
    with OpenAI(base_url=base_url, api_key="none") as client:
        (model,) = client.models.list().data
    assert (model.id, model.owned_by) == ("nv_embed_v2", "remem")
    assert model.model_extra is not None
    assert model.model_extra["revision"] == NV_EMBED.revision


def test_what_is_no_server_of_remem_is_named() -> None:
    no_encoder = "URL/v1 is not a server of remem: /models lists no encoder"
    other = {"data": [{"id": "a", "owned_by": "vllm"}]}
    none: dict[str, list[str]] = {"data": []}
    for reply in (Reply(b"<html>"), json_reply([]), json_reply(other), json_reply(none)):
        assert refusal(reply) == no_encoder
    told = refusal(error_reply(404, f"no such path, says {SECRET}"), SECRET)
    assert told.startswith("URL/v1 is not a server of remem: Error code: 404")
    assert SECRET not in told
    too_large = refusal(Reply(b" " * 2**17))
    assert too_large.startswith("URL/v1 is not a server of remem: the reply is too large")


def test_a_server_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remem.embed.served_encoder.SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and says nothing
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(NotServedError, match=f"{address} does not answer within"):
            served_encoders(address)


def test_where_nothing_answers_it_is_said_how_to_serve_the_encoder() -> None:
    with pytest.raises(NotServedError) as raised:
        wanted_encoder("nv_embed_v2", "http://me:secret@127.0.0.1:1/v1")
    assert str(raised.value) == (
        f"nothing answers at {NOWHERE}; serve nv_embed_v2 there, or set "
        f"embedder.build.embedder.base_url to its address: {COMMAND} --port 1"
    )


def test_another_encoder_is_not_the_one_that_is_wanted(base_url: str) -> None:
    assert wanted_encoder("nv_embed_v2", base_url) == NV_EMBED
    with pytest.raises(NotServedError) as raised:
        wanted_encoder("qwen3_embedding_8b", base_url)
    assert str(raised.value).startswith(
        f"{base_url} serves {NV_EMBED}, not qwen3_embedding_8b; serve qwen3_embedding_8b there"
    )


def test_a_command_names_the_port_only_if_it_is_not_the_usual_one() -> None:
    assert serving_command("nv_embed_v2", 8001) == serving_command("nv_embed_v2") == COMMAND
    qwen = "remem serve embeddings embedder=qwen3_embedding_8b"
    assert serving_command("qwen3_embedding_8b", 9000) == f"{qwen} --port 9000"
    assert serving_command("loopback-stub", 8123) == "remem serve stub"
