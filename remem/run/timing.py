"""Timed runs: without caches, one question at a time, each run in its own process.

Time spent waiting for model endpoints is recorded separately from the method's own time.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from remem.config.settings import Settings, read_settings
from remem.run.run_manifest import RunManifest

if TYPE_CHECKING:
    from remem.llm.call_store import CallStore

TIMED = ("runner=serial", "cache=bypass", "judge=none")
"""The overrides of a timed run."""


class EndpointWaits:
    """The seconds that a timed run waits for endpoints, read from its own call store."""

    def __init__(self, settings: Settings) -> None:
        # With questions in parallel, waits could not be attributed to one of them.
        alone = settings.bypasses_caches and settings.runner.workers == 1
        self._path = Path(settings.cache.calls) if settings.cache and alone else None
        self._store: CallStore | None = None
        self._last = 0

    def since_last(self) -> float | None:
        """Return the seconds waited since the previous call of this method; None if unknown."""
        if self._path is None:
            return None
        if self._store is None and self._path.exists():
            from remem.llm.call_store import CallStore

            self._store = CallStore(self._path)
        if self._store is None:  # nothing was sent
            return 0.0
        seconds, self._last = self._store.waited_since(self._last)
        return seconds


def untimed(manifest: RunManifest) -> str:
    """Return why the times of a finished run are not a measurement; "" if they are."""
    settings = read_settings(manifest.config)
    if not settings.bypasses_caches:
        return "cached"
    if settings.runner.workers > 1:
        return f"not serial: {settings.runner.workers} workers"
    if manifest.errors:
        return f"{manifest.errors} questions in error"
    return "" if manifest.own_process else "not in one process that ran nothing else"
