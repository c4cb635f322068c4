"""Words for the stub: names, content words, and words that two texts share."""

import ast
import re
from typing import Any

from remem.files.json_text import json_value

WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_NAME = re.compile(r"\b[A-Z][\w'\u2019-]*(?: [A-Z0-9][\w'\u2019-]*)*")
_STOP_WORDS = """
a about after all also an and any are as at be been before but by can could day did do does for
from get got had has have he her hey hi him his how i i'm i've if in into is it it's its just
last like me my next no not of ok on one or our out she so some that that's the their them then
there they this to today too tomorrow up us was we week were what when where which who whom
whose why will with would wow yeah yes yesterday you your
"""
_STOP = frozenset(_STOP_WORDS.split())


def content_words(text: str) -> list[str]:
    """Return the content words of a text, unchanged.

    >>> content_words("We scraped the hull of the Petrel.")
    ['scraped', 'hull', 'Petrel']
    """
    return [word for word in WORD.findall(text) if _plain(word) not in _STOP]


def stems(text: str) -> frozenset[str]:
    """Return the content words in lower case and without plural "s", to compare texts."""
    return frozenset(_plain(word).removesuffix("'s").rstrip("s") for word in content_words(text))


def names(text: str) -> list[str]:
    """Return the distinct capitalized names in a text, in order.

    >>> names("We met Joost Vos in Rome. So Rome it is.")
    ['Joost Vos', 'Rome']
    """
    all_names = []
    for match in _NAME.finditer(text):
        words = match[0].split(" ")
        while words and _plain(words[0]) in _STOP:  # "So Rome" begins a sentence
            words.pop(0)
        all_names.append(" ".join(words).removesuffix("'s").removesuffix("\u2019s"))
    return list(dict.fromkeys(filter(None, all_names)))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part for part in SENTENCE_END.split(text.strip()) if part]


def _plain(word: str) -> str:
    return word.lower().replace("\u2019", "'")


def read_list(text: str) -> list[Any]:
    """Return the list between the first and the last bracket of a text, or [] if there is none.

    >>> read_list("they are: [{'id': 0}]")
    [{'id': 0}]
    """
    written = text[text.find("[") : text.rfind("]") + 1]
    for read in (json_value, ast.literal_eval):
        try:
            items = read(written)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return items if isinstance(items, list) else []
    return []
