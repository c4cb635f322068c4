"""The routes of an embedder: `remem serve-embeddings`."""

from pydantic import ValidationError

from remem.embed.served_encoder import ServedEncoder
from remem.errors import StopRunError
from remem.protocols import Embedder
from remem.serve.embeddings import embeddings_reply
from remem.serve.http_messages import Reply, RequestError, Routes, json_reply


def embedding_routes(embedder: Embedder, served: ServedEncoder) -> Routes:
    """Return the routes of an embedder, which threads may share; `served` says which one it is."""
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
    """Return the list of the models of a server, with what is known of each."""
    listed = []
    for encoder in served:
        told = (("model", encoder.model), ("revision", encoder.revision))
        known = {key: text for key, text in told if text}
        entry = {"id": encoder.name, "object": "model", "created": 0, "owned_by": "remem"}
        listed.append({**entry, **known})
    return json_reply({"object": "list", "data": listed})


def first_problem(error: ValidationError) -> str:
    """Describe the first error in a request body."""
    first = error.errors(include_url=False, include_input=False)[0]
    told = first["msg"].removeprefix("Value error, ")
    return f"{'.'.join(map(str, first['loc'])) or 'body'}: {told}"
