"""What the checks of a memory found, and the file in a run's folder that keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from remem.files.adapters import adapter
from remem.files.whole_file import write_whole

CHECKS = "memory_checks.json"
"""The file of the findings in a run's folder."""
CheckName = Literal["answers", "finds", "dates", "isolation", "empty", "repeats", "questions"]
HARD: frozenset[CheckName] = frozenset({"answers", "isolation", "questions"})
"""The checks whose failure stops a run."""
NOT_PACKED = "what was found is not in the bundle"


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """The result of one check: what it is called, whether it passed, and what was found."""

    name: CheckName
    passed: bool
    found: str

    @property
    def stops(self) -> bool:
        """Return whether a run does not go on after this result."""
        return not self.passed and self.name in HARD


def write_memory_checks(folder: Path, checks: tuple[MemoryCheck, ...]) -> None:
    """Write the findings on a memory into the folder of its run."""
    write_whole(folder / CHECKS, adapter(tuple[MemoryCheck, ...]).dump_json(checks) + b"\n")


def read_memory_checks(folder: Path) -> tuple[MemoryCheck, ...]:
    """Return the findings of a run; empty if its memory was not checked."""
    file = folder / CHECKS
    if not file.is_file():
        return ()
    return adapter(tuple[MemoryCheck, ...]).validate_json(file.read_bytes())


def packed_checks(folder: Path) -> dict[CheckName, bool]:
    """Return which checks of a run passed, without what was found: it may quote a model."""
    return {check.name: check.passed for check in read_memory_checks(folder)}


def restore_memory_checks(folder: Path, packed: Mapping[CheckName, bool]) -> None:
    """Write the checks that a bundle has; nothing if the memory was not checked."""
    if packed:
        checks = (MemoryCheck(name, passed, NOT_PACKED) for name, passed in packed.items())
        write_memory_checks(folder, tuple(checks))
