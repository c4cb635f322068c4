"""Read a run, finished or not, from its folder, for tables, reports and bundles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from remem.config.run_config import RunConfig
from remem.files.adapters import adapter
from remem.run.restored_config import restored_config
from remem.run.run_manifest import RunManifest
from remem.run.store import TIMINGS, Timing, read_manifest, read_records
from remem.types import Record


@dataclass(frozen=True)  # without slots, so that timings are kept once they are read
class Run:
    """A run: its configuration, its manifest, and the last record of every question.

    The records are sorted by history and index.
    """

    folder: Path
    config: RunConfig
    manifest: RunManifest
    records: tuple[Record, ...]

    @staticmethod
    def open(folder: Path, packages: Sequence[str] = (), *, data: str | None = None) -> "Run":
        """Open a run, which may be untrusted: no part of it is built, and no file is written.

        Args:
            folder: The folder of the run.
            packages: The packages whose classes the run may name, for parts that are built later.
            data: The folder of the data sets; None for the folder in conf.

        Raises:
            UsageError: The folder holds no run.
            ValueError: A record is damaged, or a value of its manifest is of a wrong type.
            MissingRecordsError: The run has fewer records than its manifest counts.
        """
        manifest = read_manifest(folder)
        config = restored_config(folder, manifest, packages, data=data)
        return Run(folder, config, manifest, read_records(folder))

    @property
    def name(self) -> str:
        """Return the last parts of the folder's path, which name the run wherever it is stored."""
        return "/".join(self.folder.resolve().parts[-3:])

    @cached_property
    def timings(self) -> Mapping[str, Timing]:
        """Return how long the last attempt at each question took, by query id.

        Raises:
            ValueError: A line is damaged.
        """
        return read_timings(self.folder)


def read_timings(folder: Path) -> dict[str, Timing]:
    """Return how long the last attempt at each question took, by query id."""
    path = folder / TIMINGS
    timings = {}
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            break  # another process is writing it right now
        try:
            timing = adapter(Timing).validate_json(line)
        except ValidationError as error:
            message = error.errors()[0]["msg"]
            raise ValueError(
                f"{path}:{number}: not a line of times ({message}); remove the line"
            ) from error
        timings[timing.query_id] = timing
    return timings
