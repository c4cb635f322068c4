"""Write texts as values of Hydra overrides, and order the overrides of a command line."""

import re
from collections.abc import Sequence

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
BEFORE_A_QUOTE = re.compile(r"\\+(?='|\Z)")


def quoted(text: str) -> str:
    """Quote a text, so that Hydra reads it back as it is.

    Hydra reads a backslash as itself unless a quote follows it.
    """
    escaped = BEFORE_A_QUOTE.sub(lambda found: 2 * found[0], text)
    return "'" + escaped.replace("'", "\\'") + "'"


def options_first(arguments: Sequence[str]) -> list[str]:
    """Return a command line with its overrides behind the options, as Hydra needs them.

    Hydra refuses
    `method=remem_s --config-dir conf reader=direct`.
    """
    before = ["", *arguments][: len(arguments)]
    overrides = [
        "=" in word and not word.startswith("-") and last not in WITH_A_VALUE
        for last, word in zip(before, arguments, strict=True)
    ]
    pairs = list(zip(arguments, overrides, strict=True))
    return [*(word for word, is_override in pairs if not is_override),
            *(word for word, is_override in pairs if is_override)]  # fmt: skip
