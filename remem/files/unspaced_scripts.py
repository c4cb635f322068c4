"""Treat each character as a word in scripts that are written without spaces between words.

These scripts are Chinese, Japanese, Thai, Lao, Khmer and Burmese. The scorers of the datasets CMRC
and MLQA also split such texts into characters. Words of other scripts are not split. Words are not
looked up in dictionaries, because every language needs its own dictionary, and libraries and their
versions split the same text differently.
"""

import re
from collections.abc import Sequence

_LETTERS = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd\u0ec0-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081"
    "\u108e\ua9e0-\ua9e4\ua9e6-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a\uaa7e\uaa7f"  # Myanmar
    "\u1780-\u17b3\u17d7\u17dc"  # Khmer
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"
)
_MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d"
    "\u108f\u109a-\u109d\ua9e5\uaa7b-\uaa7d\u17b4-\u17d3\u17dd\u3099\u309a"
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
CHARACTER = f"[{_LETTERS}][{_MARKS}]*"
"""Pattern of a character of such a script, with its combining marks."""
OTHER = f"(?![{_LETTERS}])\\w"
"""Pattern of a sign in a word of another script."""
_CHARACTER = re.compile(CHARACTER)
MOSTLY = 0.5
"""A text is in such a script from this share of its letters on."""


def unspaced_share(text: str) -> float:
    """Return the share of a text's letters that belong to scripts without spaces.

    >>> unspaced_share("iOS 版本"), unspaced_share("2024")
    (0.4, 0.0)
    """
    characters = len(_CHARACTER.findall(text))
    others = sum(sign.isalpha() for sign in _CHARACTER.sub("", text))
    return characters / (characters + others) if characters else 0.0


def count_unspaced(texts: Sequence[str]) -> int:
    """Return how many texts are mostly in scripts without spaces."""
    return sum(unspaced_share(text) >= MOSTLY for text in texts)


def spaced(text: str) -> str:
    """Return a text with spaces around each character of a script without spaces.

    >>> spaced("iOS版本").split()
    ['iOS', '版', '本']
    """
    return _CHARACTER.sub(r" \g<0> ", text)
