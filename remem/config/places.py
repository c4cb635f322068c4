"""Replace path prefixes in the texts of a configuration."""

from collections.abc import Sequence


def placed(text: str, places: Sequence[tuple[str, str]]) -> str:
    """Replace the first matching prefix of a text, given (old, new) pairs."""
    for before, after in places:
        if text == before or text.startswith(f"{before}/"):
            return after + text.removeprefix(before)
    return text
