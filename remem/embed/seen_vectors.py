"""Detect a server that sends the same vector for texts that a search must tell apart."""

import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from remem.protocols import Vectors

MOST = 10_000
WORDS, CHARACTERS = 100, 500
"""The beginning of a text: a server may read no more than that."""
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class SeenText:
    """The beginning of a text that was embedded, and a digest of its letters and digits.

    The digest ignores case, accents and the order of characters, because some models ignore case,
    accents or the order of words. It is empty for a text without letters and digits.
    """

    beginning: str
    letters: bytes

    @classmethod
    def of(cls, text: str) -> "SeenText":
        """Return the beginning and the digest of a text."""
        decomposed = unicodedata.normalize("NFKD", text.casefold())
        letters = "".join(sorted(filter(str.isalnum, decomposed))).encode("utf-8", "replace")
        beginning = " ".join(text.split(maxsplit=WORDS)[:WORDS])[:CHARACTERS]
        return cls(
            beginning, blake2b(letters, digest_size=DIGEST_BYTES).digest() if letters else b""
        )

    def differs(self, other: "SeenText") -> bool:
        """Return whether two texts should have different vectors.

        Texts with the same beginning may have the same vector, because a server may read only the
        beginning of a text.
        """
        have_letters = bool(self.letters and other.letters)
        return have_letters and self.letters != other.letters and self.beginning != other.beginning


class SeenVectors:
    """The latest vectors that a server sent, each with its text.

    Args:
        most: The maximum number of vectors to remember.
    """

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._texts: OrderedDict[bytes, SeenText] = OrderedDict()

    def equal_pair(self, texts: Sequence[str], vectors: Vectors) -> tuple[str, str] | None:
        """Remember vectors; if two texts wrongly have the same one, return their beginnings."""
        for text, vector in zip(texts, vectors, strict=True):
            seen = SeenText.of(text)
            key = blake2b(vector.tobytes(), digest_size=DIGEST_BYTES).digest()
            earlier = self._texts.setdefault(key, seen)
            self._texts.move_to_end(key)
            if earlier.differs(seen):
                return earlier.beginning, seen.beginning
            if len(self._texts) > self._most:
                self._texts.popitem(last=False)
        return None
