"""A reader without a model that tells memories apart: whose they are, and what type of answer fits.

It refuses if the evidence with most of the question is about somebody else. Otherwise it answers
with the type that the question asks for, from the sentence with most of the question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remem.metrics.tokens import estimated_tokens
from remem.readers.attribution import people_named
from remem.readers.lines import parse_lines
from remem.readers.question_kinds import Kind, asks_list, options, question_kind
from remem.readers.ranked_sentences import RankedSentence, ranked_sentences
from remem.readers.rendering import evidence_texts
from remem.readers.terms import terms
from remem.readers.typed_spans import date_said, typed_spans
from remem.readers.word_odds import best_spans
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query

_DENIED = re.compile(r"\b(?:not|never|no)\b|n['\u2019]t\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow\s+many\b", re.IGNORECASE)
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SENTENCES, _ITEMS = 12, 4
"""The most sentences that are searched for words, and the most items of a list of words."""


@dataclass(frozen=True, slots=True)
class _Found:
    share: float
    spans: tuple[str, ...]


class TypedReader:
    """Answers with a short text of the type asked for, or refuses if all is about others."""

    def __init__(self, *, refusal_ratio: float, list_ratio: float, gold_words: float) -> None:
        """Store the settings.

        Args:
            refusal_ratio: Refuses if the best share of a sentence about the people in the question
                is below this part of the best share of a sentence about others.
            list_ratio: The part of the best share that a further item of a list needs.
            gold_words: The number of words that a gold without a type is taken to have.
        """
        self._refusal_ratio = refusal_ratio
        self._list_ratio = list_ratio
        self._gold_words = gold_words

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""
        texts = evidence_texts(evidence)
        lines = [line for text in texts for line in parse_lines(text)]
        ranked = ranked_sentences(query.text, lines, people_named(query.text, lines))
        about = [sentence for sentence in ranked if sentence.about]
        others = max((sentence.share for sentence in ranked if not sentence.about), default=0.0)
        text = ""
        if about and _best(about).share >= self._refusal_ratio * others:
            text = self._answer(query.text, about)
        return Answer(text or REFUSAL_PHRASE, context_tokens=estimated_tokens("\n".join(texts)))

    def _answer(self, question: str, ranked: Sequence[RankedSentence]) -> str:
        kind, offered = question_kind(question), options(question)
        if offered and kind in ("truth", "words", "person"):
            return max(offered, key=lambda option: _support(option, ranked))
        if kind == "truth":
            return "No" if _DENIED.search(_best(ranked).text) else "Yes"
        found = _found(kind, question, ranked)
        if found:
            return self._typed(kind, question, found)
        if kind == "date":
            return date_said(_best(ranked).line)
        if kind == "number" and _HOW_MANY.search(question):
            return self._count(ranked)
        return self._words(question, ranked)

    def _typed(self, kind: Kind, question: str, found: Sequence[_Found]) -> str:
        """Return the first span of the best sentence, or the spans of all good ones for a list."""
        best = max(found, key=lambda each: each.share)
        if kind not in ("person", "place") or not asks_list(question):
            return best.spans[0]
        least = self._list_ratio * best.share
        items = (span for each in found if each.share >= least for span in each.spans)
        return ", ".join(dict.fromkeys(items))

    def _count(self, ranked: Sequence[RankedSentence]) -> str:
        """Return how many lines have a good sentence: people seldom say how often they did it."""
        least = self._list_ratio * _best(ranked).share
        count = len({sentence.line for sentence in ranked if sentence.share >= least})
        return _COUNTS[count] if count < len(_COUNTS) else str(count)

    def _words(self, question: str, ranked: Sequence[RankedSentence]) -> str:
        most = _ITEMS if asks_list(question) else 1
        return ", ".join(best_spans(question, searched(ranked), self._gold_words, most))


def searched(ranked: Sequence[RankedSentence]) -> list[str]:
    """Return the sentences in which words are looked for: those with half of the best share."""
    least = max((sentence.share for sentence in ranked), default=0.0) / 2
    return [sentence.text for sentence in ranked if sentence.share >= least][:_SENTENCES]


def _best(ranked: Sequence[RankedSentence]) -> RankedSentence:
    return max(ranked, key=lambda sentence: sentence.share)


def _found(kind: Kind, question: str, ranked: Sequence[RankedSentence]) -> list[_Found]:
    """Return the spans of the type asked for, of each sentence that has any."""
    found = (
        _Found(sentence.share, typed_spans(kind, question, sentence.text, sentence.line))
        for sentence in ranked
    )
    return [each for each in found if each.spans]


def _support(option: str, ranked: Sequence[RankedSentence]) -> float:
    """Return how much the sentences speak of an option."""
    words = terms(option)
    shared = (sentence.share * len(words & terms(sentence.text)) for sentence in ranked)
    return sum(shared) / max(1, len(words))
