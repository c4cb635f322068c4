"""Runs that are timed: without caches, one question at a time, each in a process of its own.

What the endpoints of models take is told apart: the seconds are to be those of the method.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remem.config.fingerprint import bypasses_caches
from remem.llm.call_store import CallStore

TIMED = ("runner=serial", "cache=bypass", "judge=none")
"""The overrides of a run that is timed."""


class EndpointWaits:
    """The seconds that a timed run waits for endpoints, as its own call store tells."""

    def __init__(self, resolved: Mapping[str, Any]) -> None:
        # Of questions at once, none could say which of them waited.
        alone = bypasses_caches(resolved) and resolved["runner"]["workers"] == 1
        self._path = Path(resolved["cache"]["calls"]) if alone else None
        self._store: CallStore | None = None
        self._last = 0

    def since_last(self) -> float | None:
        """Return the seconds since this was asked before; None where they cannot be told."""
        if self._path is None:
            return None
        if self._store is None and self._path.exists():
            self._store = CallStore(self._path)
        if self._store is None:  # nothing was sent
            return 0.0
        seconds, self._last = self._store.waited_since(self._last)
        return seconds


def untimed(manifest: Mapping[str, Any]) -> str:
    """Say why what a finished run took is no measurement; empty where it is one."""
    config = manifest["config"]
    workers = config["runner"]["workers"]
    if not bypasses_caches(config):
        return "cached"
    if workers > 1:
        return f"not serial: {workers} workers"
    if manifest["errors"]:
        return f"{manifest['errors']} questions in error"
    return "" if manifest.get("own_process") else "not in one process that ran nothing else"
