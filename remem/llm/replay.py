"""Replay a run with an endpoint that sends nothing: all replies must be in the call store."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from pydantic import ValidationError

from remem.errors import ReplayMissError, StopRunError
from remem.files.adapters import parsed
from remem.llm.endpoint import Endpoint, EndpointReply
from remem.llm.likelihood import LikelihoodRequest
from remem.llm.request_body import with_limits
from remem.protocols import ChatMessage, ChatReply, ChatRequest, NativeCall
from remem.types import Usage

CALLS, REMARKS = tuple[NativeCall, ...], tuple[str, ...]


def sent_json(endpoint: Endpoint, request: ChatRequest) -> str:
    """Return everything that is sent, as canonical JSON (sorted keys, no spaces, ASCII).

    Raises:
        ValueError: The settings, the schema or a tool contain a value that JSON cannot represent.
    """
    sent = {
        "kind": endpoint.kind,
        "max_output_tokens": endpoint.max_output_tokens,
        "messages": [_message(message) for message in request.messages],
        "model": endpoint.model,
        "reply_schema": request.reply_schema,
        "settings": endpoint.settings,
        "tools": [[tool.name, tool.description, tool.parameters] for tool in request.tools],
    }
    # Rare fields are included only if set, so that the keys of other requests do not change.
    if request.tool_choice:
        sent["tool_choice"] = request.tool_choice
    if endpoint.settings.get("json_mode") == "alternatives":
        if request.reply_alternatives:
            most = endpoint.max_output_tokens
            sent["reply_alternatives"] = with_limits(request.reply_alternatives, most)
        if request.reply_grammar:
            sent["reply_grammar"] = request.reply_grammar
    if not request.strict:
        sent["strict"] = False
    return json.dumps(
        sent, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain_mapping
    )


def call_key(sent: str, repeat: int, attempt: int) -> str:
    """Return the key of one attempt at a call; `sent` is the call as canonical JSON."""
    # The result is also canonical JSON; it is composed by hand to avoid dumping `sent` again.
    call = f'{{"attempt":{attempt},"repeat":{repeat},"sent":{sent}}}'
    return hashlib.sha256(call.encode("ascii")).hexdigest()


def _message(message: ChatMessage) -> list[object]:
    fields: list[object] = [message.role, message.content]
    if message.tool_calls or message.tool_call_id:
        calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
        fields += [calls, message.tool_call_id]
    return fields


def _plain_mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise ValueError(
        f"a request contains {value!r} of type {type(value).__name__}; expected JSON values in "
        f"settings, schemas and tools"
    )


REPLY = (
    *("CAST(text AS BLOB)", "CAST(tool_calls AS BLOB)", "CAST(finish_reason AS BLOB)"),
    *("calls", "prompt_tokens", "completion_tokens"),
    *("CAST(model AS BLOB)", "CAST(remarks AS BLOB)"),
)
"""The columns of a reply as bytes, because an altered text may be invalid."""
ADDED_COLUMNS = 2
"""The number of last columns, which stores of earlier versions lack."""
KEY = "CAST(key AS BLOB)"
OUTCOME = "CAST(outcome AS BLOB)"
REPLY_BYTES = 16


def reply_columns(outcome: str, reply: ChatReply) -> tuple[object, ...]:
    """Return the values of the columns of `REPLY`; finish reasons have OpenAI's names."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls]
    finish_reason = "length" if reply.truncated else "tool_calls" if calls else "stop"
    usage = reply.usage
    return (
        *(reply.text, json.dumps(calls, ensure_ascii=False)),
        "" if outcome == "error" else finish_reason,
        *(usage.calls, usage.prompt_tokens, usage.completion_tokens),
        *(reply.model, json.dumps(reply.remarks, ensure_ascii=False) if reply.remarks else ""),
    )


def read_reply(text: bytes, tool_calls: bytes, finish_reason: bytes, *others: Any) -> ChatReply:
    """Build a reply from its raw columns.

    Raises:
        ValueError: The columns are not a valid reply. This can happen even if the checksum matches.
    """
    *counts, model, remarks = others
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise ValueError(f"the calls and tokens are {counts}, expected integers of at least 0")
    try:
        decoded, calls = text.decode(), parsed(CALLS, tool_calls, strict=True)
        stated = parsed(REMARKS, remarks or b"[]", strict=True)
        return ChatReply(
            decoded, calls, finish_reason == b"length", Usage(*counts), model.decode(), stated
        )
    except (ValidationError, UnicodeDecodeError) as error:
        raise ValueError(
            f"the text or the tool calls of a reply cannot be read: {error}"
        ) from error


def reply_sum(key: object, outcome: object, *reply: object) -> bytes:
    """Return the checksum of a reply together with its key.

    The checksum covers only whether the outcome is "error", because other outcomes may change.
    Columns that earlier versions did not have are left out while they are empty, so that earlier
    checksums stay valid.
    """
    hasher = blake2b(digest_size=REPLY_BYTES)
    added = filter(None, reply[-ADDED_COLUMNS:])
    for column in (key, _encoded(outcome) == b"error", *reply[:-ADDED_COLUMNS], *added):
        encoded = _encoded(column)
        hasher.update(b"%d:" % len(encoded))
        hasher.update(encoded)
    return hasher.digest()


def is_whole(stored_sum: object, key: object, outcome: object, *reply: object) -> bool:
    """Return whether a reply matches its stored checksum."""
    return stored_sum == reply_sum(key, outcome, *reply)


def _encoded(column: object) -> bytes:
    return column if isinstance(column, bytes) else str(column).encode("utf-8", "surrogatepass")


class ReplayEndpoint:
    """An endpoint that sends nothing, and gives calls the same keys as the recorded endpoint."""

    def __init__(self, *, recorded: Endpoint) -> None:
        self.kind = recorded.kind
        self.model = recorded.model
        self.settings = recorded.settings
        self.max_output_tokens = recorded.max_output_tokens
        self.address = recorded.address

    def send(self, request: ChatRequest) -> EndpointReply:
        """Raise ReplayMissError, since the call is not in the store."""
        lines = request.messages[-1].content.splitlines() if request.messages else []
        first_line = lines[0] if lines else ""
        raise ReplayMissError(
            f"no stored reply of {self.model} for a call of stage {request.stage} whose last "
            f"message begins with {first_line[:200]!r}"
        )

    def likelihood(self, request: LikelihoodRequest) -> EndpointReply:
        """Raise ReplayMissError, since the call is not in the store."""
        raise ReplayMissError(
            f"no stored likelihood by {self.model} for a call of stage {request.stage} whose text "
            f"is {request.text[:200]!r}"
        )

    def stop(self, reason: StopRunError) -> None:
        """Do nothing, because this endpoint never sends anything."""


@dataclass(frozen=True, slots=True)
class RecordedServer:
    """The identity of the recorded `LocalServer`, which is part of the keys of its calls."""

    identity: Mapping[str, Any]
