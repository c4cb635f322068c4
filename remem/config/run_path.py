"""Compute the path of a run's folder, and replace path prefixes that differ between machines."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.errors import UsageError


def placed(text: str, places: Sequence[tuple[str, str]]) -> str:
    """Replace the path prefix of a text, using the first (old, new) pair whose `old` matches."""
    for before, after in places:
        if text == before or text.startswith(f"{before}/"):
            return after + text.removeprefix(before)
    return text


LONGEST_NAME = 80
"""Maximum characters of a name; a folder name joins up to three and has at most 255 bytes."""


def run_path(resolved: Mapping[str, Any], fingerprint: str) -> Path:
    """Return <dataset>/<method>+<reader>+<ablation>/<llm>+<embedder>-<fingerprint>.

    Raises:
        UsageError: A name would lead out of the folder.
    """
    dataset, *what = (
        folder_name(resolved, group) for group in ("dataset", "method", "reader", "ablation")
    )
    models = "+".join(folder_name(resolved, group) for group in ("llm", "embedder"))
    return Path(dataset, "+".join(what), f"{models}-{fingerprint}")


def folder_name(resolved: Mapping[str, Any], group: str) -> str:
    """Return the name of the choice in a group, checked for use as a part of a path.

    Raises:
        UsageError: The name leads out of the folder, is too long, or is not printable.
    """
    name = str(resolved[group]["name"])
    if name in ("", ".", "..") or "/" in name or len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(
            f"{group}.name is {name[:LONGEST_NAME]!r}, which cannot name a folder; expected 1 to "
            f"{LONGEST_NAME} printable characters without a slash, but not . or .."
        )
    return name
