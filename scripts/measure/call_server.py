"""A chat endpoint with minimal cost: one fixed reply after a given latency.

`python -m measure.call_server <seconds>` writes its port and serves until its input ends.
"""

import asyncio
import json
import sys

REPLY_CHARACTERS = 1000
HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"


def canned_reply() -> bytes:
    """Return a whole HTTP response with a chat completion of about 1 kB of text."""
    words = "what was said that evening, and by whom; "
    text = (words * (REPLY_CHARACTERS // len(words) + 1))[:REPLY_CHARACTERS]
    message = {"role": "assistant", "content": text}
    content = {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 250, "completion_tokens": 250, "total_tokens": 500},
    }
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return head.encode() + HEAD_END + body


class Answering(asyncio.Protocol):
    """Answers each request of a connection, reading only its length."""

    def __init__(self, latency_seconds: float, reply: bytes) -> None:
        self._latency = latency_seconds
        self._reply = reply
        self._waiting = b""
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport for replies."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Add a part of a request; answer when it is complete."""
        if self._missing:
            self._missing -= len(data)
        else:
            self._waiting += data
            head, found, body = self._waiting.partition(HEAD_END)
            if not found:
                return
            self._waiting = b""
            self._missing = _content_length(head) - len(body)
        if not self._missing:
            self._answer_later()

    def _answer_later(self) -> None:
        if self._latency:
            asyncio.get_running_loop().call_later(self._latency, self._answer)
        else:
            self._answer()

    def _answer(self) -> None:
        if isinstance(self._transport, asyncio.WriteTransport):
            self._transport.write(self._reply)


def _content_length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return int(next(line for line in lines if line.startswith(LENGTH))[len(LENGTH) :])


async def _serve(latency_seconds: float) -> None:
    loop, reply = asyncio.get_running_loop(), canned_reply()
    server = await loop.create_server(
        lambda: Answering(latency_seconds, reply), "127.0.0.1", 0, backlog=2048
    )
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)  # whoever started it has gone


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
