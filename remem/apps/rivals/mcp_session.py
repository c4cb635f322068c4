"""A session with an MCP server through the official SDK, for callers without an event loop.

The SDK is asynchronous. Each session has an event loop in its own thread, where one task keeps the
connection open until the end.
"""

import asyncio
import json
import logging
import threading
import weakref
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from remem.apps.rivals.mcp_pipes import message_streams
from remem.apps.rivals.mcp_results import ToolResult
from remem.apps.rivals.program import ProgramError
from remem.apps.rivals.worker_process import program_environment
from remem.apps.rivals.worker_replies import MOST_ITEMS
from remem.files.programs import LONGEST_LINE, Program

GRACE_SECONDS = 5.0
"""Additional time for the SDK, which has the same limits, to report a timeout itself."""
CLOSING_SECONDS = 10.0
LONGEST_SHOWN = 300
MOST_TOOLS = 1_000
"""Maximum number of tools that a server lists; two of them are used."""
SILENCED = ("mcp.client.streamable_http", "mcp.shared.jsonrpc_dispatcher")

Result = TypeVar("Result")


class McpSession:
    """A session with a server, from construction until `close`.

    Args:
        name: The name of the server in errors.
        transport: Opens the connection; it is called in the thread of the session.
        timeout_seconds: The maximum time of the handshake, and of each call.
        last_words: A function that returns a phrase for errors, such as the last output of the
            server.

    Raises:
        ProgramError: The server cannot be started or reached, or does not answer the handshake.
    """

    def __init__(
        self,
        name: str,
        transport: Callable[[], AbstractAsyncContextManager[Any]],
        timeout_seconds: float,
        last_words: Callable[[], str],
    ) -> None:
        self._name = name
        self._timeout_seconds = timeout_seconds
        self._last_words = last_words
        self._loop = _Loop()
        self._end = weakref.finalize(self, self._loop.end)
        for logger in SILENCED:  # the SDK logs each unreadable line with a traceback
            logging.getLogger(logger).setLevel(logging.CRITICAL)
        opened: Future[Any] = Future()
        self._unreadable: list[str] = []
        notes = self._unreadable  # the loop must not keep the session alive

        async def note(message: object) -> None:
            if isinstance(message, Exception) and not notes:
                notes.append(" ".join(str(message).split())[:LONGEST_SHOWN])

        self._loop.start(_held(opened, self._loop, transport, note, timeout_seconds))
        try:
            self._client = self._waited("start", opened)
            self.tools = self._listed()
        except ProgramError:
            self.close()
            raise

    @property
    def program(self) -> str:
        """Return the name and version that the server states."""
        info = self._client.server_info
        return f"{info.name} {info.version}".strip() if info is not None else ""

    @property
    def closed(self) -> bool:
        """Return whether the session has ended."""
        return not self._end.alive

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool.

        Raises:
            ProgramError: The server refused the call, ended, or did not answer in time. The session
                is then closed, unless the error is `usable`.
        """
        pending_call = self._client.call_tool(tool, dict(arguments))
        try:
            result = self._waited(f"answer {tool}", self._loop.start(pending_call))
        except ProgramError as error:
            if not error.usable:
                self.close()
            raise
        texts = tuple(block.text for block in result.content if block.type == "text")
        self._check_size(tool, texts, result.structured_content)
        if result.is_error:
            reason = " / ".join(texts)[:LONGEST_SHOWN] or "it gave no reason"
            raise ProgramError(f"{self._name} refused {tool}: {reason}", usable=True)
        return ToolResult(texts, result.structured_content)

    def close(self) -> None:
        """End the session, and the server if the session started it."""
        self._end()

    def _last_seen(self) -> str:
        unreadable = "".join(
            f"it wrote a line that is not a message: {line}; " for line in self._unreadable
        )
        return unreadable + self._last_words()

    def _listed(self) -> Mapping[str, Sequence[str]]:
        """Return the tools of the server with the names of their arguments."""
        result = self._waited("list its tools", self._loop.start(self._client.list_tools()))
        if len(result.tools) > MOST_TOOLS:
            raise ProgramError(
                f"{self._name} lists {len(result.tools)} tools, expected at most {MOST_TOOLS}"
            )
        return {tool.name: tuple(tool.input_schema.get("properties", ())) for tool in result.tools}

    def _check_size(self, tool: str, texts: Sequence[str], structured: object) -> None:
        """Raise ProgramError if a result is larger than the limit for answers of programs."""
        if len(texts) > MOST_ITEMS:
            raise ProgramError(
                f"{tool} of {self._name} returned {len(texts)} texts, expected at most "
                f"{MOST_ITEMS}",
                usable=True,
            )
        size = sum(map(len, texts)) + len(json.dumps(structured))
        if size > LONGEST_LINE:
            raise ProgramError(
                f"{tool} of {self._name} returned {size:,} characters, expected at most "
                f"{LONGEST_LINE:,}",
                usable=True,
            )

    def _waited(self, task: str, future: "Future[Result]") -> Result:
        from mcp import MCPError
        from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_TIMEOUT

        limit = f"{self._name} did not {task} in {self._timeout_seconds:g} s"
        try:
            return future.result(self._timeout_seconds + GRACE_SECONDS)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise ProgramError(f"{limit}; {self._last_seen()}") from error
            usable = error.code in (INVALID_PARAMS, METHOD_NOT_FOUND)
            reason, failure = error.message, cast(Exception, error)
        except TimeoutError as error:
            raise ProgramError(f"{limit}; {self._last_seen()}") from error
        except Exception as error:  # noqa: BLE001  of the SDK and its parts: recorded with its name
            usable = False
            reason, failure = f"{type(error).__name__}: {error}", error
        raise ProgramError(
            f"{self._name} could not {task}: {reason}; {self._last_seen()}", usable=usable
        ) from failure


class _Loop:
    """An event loop in a daemon thread, which ends with the process at the latest."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self.ending = asyncio.Event()
        self._held: Future[None] | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def start(self, task: Coroutine[Any, Any, Result]) -> "Future[Result]":
        """Start a task; the first task must be the one that keeps the connection open."""
        future = asyncio.run_coroutine_threadsafe(task, self._loop)
        if self._held is None:
            self._held = future  # type: ignore[assignment]  # the first task returns None
        return future

    def end(self) -> None:
        """Close the connection and end the thread."""
        self._loop.call_soon_threadsafe(self.ending.set)
        if self._held is not None:
            with suppress(Exception):  # its errors were reported to whoever waited
                self._held.result(CLOSING_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()


async def _held(
    opened: "Future[Any]",
    loop: _Loop,
    transport: Callable[[], AbstractAsyncContextManager[Any]],
    note: Callable[[object], Coroutine[Any, Any, None]],
    timeout_seconds: float,
) -> None:
    """Open a connection, pass its client or first error to `opened`, and hold it until the end."""
    from mcp import Client

    try:
        settings: Any = {"read_timeout_seconds": timeout_seconds, "message_handler": note}
        async with Client(transport(), **settings) as client:
            opened.set_result(client)
            await loop.ending.wait()
    except BaseException as error:
        if not opened.done():
            opened.set_exception(_first_error(error))
        raise


def _first_error(error: BaseException) -> BaseException:
    """Return the first error inside of nested error groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def started_server(
    name: str, command: Sequence[str], environment: Mapping[str, str], timeout_seconds: float
) -> McpSession:
    """Start a server program in its own folder, and connect to its standard input and output.

    Args:
        name: The name of the server in errors.
        command: The program and its arguments.
        environment: Additional environment variables; {folder} stands for its folder.
        timeout_seconds: The maximum time of the handshake, and of each call.

    Raises:
        ProgramError: The server cannot be started, or does not answer the handshake.
    """
    folder = TemporaryDirectory(prefix="remem-mcp-", ignore_cleanup_errors=True)
    environment_of_child = {
        key: value.replace("{folder}", folder.name) for key, value in environment.items()
    }
    try:
        program = Program(
            command,
            environment=program_environment(folder.name, environment_of_child),
            folder=folder.name,
        )
    except OSError as error:
        folder.cleanup()
        raise ProgramError(f"{name} cannot be started: {error}") from error
    end = partial(_end_server, program, folder)
    try:
        session = McpSession(
            name,
            partial(message_streams, program, timeout_seconds),
            timeout_seconds,
            lambda: program.last_words(ended=True),
        )
    except BaseException:
        end()
        raise
    weakref.finalize(session, end)
    return session


def _end_server(program: Program, folder: TemporaryDirectory[str]) -> None:
    program.close()
    folder.cleanup()


def reached_server(name: str, address: str, timeout_seconds: float) -> McpSession:
    """Connect to a server at a loopback address, and ignore the proxies of the environment.

    Raises:
        ProgramError: No MCP server answers there.
    """
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    def transport() -> AbstractAsyncContextManager[Any]:
        client = httpx2.AsyncClient(trust_env=False, timeout=timeout_seconds)
        opened: AbstractAsyncContextManager[Any] = streamable_http_client(
            address, http_client=client
        )
        return opened

    return McpSession(name, transport, timeout_seconds, lambda: f"it listens at {address}")
