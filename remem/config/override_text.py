"""Write texts as values of Hydra overrides."""

import re

BEFORE_A_QUOTE = re.compile(r"\\+(?='|\Z)")


def quoted(text: str) -> str:
    """Quote a text, so that Hydra reads it back as it is.

    Hydra reads a backslash as itself unless a quote follows it.
    """
    escaped = BEFORE_A_QUOTE.sub(lambda found: 2 * found[0], text)
    return "'" + escaped.replace("'", "\\'") + "'"
