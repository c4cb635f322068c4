"""Handle runs whose answers were imported from a file; their components are not available."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.files.adapters import adapter, parsed
from remem.files.disk import write_whole
from remem.files.opened import read_file
from remem.files.plain_text import printable
from remem.intake import Account

ORIGIN = "imported.json"
"""The file in a run's folder that says where its answers come from."""
MOST_NAMED = 20
"""Maximum number of keys that a sentence names; the file has all of them."""
IMPORTED = "remem.run.imported_answers.imported_part"
"""The `_target_` of the memory and the reader of such a run."""


def imported_part(**_: object) -> None:
    """Raise an error, because the components of an imported run cannot be built.

    Raises:
        UsageError: Always.
    """
    raise UsageError(
        "the answers of this run were imported from a file, so its memory and its reader are not "
        "available"
    )


def is_imported(config: RunConfig) -> bool:
    """Return whether the answers of a run were imported."""
    return bool(config.settings.method.build["_target_"] == IMPORTED)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the answers of a run come from.

    `missing` has the fields that no row of the file has; `unread` has the keys that were ignored.
    `account` counts the answers that were kept or left out.
    """

    format: str
    file: str
    sha256: str
    account: Account
    missing: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Yield the origin as sentences."""
        lacking = f"; the file does not state: {', '.join(self.missing)}" if self.missing else ""
        unread = (
            f"; keys that were not read: {', '.join(self.unread[:MOST_NAMED])}"
            if self.unread
            else ""
        )
        yield printable(f"Imported from {self.file} ({self.format}){lacking}{unread}.")
        yield from map(printable, self.account.sentences(self.file))


def write_origin(folder: Path, origin: Origin) -> None:
    """Write the origin of imported answers into the folder of their run."""
    write_whole(folder / ORIGIN, adapter(Origin).dump_json(origin, indent=2) + b"\n")


def read_origin(folder: Path) -> Origin | None:
    """Return the origin of the answers in a run's folder; None if they were not imported.

    Raises:
        ValueError: The file is damaged.
    """
    path = folder / ORIGIN
    if not path.is_file():
        return None
    try:
        return parsed(Origin, read_file(path, root=path.parent))
    except ValidationError as error:
        raise ValueError(f"{path} is damaged: import the answers again") from error
