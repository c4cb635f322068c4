"""Convert the messages of a request for an endpoint: to a chat, or to one text to continue.

A base model has no roles; it continues a text. With `prompts=few_shot` the text has a rule,
examples with their answers, and a question, and the continuation is the answer.
"""

from collections.abc import Sequence
from typing import Any, Literal

from remem.protocols import ChatMessage

Kind = Literal["openai-chat", "openai-completion"]
STOP = "\n\n"
"""The end of an answer in such a text, and so of every reply."""


def raw_text(messages: Sequence[ChatMessage]) -> str:
    r"""Join messages into one text, with each answer on the line after its question.

    If the last message is the beginning of an answer, the text ends with it.

    >>> raw_text([ChatMessage("user", "1 + 1?"), ChatMessage("assistant", "2"),
    ...           ChatMessage("user", "1 + 2?")])
    '1 + 1?\n2\n\n1 + 2?\n'
    >>> raw_text([ChatMessage("user", "1 + 2?"), ChatMessage("assistant", "The sum is")])
    '1 + 2?\nThe sum is'
    """
    ends = {"user": "\n"}
    said = "".join(message.content + ends.get(message.role, STOP) for message in messages)
    return said.removesuffix(STOP) if messages[-1].role == "assistant" else said


def chat_message(message: ChatMessage) -> dict[str, Any]:
    """Return a chat message with its tool calls as JSON data."""
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        sent["tool_call_id"] = message.tool_call_id
    return sent


def tool_choice(choice: str) -> str | dict[str, Any]:
    """Return a tool choice in the form of the API: a keyword, or the tool that must be called."""
    if choice in ("auto", "required", "none"):
        return choice
    return {"type": "function", "function": {"name": choice}}
