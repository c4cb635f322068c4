"""Estimate token counts where neither an API nor a tokenizer provides them.

Output must label estimates, and must not show estimates and counts in the same column.
"""

import math

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and the tokenizers of current models."""


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four characters, and at least one per word.

    >>> estimated_tokens("Ann moved to Rome."), estimated_tokens("I am a cat")
    (5, 4)
    """
    return max(len(text.split()), math.ceil(len(text.strip()) / CHARACTERS_PER_TOKEN))
