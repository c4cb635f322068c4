"""The sentence of a log that answers a question best, word for word, and when it was.

No model: a sentence is scored by the question's content words that it has, weighted by how rare
they are in the log, and by whether it has the kind of thing that is asked for (a date, a place, a
name, a number).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from remem.protocols import Reader
from remem.readers.answer_kinds import has_kind
from remem.readers.ranked_sentences import match, sentences, terms
from remem.temporal.dates import parse_point
from remem.temporal.times_in_text import TimeInText, annotated, times_in
from remem.types import Answer, Evidence, Message, Query

_DATED_LINE = re.compile(r"^\[([^\]\n]*)\](.*)$", re.MULTILINE)


class ResolvingReader:
    """Passes evidence to another reader, with absolute dates added to its passages."""

    def __init__(self, *, reader: Reader) -> None:
        self._reader = reader

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""
        passages = tuple(
            replace(passage, text=with_dates(passage.text)) for passage in evidence.passages
        )
        return self._reader.read(query, replace(evidence, passages=passages))


@lru_cache(maxsize=1 << 15)
def with_dates(text: str) -> str:
    """Add the absolute date in parentheses after each relative date of a dated line.

    >>> with_dates("[1:56 pm on 8 May, 2023] Ann: I ran yesterday.")
    '[1:56 pm on 8 May, 2023] Ann: I ran yesterday (7 May 2023).'
    """
    return _DATED_LINE.sub(
        lambda line: f"[{line[1]}]{annotated(line[2], parse_point(line[1]))}", text
    )


THRESHOLD, SOURCE_THRESHOLD = 0.45, 0.2
"""The share of a question that a sentence needs to have, and of an answer that its source does."""
REST, BEFORE, ASKED_BEFORE = 0.6, 0.3, 0.85
"""What a word of the question counts if the rest of the message has it, or the message before, or
the message before if somebody else asks something in it."""
SORT = 0.3
"""What the word after "what" or "which" counts: a sentence with a beagle need not say "breed"."""
KIND_BONUS = 0.15
"""Added for a sentence that has the kind of thing that is asked for."""
A_QUESTION, ANOTHER_SPEAKER = 0.5, 0.4
"""Factors for a sentence that asks something, and one neither by nor about the person named."""

_SORT = re.compile(
    r"\b(?:(?:what|which)\s+(?:(?:kind|sort|type)\s+of\s+)?|how\s+(?!many|much))(\w+)",
    re.IGNORECASE,
)
_NAMING = terms("name called")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a message, and the date in it that belongs to what is asked, if it has one."""

    message: Message
    sentence: str
    date: TimeInText | None


class SentenceFinder:
    """Finds sentences in the messages of one log, whose words it counts once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._places = {message.id: place for place, message in enumerate(messages)}
        self._terms = [terms(f"{message.text} {message.caption}") for message in messages]
        self._count = Counter(
            term for terms_of_sentence in self._terms for term in terms_of_sentence
        )
        self._names = {name for message in messages for name in terms(message.speaker)}

    def best(self, question: str, candidates: Sequence[Message], former: str = "") -> Quote | None:
        """Return the best sentence of the candidates; None if none has enough of the question.

        Args:
            question: The question.
            candidates: Messages of the log, the most likely first: the first of equals is taken.
            former: The question before it if this one needs it, such as "and when?".
        """
        return self._best(question, terms(f"{former} {question}"), candidates, THRESHOLD)

    def source(self, question: str, candidates: Sequence[Message], answer: str) -> Quote | None:
        """Return the sentence that an answer was most likely read from; None if there is none."""
        return self._best(question, terms(f"{question} {answer}"), candidates, SOURCE_THRESHOLD)

    def _best(
        self,
        question: str,
        question_terms: frozenset[str],
        candidates: Sequence[Message],
        threshold: float,
    ) -> Quote | None:
        named = question_terms & self._names
        sorts = {term for sort in _SORT.findall(question) for term in terms(sort)} | _NAMING
        topic = {
            term: self._weight(term) * (SORT if term in sorts else 1)
            for term in sorted(question_terms - named or named)
        }
        best: tuple[float, Quote] | None = None
        for message in candidates:
            for sentence in sentences(message.text):
                support = self._support(topic, sentence, message) * _by_person(message, named)
                score = _score(support, question, sentence, message)
                if support >= threshold and (best is None or score > best[0]):
                    best = score, Quote(message, sentence, _date(sentence, message, topic))
        return best[1] if best else None

    def _weight(self, term: str) -> float:
        """Return idf(term) = log(1 + n / (1 + messages with the term))."""
        return math.log(1 + len(self._terms) / (1 + self._count[term]))

    def _support(self, topic: dict[str, float], sentence: str, message: Message) -> float:
        total = math.fsum(topic.values())
        if not total:
            return 0.0
        place = self._places[message.id]
        layers = [(terms(sentence), 1.0), (self._terms[place], REST)]
        if place:
            before = self._messages[place - 1]
            answers = before.speaker != message.speaker and "?" in before.text
            layers.append((self._terms[place - 1], ASKED_BEFORE if answers else BEFORE))
        matching = (
            weight * max(share * match(term, layer) for layer, share in layers)
            for term, weight in topic.items()
        )
        return math.fsum(matching) / total


def _score(support: float, question: str, sentence: str, message: Message) -> float:
    score = support + (KIND_BONUS if has_kind(question, sentence, message.time) else 0.0)
    if sentence.rstrip("\"'\u201d\u2019)").endswith("?"):
        score *= A_QUESTION
    return score


def _by_person(message: Message, named: frozenset[str]) -> float:
    """Return how much a message counts for a question about these people."""
    if not named or named & terms(message.speaker):
        return 1.0
    return (1 + ANOTHER_SPEAKER) / 2 if named & terms(message.text) else ANOTHER_SPEAKER


def _date(sentence: str, message: Message, topic: dict[str, float]) -> TimeInText | None:
    """Return the date of the part of a sentence that has most of the question, else its first."""
    days = times_in(sentence, message.time)
    if len(days) < 2:
        return days[0] if days else None
    cuts = [0, *(cut.end() for cut in re.finditer(r"[,;:]\s|\b(?:and|but)\b", sentence))]
    parts = list(zip(cuts, [*cuts[1:], len(sentence)], strict=True))

    def support(date: TimeInText) -> float:
        start, end = next(part for part in reversed(parts) if part[0] <= date.start)
        return math.fsum(
            weight * match(term, terms(sentence[start:end])) for term, weight in topic.items()
        )

    return max(days, key=lambda date: (support(date), -date.start))
