"""The notebook as an MCP server: `mcp_server.py FAULT SHARED_FILE [PORT]`.

It speaks over standard input and output, or over HTTP where a port is given.
"""

import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from notebook import Note, Notebook

server = MCPServer("notebook", version="1.0")
notebook = Notebook(sys.argv[1], Path(sys.argv[2]))


@server.tool()
def remember(id: str, text: str, time: str, namespace: str = "") -> dict[str, Any]:
    """Store a message."""
    return {"stored": [{"id": id}] * notebook.store(Note(id, text, time, namespace))}


@server.tool()
def search(query: str, limit: int, namespace: str = "") -> dict[str, Any]:
    """Find messages."""
    found = notebook.search(query, limit, namespace)
    return {"results": [{"id": note.id, "text": note.text, "time": note.time} for note in found]}


@server.tool()
def search_text(query: str) -> list[str]:
    """Find messages, as plain text."""
    found = notebook.search(query, 10, "")
    return [f"[{note.time}] {note.text}" for note in found] or ["No memories found."]


if __name__ == "__main__":
    if notebook.fault == "garbage":
        for _ in sys.stdin:
            sys.stdout.write("Loading the model...\n")
            sys.stdout.flush()
    if len(sys.argv) > 3:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[3]))
    else:
        server.run()
