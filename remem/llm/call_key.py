"""The key of a call: the sha256 of everything that is sent, its repeat and its attempt.

It covers the endpoint kind, model, settings (temperature, seed, how a schema is requested...),
maximum output tokens, messages, reply schema and tools. The stage is not sent, so it is not part of
the key. A later attempt also sends the previous reply and why it was rejected. Its key does not
contain these, since they follow from the stored earlier attempts.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from remem.llm.endpoint import Endpoint
from remem.llm.request_body import with_limits
from remem.protocols import ChatMessage, ChatRequest


def sent_json(endpoint: Endpoint, request: ChatRequest) -> str:
    """Return everything that is sent as canonical JSON: sorted keys, no spaces, ASCII.

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
    """Return the key of one attempt at a call, given as canonical JSON."""
    # The result is canonical JSON too; it is composed by hand to avoid dumping `sent` again.
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
