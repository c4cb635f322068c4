"""Apply the rules of `remem.config.untrusted` to single overrides."""

from collections.abc import Sequence
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException, OverrideParseException

from remem.config.conf_files import is_conf_group
from remem.config.config_dir import LONGEST_SHOWN, refusal
from remem.config.untrusted import (
    ADMITTING,
    NEVER_GRANTED,
    Refused,
    refused_choice,
    refused_settings,
)
from remem.errors import UsageError

LONGEST = 10_000
"""Maximum length of an override in characters; Hydra parses that in about a second."""
MOST_OVERRIDES = 500
"""Maximum overrides of a row, block or memory; the longest row of `conf` has fewer than 20."""
MOST_TOGETHER = 50_000
"""Maximum length of all overrides of a file, in characters."""


def check_amount(path: Path, lists: Sequence[Sequence[str]]) -> None:
    """Raise an error for overrides that would take minutes to parse.

    Args:
        path: The file.
        lists: The overrides of each row and block of the file.

    Raises:
        UsageError: A list has more than 500 overrides, an override has more than 10,000 characters,
        or all overrides together have more than 50,000.
    """
    for overrides in lists:
        if len(overrides) > MOST_OVERRIDES:
            raise UsageError(
                f"{path}: found {len(overrides):,} overrides in one list, expected at most "
                f"{MOST_OVERRIDES:,}; put settings into a file of --config-dir instead"
            )
        for at, override in enumerate(overrides, start=1):
            if len(override) > LONGEST:
                raise UsageError(
                    f"{path}: override {at} ({override[:LONGEST_SHOWN]!r}) has {len(override):,} "
                    f"characters, expected at most {LONGEST:,}; shorten it"
                )
    together = sum(len(override) for overrides in lists for override in overrides)
    if together > MOST_TOGETHER:
        raise UsageError(
            f"{path}: the overrides have {together:,} characters in total, expected at most "
            f"{MOST_TOGETHER:,}; put settings into a file of --config-dir instead"
        )


def check_override(path: Path, text: str, remedy: str, *, trusted: bool = False) -> None:
    """Raise an error if an override in an untrusted file is not a plain setting.

    Args:
        path: The file.
        text: The override.
        remedy: How the command line can allow the override.
        trusted: Whether the command line trusts the file.

    Raises:
        UsageError: The text is not a plain setting or not an override.
    """
    try:
        refused = refused_override(text, trusted=trusted)
    except (HydraException, OSError) as error:
        shown, reason = text[:LONGEST_SHOWN], " ".join(str(error).split())[:200]
        raise UsageError(f"{path}: {shown!r} is not an override: {reason}") from error
    if refused is not None:
        raise UsageError(refusal(path, refused, remedy))


def refused_override(text: str, *, trusted: bool = False) -> Refused | None:
    """Return the first forbidden setting of an override; None if there is none.

    Raises:
        OverrideParseException: The text is not an override.
    """
    override = OverridesParser.create().parse_override(text)
    key = override.key_or_group
    if not key:
        raise OverrideParseException(text, "it names no setting")
    if override.is_sweep_override():
        refused: Refused | None = Refused(key, "mixture", text)
    elif override.is_delete() and (admitting := {*key.split(".")} & {*ADMITTING}):
        refused = Refused(key, ADMITTING[admitting.pop()], text)
    elif "/" in key or override.package is not None or is_conf_group(key):
        refused = refused_choice(key, override.package, override.value())
    else:
        return next(refused_settings(override.value(), key, trusted=trusted), None)
    return (
        None if refused is not None and trusted and refused.kind not in NEVER_GRANTED else refused
    )
