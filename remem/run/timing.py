"""Runs that are timed: without caches, one question at a time, each in a process of its own.

What the endpoints of models take is told apart: the seconds are to be those of the method.
"""

from pathlib import Path

from remem.config.settings import Settings, read_settings
from remem.llm.call_store import CallStore
from remem.run.run_manifest import RunManifest

TIMED = ("runner=serial", "cache=bypass", "judge=none")
"""The overrides of a run that is timed."""


class EndpointWaits:
    """The seconds that a timed run waits for endpoints, as its own call store tells."""

    def __init__(self, settings: Settings) -> None:
        # Of questions at once, none could say which of them waited.
        alone = settings.bypasses_caches and settings.runner.workers == 1
        self._path = Path(settings.cache.calls) if settings.cache and alone else None
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


def untimed(manifest: RunManifest) -> str:
    """Say why what a finished run took is no measurement; empty where it is one."""
    settings = read_settings(manifest.config)
    if not settings.bypasses_caches:
        return "cached"
    if settings.runner.workers > 1:
        return f"not serial: {settings.runner.workers} workers"
    if manifest.errors:
        return f"{manifest.errors} questions in error"
    return "" if manifest.own_process else "not in one process that ran nothing else"
