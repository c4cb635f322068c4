"""What the messages of a request are as an endpoint wants them: a chat, or one text to go on from.

A base model knows no roles: it goes on from a text. With `prompts=few_shot` that text is a rule,
examples with their answers, and a question; what the model writes next is the answer.
"""

from collections.abc import Sequence
from typing import Any, Literal

from remem.protocols import ChatMessage

Kind = Literal["openai-chat", "openai-completion"]
STOP = "\n\n"
"""What ends an answer in such a text, and so every reply."""


def raw_text(messages: Sequence[ChatMessage]) -> str:
    r"""Return messages as one text, in which an answer comes on the line after what it answers.

    Where the model is to go on from the beginning of an answer, the text ends with that beginning.

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
    """Return a message of a chat, with its calls."""
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
    """Return a choice among tools as it is sent: a word, or the one tool that is to be called."""
    if choice in ("auto", "required", "none"):
        return choice
    return {"type": "function", "function": {"name": choice}}
