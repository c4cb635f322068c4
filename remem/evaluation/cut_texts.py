"""Cut long texts, and state how many characters are left out."""

MOST_CHARACTERS = 2_000
"""The number of characters that are kept of a text."""


MOST_ITEMS = 50
"""The number of retrieved items that are listed for a question or a step."""


def cut(text: str) -> str:
    """Cut a text to `MOST_CHARACTERS` and append the number of characters that were cut off."""
    more = len(text) - MOST_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CHARACTERS]}… ({more:,} characters more)"
