"""A memory on an MCP (Model Context Protocol) server; settings name its store and search tools.

Only the command line or a trusted folder can name the program or the address.
"""

import ipaddress
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from secrets import token_hex
from typing import Any, Literal
from urllib.parse import urlsplit

from remem.apps.rivals.mcp_results import ResultPaths
from remem.apps.rivals.mcp_session import McpSession, reached_server, started_server
from remem.apps.rivals.program import (
    FoundItem,
    Isolation,
    Piece,
    ProgramError,
    Stored,
    Unit,
    absolute_command,
    fields_of,
)
from remem.apps.rivals.program_memory import ProgramMemory
from remem.apps.rivals.shared_program import SharedProgram
from remem.apps.rivals.tool_arguments import (
    NAMESPACE,
    SEARCH_FIELDS,
    STORE_FIELDS,
    check_template,
    filled,
    placeholders,
)
from remem.errors import UsageError
from remem.types import Query

WORD = re.compile(r"\w{4,}")
"""A word that `query_by: words` searches for; shorter words are in almost every message."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools that store and search, the templates of their arguments, and how to search."""

    store: str
    store_arguments: Mapping[str, Any]
    search: str
    search_arguments: Mapping[str, Any]
    query_by: Literal["question", "words"]


@dataclass(frozen=True, slots=True)
class McpConnection:
    """A connection to a server for one history; `close` does not end a shared server."""

    session: McpSession
    tools: Tools
    paths: ResultPaths
    namespace: str
    shared: bool

    @property
    def program(self) -> str:
        """Return the name and version that the server states."""
        return self.session.program

    def store(self, piece: Piece) -> Stored:
        """Call the tool that stores; a refused piece counts as lost, with the server's reason."""
        arguments = filled(self.tools.store_arguments, fields_of(piece, self.namespace))
        try:
            return self.paths.stored(self.session.call(self.tools.store, arguments))
        except ProgramError as error:
            if not error.usable:
                raise
            return Stored(0, lost=str(error))

    def search(self, query: Query, top_k: int) -> tuple[FoundItem, ...]:
        """Call the tool that searches, once for the question or once for each of its words."""
        if self.tools.query_by == "question":
            return self._search(query.text, top_k)
        words = dict.fromkeys(word.lower() for word in WORD.findall(query.text))
        items: Counter[FoundItem] = Counter()
        for word in words:
            items.update(dict.fromkeys(self._search(word, top_k), 1))
        return tuple(item for item, _ in items.most_common())

    def close(self) -> None:
        """End the server unless it is shared with other histories."""
        if not self.shared:
            self.session.close()

    def _search(self, text: str, top_k: int) -> tuple[FoundItem, ...]:
        values: dict[str, str | int] = {"query": text, "top_k": top_k, NAMESPACE: self.namespace}
        arguments = filled(self.tools.search_arguments, values)
        return self.paths.items_of(self.session.call(self.tools.search, arguments))


def mcp_memory(
    *,
    label: str,
    command: Sequence[str],
    address: str,
    environment: Mapping[str, str] | None,
    isolation: Isolation,
    shared: SharedProgram,
    store_tool: str,
    store_arguments: Mapping[str, Any] | None,
    stored_list: str,
    stored_id: str,
    search_tool: str,
    search_arguments: Mapping[str, Any] | None,
    query_by: Literal["question", "words"],
    found_list: str,
    found_text: str,
    found_id: str,
    found_time: str,
    nothing_found: str,
    unit: Unit,
    top_k: int,
    timeout_seconds: float,
) -> ProgramMemory:
    """Return a memory that uses a server; nothing is started before the first use.

    Args:
        label: The name of the server in errors.
        command: The program and its arguments, for a server over standard input and output.
        address: The loopback URL of a running server, instead of a command.
        environment: Additional environment variables of the program; {folder} is its folder.
        isolation: Whether each history has its own process, or a namespace in a shared process.
        shared: Holds the process that all histories share.
        store_tool: The tool that stores a message.
        store_arguments: The arguments of `store_tool`, with placeholders such as {text}.
        stored_list: The path of the list of stored items in the result of `store_tool`; "" if there
            is no list.
        stored_id: The path of an id in a stored item.
        search_tool: The tool that searches.
        search_arguments: The arguments of `search_tool`, with the placeholders {query} and {top_k}.
        query_by: Whether to search once for the question, or once for each of its words.
        found_list: The path of the list of found items; "" for a tool that returns plain text.
        found_text: The path of the text in a found item.
        found_id: The path of the id in a found item: the id that we sent, or one that the server
            assigned.
        found_time: The path of the date in a found item.
        nothing_found: The start of the plain text with which the tool says that nothing was found.
        unit: What one call stores: a message or a session.
        top_k: The maximum number of items that a query recalls.
        timeout_seconds: The maximum time for the start of the server, and for each call.

    Raises:
        UsageError: A setting is missing or impossible.
        ImportError: The SDK is not installed.
    """
    if bool(command) == bool(address):
        raise UsageError(
            "method=mcp needs a program or an address, not both: set method.build.command="
            "[<program>,<argument>] or method.build.address=http://127.0.0.1:<port>/mcp"
        )
    check_template("method.build.store_arguments", store_arguments, STORE_FIELDS)
    check_template("method.build.search_arguments", search_arguments, SEARCH_FIELDS)
    assert store_arguments is not None and search_arguments is not None  # checked above
    for setting, tool in (("store_tool", store_tool), ("search_tool", search_tool)):
        if not tool:
            raise UsageError(f"method.build.{setting} is empty, expected the name of a tool")
    tools = Tools(store_tool, store_arguments, search_tool, search_arguments, query_by)
    paths = ResultPaths(
        stored_list, stored_id, found_list, found_text, found_id, found_time, nothing_found
    )
    _check_isolation(isolation, address, tools)
    if address:
        check_loopback(address)
    if find_spec("mcp") is None:
        raise ImportError(
            "method=mcp needs the MCP SDK: pip install '.[mcp]' in the checkout of remem"
        )
    server = absolute_command(command)
    open_session = (
        partial(reached_server, label, address, timeout_seconds)
        if address
        else partial(started_server, label, server, environment or {}, timeout_seconds)
    )

    def connect(history_id: str) -> McpConnection:
        session = shared.get(open_session) if isolation == NAMESPACE else open_session()
        try:
            check_tools(label, session.tools, tools)
        except ProgramError:
            session.close()
            raise
        namespace = f"{history_id}-{token_hex(4)}" if isolation == NAMESPACE else history_id
        return McpConnection(session, tools, paths, namespace, shared=isolation == NAMESPACE)

    return ProgramMemory(label=label, connect=connect, unit=unit, top_k=top_k)


def check_loopback(address: str) -> None:
    """Raise an error unless an address is an HTTP address of this machine."""
    parts = urlsplit(address)
    try:
        host = parts.hostname or ""
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local or parts.scheme != "http":
        raise UsageError(
            f"method.build.address is {address!r}, expected an http:// address on this machine, "
            f"such as http://127.0.0.1:8000/mcp"
        )


def check_tools(label: str, offered: Mapping[str, Sequence[str]], tools: Tools) -> None:
    """Raise an error if the server does not offer a tool, or a tool lacks an argument.

    Raises:
        ProgramError: A tool or an argument is missing; the message names what the server offers.
    """
    for setting, tool, arguments in (
        ("store", tools.store, tools.store_arguments),
        ("search", tools.search, tools.search_arguments),
    ):
        if tool not in offered:
            raise ProgramError(
                f"{label} has no tool {tool!r} (method.build.{setting}_tool); its tools are "
                f"{', '.join(sorted(offered)) or 'none'}"
            )
        unknown = [name for name in arguments if offered[tool] and name not in offered[tool]]
        if unknown:
            raise ProgramError(
                f"{tool} of {label} has no argument {unknown[0]!r} (method.build.{setting}_"
                f"arguments); its arguments are {', '.join(offered[tool])}"
            )


def _check_isolation(isolation: Isolation, address: str, tools: Tools) -> None:
    if isolation == "process":
        if address:
            raise UsageError(
                "one server at method.build.address serves all histories: set "
                "method.build.isolation=namespace and use {namespace} in the arguments"
            )
        return
    for name, arguments in (("store", tools.store_arguments), ("search", tools.search_arguments)):
        if NAMESPACE not in placeholders(arguments):
            raise UsageError(
                f"method.build.isolation=namespace separates histories by name: use {{namespace}} "
                f"in method.build.{name}_arguments"
            )
