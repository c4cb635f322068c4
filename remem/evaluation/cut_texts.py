"""Long texts, cut with a word on how much is left out."""

MOST_CHARACTERS = 2_000
"""So much is kept of a text."""


MOST_ITEMS = 50
"""So many retrieved items are listed of a question, and of a step."""


def cut(text: str) -> str:
    """Return a text that is not too long; what was cut off is counted."""
    more = len(text) - MOST_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CHARACTERS]}… ({more:,} characters more)"
