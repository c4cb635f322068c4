"""Exchange messages with an MCP server through the standard input and output of a program.

The SDK can start programs too, but would not limit the length of lines, and would not end the
processes that the program has started.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from remem.files.json_text import json_value
from remem.files.programs import LongLineError, Program

END_SECONDS = 2.0
"""How long a server may take to end by itself once its input is closed, as the protocol asks."""
SHOWN_BYTES = 200
WATCH_SECONDS = 0.25
"""How often the thread that waits for a message looks whether the session has ended."""


@asynccontextmanager
async def message_streams(
    program: Program, timeout_seconds: float
) -> AsyncIterator[tuple[Any, Any]]:
    """Yield two streams of messages, from and to a program; end the program afterwards.

    Args:
        program: The running program.
        timeout_seconds: The maximum time until the program has read a message.
    """
    import anyio

    received, from_program = anyio.create_memory_object_stream[Any](0)
    to_program, sent = anyio.create_memory_object_stream[Any](0)
    loop = asyncio.get_running_loop()
    ended = threading.Event()

    def read() -> None:
        with suppress(Exception):  # the session has ended
            for message in _messages(program, ended):
                asyncio.run_coroutine_threadsafe(received.send(message), loop).result()
            asyncio.run_coroutine_threadsafe(received.aclose(), loop).result()

    async def write() -> None:
        async for message in sent:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            if not await asyncio.to_thread(_is_written, program, line + b"\n", timeout_seconds):
                await received.aclose()  # else a request would wait for an answer
                return

    threading.Thread(target=read, daemon=True).start()
    writing = asyncio.create_task(write())
    try:
        yield from_program, to_program
    finally:
        ended.set()
        writing.cancel()
        from_program.close()
        await asyncio.shield(asyncio.to_thread(program.end, END_SECONDS))


def _messages(program: Program, ended: threading.Event) -> Iterator[Any]:
    """Yield each message of a program, or an error for a line that is not a message."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    while not ended.is_set():
        try:
            line = program.read_line(lambda: 0.0 if ended.wait(0) else WATCH_SECONDS)
            if line is not None:
                yield SessionMessage(
                    jsonrpc_message_adapter.validate_python(json_value(line), by_name=False)
                )
        except EOFError:
            return
        except LongLineError as error:
            yield error
            return
        except ValueError:
            yield ValueError((line or b"")[:SHOWN_BYTES].decode(errors="replace"))


def _is_written(program: Program, line: bytes, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    with suppress(BrokenPipeError):
        return program.write(line, lambda: deadline - time.monotonic())
    return False
