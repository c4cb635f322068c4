"""Find the overrides on a command line, move them after other arguments, and quote texts."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

WITH_A_VALUE = (
    "--config-dir",
    "--config-path",
    "--config-name",
    "-cd",
    "-cp",
    "-cn",
    "--trust-config",
)
"""Options whose value is the next word."""
OVERRIDE = re.compile(r"~|\+{0,2}\w[\w./@:$-]*=")
BEFORE_A_QUOTE = re.compile(r"\\+(?='|\Z)")


def quoted(text: str) -> str:
    """Quote a text, so that Hydra reads it back unchanged.

    Hydra reads a backslash literally unless a quote follows it.
    """
    escaped = BEFORE_A_QUOTE.sub(lambda match: 2 * match[0], text)
    return "'" + escaped.replace("'", "\\'") + "'"


def searched(folder: Path) -> str:
    """Return the override that adds a folder to Hydra's search path."""
    return f"hydra.searchpath=[{quoted(f'file://{folder.absolute()}')}]"


def is_override(word: str) -> bool:
    """Return whether a word is a Hydra override (key=value, +key=value, ~key) and not a path.

    >>> is_override("judge=rules"), is_override("~ablation"), is_override("is 1 + 1 = 2?")
    (True, True, False)
    """
    # Path.exists raises an error for a name that is too long
    return OVERRIDE.match(word) is not None and not os.path.exists(word)  # noqa: PTH110


def split_overrides(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that are not overrides (names or paths), and those that are."""
    overrides = [word for word in words if is_override(word)]
    return [word for word in words if word not in overrides], overrides


def options_first(arguments: Sequence[str], with_a_value: Sequence[str] = ()) -> list[str]:
    """Return a command line with its overrides after everything else.

    Hydra refuses `method=remem_s --config-dir conf reader=direct`.

    Args:
        arguments: The words of the command line.
        with_a_value: Further options whose value is the next word.
    """
    before = ["", *arguments][: len(arguments)]
    overrides = [
        is_override(word) and last not in (*WITH_A_VALUE, *with_a_value)
        for last, word in zip(before, arguments, strict=True)
    ]
    pairs = list(zip(arguments, overrides, strict=True))
    return [*(word for word, is_override in pairs if not is_override),
            *(word for word, is_override in pairs if is_override)]  # fmt: skip
