"""The words of a few sentences that most likely are the answer, if no type of answer is asked for.

Each word gets a probability to be in the answer: a logistic regression on what the word looks like.
The answer is the span with the highest expected F1, which is 2 * (sum of its probabilities) /
(words of the span + words of the gold); the gold is taken to have `gold_words` words.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from remem.readers.terms import match, terms

WEIGHTS = {
    "any word": -2.34,
    "letter": 0.13,
    "asked": -0.99,
    "function word": -1.8,
    "joining": 1.14,
    "chatter": -1.69,
    "name": 0.81,
    "clause asked": 0.45,
    "ends in -ly": -0.99,
    "quoted": 1.87,
}
"""Fitted on LoCoMo's first five conversations: docs/readers.md."""
LONGEST_SPAN, LONGEST_WORD = 14, 10

_DATE_ADDED = re.compile(r"\s*\([^()]*\b[12]\d{3}\b[^()]*\)")
_NOT_IN_A_WORD = re.compile(r"[^\w']")
_CLAUSE_END = re.compile(r"[,;:\u2013\u2014-]$")
_QUOTE_END = re.compile(r"[\"\u201d]\W*$")
_CLAUSE_START = frozenset({"but", "because", "so", "which", "who", "while", "though"})
_ARTICLES = frozenset({"a", "an", "the"})
_JOINING = frozenset({"and", "but", "or"})
_WORD = re.compile(r"\S+")
_FUNCTION = frozenset(
    _WORD.findall(
        "i i'd i'll i'm i've me my mine we us our ours you your yours he she his her hers him it "
        "it's its they them their this that that's these those there here am is are was were be "
        "been being do does did have has had having will would can could should may might must"
    )
)
_CHATTER = frozenset(
    _WORD.findall(
        "really just so very also even still yeah yes yep yup hey hi wow thanks thank glad great "
        "awesome good cool nice amazing love sure definitely totally absolutely too pretty lately "
        "actually always much lot bit well oh guess think know gonna going got get feel right "
        "sounds way things thing something some any all more most such let look check"
    )
)
_EDGES = ' .,!?;:-\u2013\u2014"\u201c\u201d'


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, in its plain form, and what it looks like: keys of `WEIGHTS`.

    An article and a dash do not count as words.
    """

    text: str
    plain: str
    looks: tuple[str, ...]
    counts: bool


@dataclass(frozen=True, slots=True)
class _Span:
    place: int
    start: int
    end: int
    expected: float
    words: int

    def overlaps(self, other: "_Span") -> bool:
        return self.place == other.place and self.start < other.end and other.start < self.end


def words_of(asked: frozenset[str], sentence: str) -> list[Word]:
    """Return the words of a sentence; `asked` has the terms of the question.

    >>> [word.looks for word in words_of(frozenset({"paint"}), "I painted Rome")]
    [('function word', 'clause asked'), ('asked', 'clause asked'), ('name', 'clause asked')]
    """
    texts = _DATE_ADDED.sub("", sentence).split()
    plain = [_NOT_IN_A_WORD.sub("", text.replace("\u2019", "'")).lower() for text in texts]
    repeats = [any(match(term, asked) for term in terms(text)) for text in texts]
    clauses = _clauses(texts, plain)
    with_asked = {clause for clause, found in zip(clauses, repeats, strict=True) if found}
    quoted, words = False, []
    for place, (text, bare) in enumerate(zip(texts, plain, strict=True)):
        quoted = quoted or text[0] in '"\u201c'
        looks = {
            "asked": repeats[place],
            "function word": bare in _FUNCTION,
            "joining": bare in _JOINING,
            "chatter": bare in _CHATTER,
            "name": place > 0 and bare not in _FUNCTION and _is_capitalised(text),
            "clause asked": clauses[place] in with_asked,
            "ends in -ly": bare.endswith("ly"),
            "quoted": quoted,
        }
        counts = bool(bare) and bare not in _ARTICLES
        words.append(Word(text, bare, tuple(look for look, has in looks.items() if has), counts))
        quoted = quoted and _QUOTE_END.search(text) is None
    return words


def chance(word: Word) -> float:
    """Return the probability that a word is in the answer; 0 if it does not count as a word."""
    letters = min(len(word.plain), LONGEST_WORD)
    odds = math.fsum((WEIGHTS["any word"], WEIGHTS["letter"] * letters, *_weights(word)))
    return 1 / (1 + math.exp(-odds)) if word.counts else 0.0


def best_spans(question: str, sentences: Sequence[str], gold_words: float, most: int) -> list[str]:
    """Return at most `most` spans, in order; a further one only if the expected F1 rises."""
    asked = terms(question)
    texts = [words_of(asked, sentence) for sentence in sentences]
    free = [span for place, words in enumerate(texts) for span in _spans(place, words)]
    chosen: list[_Span] = []
    expected, length, reached = 0.0, gold_words, 0.0
    while free and len(chosen) < most:
        best = max(free, key=lambda span: (expected + span.expected) / (length + span.words))
        expected, length = expected + best.expected, length + best.words
        if expected / length <= reached:
            break
        reached = expected / length
        chosen.append(best)
        free = [span for span in free if not span.overlaps(best)]
    chosen.sort(key=lambda span: (span.place, span.start))
    return [_text(texts[span.place][span.start : span.end]) for span in chosen]


def _spans(place: int, words: Sequence[Word]) -> list[_Span]:
    expected = [0.0, *accumulate(chance(word) for word in words)]
    counted = [0, *accumulate(word.counts for word in words)]
    return [
        _Span(place, start, end, expected[end] - expected[start], counted[end] - counted[start])
        for start, first in enumerate(words)
        if first.counts and first.plain not in _JOINING and "asked" not in first.looks
        for end in range(start + 1, min(len(words), start + LONGEST_SPAN) + 1)
        if words[end - 1].counts and "asked" not in words[end - 1].looks
    ]


def _weights(word: Word) -> tuple[float, ...]:
    return tuple(WEIGHTS[look] for look in word.looks)


def _clauses(texts: Sequence[str], plain: Sequence[str]) -> list[int]:
    """Return the number of the clause of each word."""
    found, clause = [], 0
    for place, text in enumerate(texts):
        clause += place > 0 and plain[place] in _CLAUSE_START
        found.append(clause)
        clause += _CLAUSE_END.search(text) is not None
    return found


def _is_capitalised(text: str) -> bool:
    return text.lstrip("\"'(\u201c")[:1].isupper()


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words).strip(_EDGES)
