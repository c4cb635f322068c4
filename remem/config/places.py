"""Places in the texts of a configuration."""

from collections.abc import Sequence


def placed(text: str, places: Sequence[tuple[str, str]]) -> str:
    """Return a text in which the first of these places that it begins with is another."""
    for before, after in places:
        if text == before or text.startswith(f"{before}/"):
            return after + text.removeprefix(before)
    return text
