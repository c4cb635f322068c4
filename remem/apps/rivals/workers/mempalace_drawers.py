"""MemPalace, run from its own package: each message is stored unchanged in its own drawer.

No language model is called. MemPalace's own benchmark also stores each message of LoCoMo in a
drawer.
"""

import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

PACKAGE = "mempalace"
PALACE = "palace"
"""The folder of the only palace, which has one history."""
SETTINGS = {
    "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
    "MEMPALACE_EMBEDDING_API_URL": "http://unused",
}


class MemPalace:
    """A MemPalace store in the current folder, to which messages are added one by one."""

    def __init__(self, started_with: Mapping[str, Any]) -> None:
        os.environ |= {
            **SETTINGS,
            "MEMPALACE_EMBEDDING_API_MODEL": started_with["model"],
            "MEMPALACE_EMBEDDING_API_KEY": os.environ["OPENAI_API_KEY"],
        }
        self._top_k = started_with["settings"]["top_k"]
        # MemPalace caches its embedder by the address, so that this is the one of every search.
        self._embedder = import_module("mempalace.embedding").get_embedding_function()
        self._miner = import_module("mempalace.convo_miner")
        self._miner.__dict__["datetime"] = _Clock()
        self._drawers = import_module("mempalace.palace").get_collection(PALACE)
        self._search = import_module("mempalace.searcher").search_memories
        self._dates: dict[str, str] = {}
        """The date of each message as the dataset writes it."""

    def add(self, message: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Store a message; return the number of new drawers, and the losses."""
        self._ask_at(url)
        self._dates[message["id"]] = message["date"]
        before = self._drawers.count()
        try:
            filed = self._miner.file_conversation_exchange(
                self._drawers,
                wing="history",
                room="conversations",
                text=message["text"],
                source_file=message["id"],
                agent="remem",
                authored_at=message["time"] or "",
            )
            lost = [] if filed else ["MemPalace stores no empty text"]
        except Exception as error:  # noqa: BLE001  after any error, the message is lost
            lost = [f"{type(error).__name__}: {error}"]
        drawers = self._drawers.count() - before
        if not (drawers or lost):
            lost = ["the message replaced another drawer"]
        counts = {
            "messages": 1,
            "drawers": drawers,
            "undated_drawers": drawers * (not message["time"]),
        }
        return {"stored": drawers, "counts": counts, "lost": lost}

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the best drawers, as found and ranked by MemPalace's own search."""
        self._ask_at(url)
        reply = self._search(text, PALACE, n_results=self._top_k)
        if "error" in reply:
            raise RuntimeError(f"{reply['error']} {reply.get('details', '')}".strip())
        return {"found": [self._drawer_item(hit) for hit in reply["results"]]}

    def _ask_at(self, url: str) -> None:
        """Set the address for all further calls."""
        self._embedder._url = self._embedder._resolve_url(url)

    def _drawer_item(self, hit: Mapping[str, Any]) -> dict[str, Any]:
        time = hit["authored_at"] or None
        date = self._dates[hit["source_path"]] or time
        # A long text that was said several times is found once, with its other messages.
        copies = [copy["source_path"] for copy in hit.get("also_in", ())]
        return {
            "id": f"drawer {hit['source_path']}",
            "text": f"[{date}] {hit['text']}" if date else hit["text"],
            "time": time,
            "source": [hit["source_path"], *copies],
        }


def start(settings: Mapping[str, Any]) -> MemPalace:
    """Return an empty memory."""
    return MemPalace(settings)


class _Clock:
    """A clock that advances by a second at each reading, because ids contain the time."""

    def __init__(self) -> None:
        self._time = datetime(2026, 11, 1)

    def now(self) -> datetime:
        """Advance the clock by a second and return its time."""
        self._time += timedelta(seconds=1)
        return self._time
