"""Cached indexes: each is built once per history and shared by all runs with the same settings.

The folder of an index gets its final name only when the index is complete, so a killed process
leaves no partial index. The fingerprint of an index includes the code that builds it, so changed
code builds a new index.
"""

import hashlib
import logging
import shutil
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.errors import DamagedIndexError
from remem.files.adapters import adapter
from remem.files.disk import moved_aside, part_of, write_whole, writing
from remem.files.opened import read_file, read_text
from remem.files.shipped import baselines_folder, package_folder
from remem.llm.http_client import check_same_server
from remem.protocols import AccountsForIndex, Memory, PersistentMemory
from remem.types import History

log = logging.getLogger(__name__)

SHAPING = ("memory", "temporal", "embed", "index", "prompts", "types.py", "time_scope.py")

SERVER = "server.txt"
"""The file of an index with the address of the model that shaped it."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """The seconds until a memory was ready, and whether an existing index was used."""

    seconds: float
    reused: bool


class IndexCache:
    """The cached indexes in results/cache/indexes."""

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._folder = index_folder(config.results)

    def index(self, memory: Memory, history: History) -> Indexed:
        """Load the cached index of a history into the memory, or build and store it."""
        begun = time.perf_counter()
        reused, fingerprint = False, None
        if isinstance(memory, PersistentMemory) and not self._config.settings.bypasses_caches:
            fingerprint = self._fingerprint(history)
        if fingerprint is None or not isinstance(memory, PersistentMemory):
            memory.index(history)
        elif self._loaded(memory, self._folder / fingerprint):
            reused = True
        else:
            memory.index(history)
            if not (isinstance(memory, AccountsForIndex) and memory.failures):
                self._keep(memory, fingerprint)  # the next start retries what has failed
        return Indexed(time.perf_counter() - begun, reused)

    def saved_bytes(self, history: History) -> int | None:
        """Return the size in bytes of the cached index of a history; None if there is none."""
        fingerprint = self._fingerprint(history)
        folder = None if fingerprint is None else self._folder / fingerprint
        if folder is None or not folder.is_dir():
            return None
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    @property
    def _server(self) -> str:
        """The address of the model that helps build an index; "" if no model does."""
        settings = self._config.settings
        shaping = [settings.method.build[key] for key in settings.method.index_artefact or ()]
        asks = settings.llm.build is not None and settings.llm.build in list(nodes(shaping))
        return self._config.server if asks else ""

    def _fingerprint(self, history: History) -> str | None:
        history_sum = hashlib.sha256(adapter(History).dump_json(history)).hexdigest()
        return self._config.index_fingerprint(f"{history_sum} {_code_sum()}")

    def _loaded(self, memory: PersistentMemory, folder: Path) -> bool:
        """Load a cached index and return True; set a damaged one aside and return False."""
        if not folder.is_dir():
            return False
        built_by = folder / SERVER
        stored = read_text(built_by) if built_by.exists() else ""
        check_same_server(stored, self._server, f"the extractions of the index {folder}")
        try:
            memory.load(folder)
        except DamagedIndexError as error:
            log.warning(
                "%s; it was moved to %s, and the index is now built again",
                error,
                moved_aside(folder).name,
            )
            return False
        return True

    def _keep(self, memory: PersistentMemory, fingerprint: str) -> None:
        part = part_of(self._folder / fingerprint)
        try:
            with writing(part):
                part.mkdir(parents=True)
                memory.save(part)
                if self._server:
                    write_whole(part / SERVER, self._server.encode())
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        try:
            part.rename(self._folder / fingerprint)
        except OSError:
            # Another process was faster: its index is the same.
            shutil.rmtree(part)


def index_folder(results: Path) -> Path:
    """Return the folder of all cached indexes."""
    return results / "cache" / "indexes"


@cache
def _code_sum() -> str:
    total = hashlib.sha256()
    for place in (*(package_folder() / name for name in SHAPING), baselines_folder()):
        for path in sorted(place.glob("*.py")) if place.is_dir() else [place]:
            total.update(read_file(path))
    return total.hexdigest()
