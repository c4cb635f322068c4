"""Answer POST /v1/embeddings with an embedder in this process: `remem serve embeddings`.

A model can thus run in a separate environment (NV-Embed-v2: `make env NAME=nv-embed`). Besides
OpenAI's fields, a request has `role` and `target`, because queries and documents are embedded
differently.
"""

import base64
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from remem.embed.served_encoder import ServedEncoder
from remem.errors import StopRunError
from remem.protocols import Embedder, QueryTarget, Vectors
from remem.serve.http_handler import Reply, RequestError, Routes, json_reply

Encoding = Literal["float", "base64"]


class EmbeddingsRequest(BaseModel):
    """The body of a request. Without a role, the texts are embedded unchanged, as documents."""

    model_config = ConfigDict(strict=True)

    model: str
    input: str | list[str]
    encoding_format: Encoding = "float"
    role: Literal["query", "document"] = "document"
    target: QueryTarget = "passage"
    dimensions: int | None = None


def embeddings_reply(embedder: Embedder, name: str, body: object) -> dict[str, Any]:
    """Return the response to a request in OpenAI's format.

    Args:
        embedder: The embedder.
        name: The name of the model; requests for other models are refused.
        body: The parsed JSON of the request.

    Raises:
        ValueError: The request is malformed, or asks for another model or dimension.
    """
    request = EmbeddingsRequest.model_validate(body)
    if request.model != name:
        raise ValueError(f"unknown model {request.model!r}; this server has {name!r}")
    if request.dimensions not in (None, embedder.dimension):
        raise ValueError(
            f"vectors have {embedder.dimension} dimensions here, not {request.dimensions}"
        )
    texts = [request.input] if isinstance(request.input, str) else request.input
    if request.role == "query":
        vectors = embedder.embed_queries(texts, request.target)
    else:
        vectors = embedder.embed_documents(texts)
    return embeddings_of(vectors, name, request.encoding_format)


def embeddings_of(vectors: Vectors, name: str, encoding: Encoding) -> dict[str, Any]:
    """Return vectors in the format of OpenAI's response."""
    return {
        "object": "list",
        "model": name,
        "data": [
            {"object": "embedding", "index": index, "embedding": _encoded(vector, encoding)}
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},  # an embedder counts no tokens
    }


def _encoded(vector: Vectors, encoding: Encoding) -> list[float] | str:
    if encoding == "float":
        return [float(number) for number in vector]
    return base64.b64encode(vector.astype(np.dtype("<f4")).tobytes()).decode("ascii")


def embedding_routes(embedder: Embedder, served: ServedEncoder) -> Routes:
    """Return the HTTP routes for a thread-safe embedder; `served` describes its encoder."""
    return {
        ("POST", "/v1/embeddings"): lambda request: json_reply(
            checked_embeddings(embedder, served.name, request.body)
        ),
        ("GET", "/v1/models"): lambda _: models_reply(served),
        ("GET", "/health"): lambda _: json_reply({"status": "ok"}),
    }


def checked_embeddings(embedder: Embedder, name: str, body: object) -> dict[str, object]:
    """Answer a request for embeddings.

    Raises:
        RequestError: The request names another model (404), is malformed or unsupported (400), or
            the embedder cannot work on this machine (500).
    """
    if isinstance(body, dict) and body.get("model") != name:
        raise RequestError(404, f"unknown model {body.get('model')!r}; this server has {name!r}")
    try:
        return embeddings_reply(embedder, name, body)
    except ValidationError as error:
        raise RequestError(400, first_problem(error)) from error
    except ValueError as error:
        raise RequestError(400, str(error)) from error
    except StopRunError as error:
        raise RequestError(500, str(error)) from error


def models_reply(*served: ServedEncoder) -> Reply:
    """Return the list of the models of a server, with their known properties."""
    listed = []
    for encoder in served:
        fields = (("model", encoder.model), ("revision", encoder.revision))
        known_fields = {key: text for key, text in fields if text}
        entry = {"id": encoder.name, "object": "model", "created": 0, "owned_by": "remem"}
        listed.append({**entry, **known_fields})
    return json_reply({"object": "list", "data": listed})


def first_problem(error: ValidationError) -> str:
    """Describe the first error in a request body."""
    first = error.errors(include_url=False, include_input=False)[0]
    problem = first["msg"].removeprefix("Value error, ")
    return f"{'.'.join(map(str, first['loc'])) or 'body'}: {problem}"
