"""Split evidence into sentences, and compute the share of the question's words in each."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from remem.readers.answer_lines import Line, content_stems, stem
from remem.readers.attribution import is_about

_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s)|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|vs|etc|approx|no|e\.g|i\.e|[ap]\.m|z\.b|ca|ave|rd|jr|sr)|"
    r"(?-i:\b[A-Z])|\b\d{1,2})\.$",
    re.IGNORECASE,
)

_LONGEST = 8
"""Characters of the longest abbreviation, with its dot and what is before it."""


@lru_cache(maxsize=1 << 15)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order; together they have all its words.

    >>> sentences("We met Dr. Lee at 5 p.m. in Rome. It rained!")
    ('We met Dr. Lee at 5 p.m. in Rome.', 'It rained!')
    """
    spans, start = [], 0
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(
            text, max(start, match.end() - _LONGEST), match.end()
        ):
            continue
        spans.append(text[start : match.end()].strip())
        start = match.end()
    spans.append(text[start:].strip())
    return tuple(sentence for sentence in spans if sentence)


_FORMS = (
    "be is was were been", "become became", "begin began begun", "break broke broken",
    "bring brought", "build built", "buy bought", "catch caught", "choose chose chosen",
    "come came", "cost costs", "cut cutting", "die died dies dying", "draw drew drawn",
    "drink drank drunk",
    "drive drove driven", "eat ate eaten", "fall fell fallen", "feel felt", "fight fought",
    "find found", "fly flew flown", "forget forgot forgotten", "get got gotten", "give gave given",
    "go went gone", "grow grew grown", "hear heard", "hide hid hidden", "hold held", "keep kept",
    "know knew known", "leave left", "lend lent", "lose lost", "make made", "meet met",
    "pay paid", "read reading", "ride rode ridden", "rise rose risen", "run ran", "see saw seen",
    "sell sold", "send sent", "shake shook", "sing sang sung", "sleep slept", "speak spoke spoken",
    "spend spent", "stand stood", "steal stole stolen", "swim swam swum", "take took taken",
    "teach taught", "tear tore torn", "tell told", "think thought", "throw threw thrown",
    "wake woke woken", "wear wore worn", "win won", "write wrote written", "child children",
    "person people", "foot feet", "mum mom mother", "dad father", "wife wives", "knife knives",
)  # fmt: skip
_BASE = {stem(form): stem(forms.split()[0]) for forms in _FORMS for form in forms.split()}
_EMPTY = frozenset(
    map(stem, ("he", "they", "be", "come", "day", "get", "give", "go", "make", "take", "tell"))
)
_SHORTEST, _ENDING, _ALMOST = 5, 4, 0.8


@lru_cache(maxsize=1 << 15)
def terms(text: str) -> frozenset[str]:
    """Return the content words of a text, each reduced to one form.

    >>> sorted(terms("She bought the children's bikes"))
    ['bik', 'buy', 'child']
    """
    return frozenset(_BASE.get(word, word) for word in content_stems(text)) - _EMPTY


def match(term: str, words: frozenset[str]) -> float:
    """Return 1 if `words` has a term, 0.8 if it has a longer or shorter form of the term, else 0.

    >>> match("graduat", frozenset({"graduation"})), match("car", frozenset({"cart"}))
    (0.8, 0.0)
    """
    if term in words:
        return 1.0
    if len(term) < _SHORTEST:
        return 0.0
    start = term[:_SHORTEST]
    alike = (word for word in words if word.startswith(start))
    return _ALMOST if any(_related(term, word) for word in alike) else 0.0


def _related(first: str, other: str) -> bool:
    """Return whether the longer of two words is the shorter with at most an ending added."""
    if len(first) > len(other):
        first, other = other, first
    return len(other) - len(first) <= _ENDING and other.startswith(first)


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
CHATTER = frozenset(
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
    """A word as written, its plain form, and its features, which are keys of `WEIGHTS`.

    Articles and dashes do not count as words.
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


def words_of(question_terms: frozenset[str], sentence: str) -> list[Word]:
    """Return the words of a sentence; `question_terms` has the terms of the question.

    >>> [word.looks for word in words_of(frozenset({"paint"}), "I painted Rome")]
    [('function word', 'clause asked'), ('asked', 'clause asked'), ('name', 'clause asked')]
    """
    texts = _DATE_ADDED.sub("", sentence).split()
    plain = [_NOT_IN_A_WORD.sub("", text.replace("\u2019", "'")).lower() for text in texts]
    repeats = [any(match(term, question_terms) for term in terms(text)) for text in texts]
    clauses = _clauses(texts, plain)
    with_asked = {clause for clause, repeated in zip(clauses, repeats, strict=True) if repeated}
    quoted, words = False, []
    for place, (text, bare) in enumerate(zip(texts, plain, strict=True)):
        quoted = quoted or text[0] in '"\u201c'
        looks = {
            "asked": repeats[place],
            "function word": bare in _FUNCTION,
            "joining": bare in _JOINING,
            "chatter": bare in CHATTER,
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
    """Return up to `most` spans in text order, each of which raises the expected F1."""
    question_terms = terms(question)
    texts = [words_of(question_terms, sentence) for sentence in sentences]
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
    """Return for each word the number of its clause."""
    clauses, clause = [], 0
    for place, text in enumerate(texts):
        clause += place > 0 and plain[place] in _CLAUSE_START
        clauses.append(clause)
        clause += _CLAUSE_END.search(text) is not None
    return clauses


def _is_capitalised(text: str) -> bool:
    return text.lstrip("\"'(\u201c")[:1].isupper()


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words).strip(_EDGES)


REST = 0.3
"""The weight of a word of the question that occurs only in the rest of the line."""
A_QUESTION = 0.5
"""The factor for a sentence that asks something."""


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence of a line, with the share of the question's words that it contains.

    `about` is whether the sentence is about the people that the question names.
    """

    text: str
    line: Line
    share: float
    about: bool


def ranked_sentences(
    question: str, lines: Sequence[Line], named: frozenset[str]
) -> list[RankedSentence]:
    """Return the sentences of the lines in order; their shares ignore the names in `named`."""
    topic = sorted(terms(question) - named)
    return [
        RankedSentence(
            sentence, line, _share(topic, sentence, line), is_about(named, sentence, line)
        )
        for line in lines
        for sentence in sentences(line.body)
    ]


def _share(topic: Sequence[str], sentence: str, line: Line) -> float:
    own, whole = terms(sentence), terms(f"{line.body} {line.date}")
    counts = (max(match(term, own), REST * match(term, whole)) for term in topic)
    share = sum(counts) / len(topic) if topic else 0.0
    return share * A_QUESTION if sentence.endswith("?") else share
