"""The overrides that a memory of a log was created with, as stored in `memory.json`.

The folder may be untrusted, so these overrides are checked by `untrusted_overrides`.
"""

from collections.abc import Sequence
from pathlib import Path

from remem.config.config_dir import TRUST
from remem.config.untrusted_overrides import check_amount, check_override


def with_kept(
    path: Path, kept: Sequence[str], typed: Sequence[str], *, trusted: bool
) -> tuple[str, ...]:
    """Return the overrides of a memory: the stored ones, then those of the command line.

    A stored override is left out if the command line sets the same key.

    Raises:
        UsageError: A stored override is more than a plain setting and is not trusted, or the stored
            overrides exceed the limits on their number and length.
    """
    check_amount(path, [kept])
    keys = {override.partition("=")[0] for override in typed}
    left = [override for override in kept if override.partition("=")[0] not in keys]
    for override in left:
        check_override(path, override, granting_memory(path.parent), trusted=trusted)
    return (*left, *typed)


def granting_memory(folder: Path) -> str:
    """Return advice for an error message: how to allow a stored override that was refused."""
    return (
        f"if you want it, repeat it on the command line; if you made the folder yourself, use "
        f"{TRUST} {folder}"
    )
