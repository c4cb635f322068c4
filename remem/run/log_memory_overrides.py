"""The overrides that a memory of a log was made with, which `memory.json` keeps.

The folder may come from a stranger, so the rules of `strangers` hold for that file too.
"""

from collections.abc import Sequence
from pathlib import Path

from remem.config.config_dir import TRUST
from remem.config.untrusted_overrides import check_amount, check_override


def with_kept(
    path: Path, kept: Sequence[str], typed: Sequence[str], *, trusted: bool
) -> tuple[str, ...]:
    """Return the overrides of a memory: those it keeps, then those of the command line.

    A kept override is left out where the command line sets the same key.

    Raises:
        UsageError: One that is kept is no plain setting, and neither typed nor trusted; or there
            are too many, or too long ones.
    """
    check_amount(path, [kept])
    keys = {override.partition("=")[0] for override in typed}
    left = [override for override in kept if override.partition("=")[0] not in keys]
    for override in left:
        check_override(path, override, granting_memory(path.parent), trusted=trusted)
    return (*left, *typed)


def granting_memory(folder: Path) -> str:
    """Say how the command line grants a memory what its `memory.json` may not set."""
    return (
        f"if you want it, repeat it on the command line; if you made the folder yourself, use "
        f"{TRUST} {folder}"
    )
