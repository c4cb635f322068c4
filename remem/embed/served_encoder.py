"""Ask a remem server which encoders it serves, and tell users how to start such a server."""

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from remem.errors import NobodyServesError, NotServedError
from remem.files.adapters import parsed
from remem.llm.endpoint import STUB
from remem.llm.http_client import nobody_answers, shown_address

SECONDS = 2.0
MOST_BYTES = 2**16
LONGEST_SHOWN = 200
SHOWN_DIGITS = 7
"""Number of digits of a commit in messages, as git shows it."""
PORT, STUB_PORT = 8001, 8123
"""The ports on which `remem serve embeddings` and `remem serve stub` listen by default."""

NV_EMBED, SERVED_NV_EMBED = "nvidia/NV-Embed-v2", "nv_embed_v2"
"""The model whose own code needs a separate environment, and its name in conf/embedder."""
PAPER_ENCODERS = (SERVED_NV_EMBED, "qwen3_embedding_8b")
"""The paper's encoders, by their names in conf/embedder."""

Text = Annotated[str, Field(max_length=LONGEST_SHOWN)]


@dataclass(frozen=True, slots=True)
class ServedEncoder:
    """An encoder as listed by a server; `model` and `revision` are "" if the server omits them."""

    name: Text
    model: Text = ""
    revision: Text = ""

    def __str__(self) -> str:
        revision = f" at revision {short_revision(self.revision)}" if self.revision else ""
        return f"{self.name} ({self.model}{revision})" if self.model else self.name


@dataclass(frozen=True, slots=True)
class _Listed:
    """An entry of the list of models of a server of remem."""

    id: Text
    owned_by: Literal["remem"]
    model: Text = ""
    revision: Text = ""


@dataclass(frozen=True, slots=True)
class _Models:
    data: Annotated[tuple[_Listed, ...], Field(min_length=1, max_length=100)]


def served_encoders(base_url: str, key: str = "") -> tuple[ServedEncoder, ...]:
    """Ask a server which encoders it serves; no texts are sent.

    Args:
        base_url: The address, up to and including /v1.
        key: The API key; "" where none is needed.

    Raises:
        NotServedError: No server answers within two seconds, or it is not a remem server.
    """
    from openai import APITimeoutError, OpenAI, OpenAIError

    from remem.llm.http_client import guarded_client
    from remem.llm.masking import masked, masked_bytes

    address = shown_address(base_url)
    try:
        with OpenAI(
            base_url=base_url,
            api_key=key or "none",
            max_retries=0,
            timeout=SECONDS,
            http_client=guarded_client(MOST_BYTES),
        ) as client:
            content = client.get("/models", cast_to=bytes)
        listed = parsed(_Models, masked_bytes(content, key)).data
    except APITimeoutError:
        raise NotServedError(f"{address} does not answer within {SECONDS:.0f} seconds") from None
    except OpenAIError as error:
        if nobody_answers(error):
            raise NobodyServesError(f"nothing answers at {address}") from None
        complaint = masked(str(error).replace(base_url, address), key)[:LONGEST_SHOWN]
        raise NotServedError(f"{address} is not a server of remem: {complaint}") from None
    except ValidationError as error:
        raise NotServedError(
            f"{address} is not a server of remem: /models lists no encoder"
        ) from error
    return tuple(ServedEncoder(entry.id, entry.model, entry.revision) for entry in listed)


def wanted_encoder(name: str, base_url: str, key: str = "") -> ServedEncoder:
    """Return the server's description of the encoder with this name.

    Raises:
        NotServedError: No server answers, or it does not serve this encoder; the message says how
            to serve it.
    """
    try:
        encoders = {encoder.name: encoder for encoder in served_encoders(base_url, key)}
    except NotServedError as error:
        raise type(error)(f"{error}; {how_to_serve(name, base_url)}") from error
    if name not in encoders:
        there = ", ".join(map(str, encoders.values()))
        raise NotServedError(
            f"{shown_address(base_url)} serves {there}, not {name}; {how_to_serve(name, base_url)}"
        )
    return encoders[name]


def how_to_serve(name: str, base_url: str) -> str:
    """Return advice on how to serve an encoder that the server at an address does not have."""
    command = serving_command(name, urlsplit(base_url).port)
    return f"serve {name} there, or set embedder.build.embedder.base_url to its address: {command}"


def serving_command(name: str, port: int | None = None) -> str:
    """Return the shell command that serves an encoder.

    Args:
        name: The name of an encoder in conf/embedder.
        port: The port; None for the default.
    """
    command, usual = f"remem serve embeddings embedder={name}", PORT
    if name == STUB:
        command, usual = "remem serve stub", STUB_PORT
    if name == SERVED_NV_EMBED:
        command = (
            f"make env NAME=nv-embed && .venv-nv-embed/bin/{command} 'run.model_code=[{NV_EMBED}]'"
        )
    return command if port in (None, usual) else f"{command} --port {port}"


def short_revision(revision: str) -> str:
    """Return the first digits of a commit hash; "unknown" if the hash is empty."""
    return revision[:SHOWN_DIGITS] or "unknown"
