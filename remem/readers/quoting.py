"""Quote the sentence of a log that best answers a question, with its date.

No model is used. The score of a sentence counts the question's content words that occur in the
sentence, in its message or in the messages that it replies to. Words that are rare in the log weigh
more. A sentence is an answer only if it contains what the question asks for (a date, a place, a
name, a number). If no sentence is an answer, the closest line is quoted.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from remem.protocols import Reader, shows_steps
from remem.readers.answer_kinds import NAME, has_kind
from remem.readers.exchanges import Exchange, asks, exchange, is_short_reply
from remem.readers.extractive import asks_date, asks_truth
from remem.readers.question_kinds import question_kind
from remem.readers.ranked_sentences import match, sentences, terms
from remem.temporal.dates import parse_point
from remem.temporal.times_in_text import TimeInText, annotated, times_in
from remem.types import Answer, Evidence, Message, Query

_DATED_LINE = re.compile(r"^\[([^\]\n]*)\](.*)$", re.MULTILINE)


class ResolvingReader:
    """Passes evidence to another reader, with absolute dates added to its passages."""

    def __init__(self, *, reader: Reader) -> None:
        self._reader = reader

    @property
    def shows_steps(self) -> bool:
        """Return whether the reader shows the steps of an agent."""
        return shows_steps(self._reader)

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query only from the evidence."""
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
"""The support, from 0 to 1, that an answer needs, and that the source of an answer needs."""
LATER, STATED = 0.25, 0.75
"""The share of the best answer's support that a line needs to correct that answer, and the share of
a past event that a sentence must state to be dated by its message."""
SORT = 0.3
"""The weight of the word after "what" or "which": "beagle" need not come with "breed"."""
REST = 0.6
"""The weight of a word of the question that occurs only in the rest of the message."""
A_QUESTION, ANOTHER_SPEAKER, ANOTHER_NAME = 0.5, 0.4, 0.7
"""Factors for a sentence that asks something, that is neither by nor about the speaker named, or
that lacks the other person or place named."""
SHORT = 200
"""Maximum characters of a message quoted in full, as a reply or as only a close match."""

_SORT = re.compile(
    r"\b(?:(?:what|which)\s+(?:(?:kind|sort|type)\s+of\s+)?|how\s+(?!many|much))(\w+)",
    re.IGNORECASE,
)
_ASKED_FOR = terms("name called cost price")  # a name or a number is enough
_PAST = re.compile(r"\bwhen\s+(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_CHANGEABLE = re.compile(r"\b(?:when|where|how\s+(?:much|many)|what\s+time)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:moved?|moving|changed?|changing|instead|postponed|cancelled|no longer)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:not|never)\b|\b(?:do|does|did|is|are|was|were|ha[sd]|wo)n['\u2019]?t\b")

_LATEST = re.compile(
    r"\b(?:in the end|right now|at the moment|these days|now|currently|finally|eventually)\b",
    re.IGNORECASE,
)
"""Words of a question that ask for the latest state; a line may lack them."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence that is quoted from a message.

    `date` is the date in the sentence that fits the question, or None. `answers` is False if the
    sentence is about the topic of the question but does not contain what the question asks for,
    such as a place.
    """

    message: Message
    sentence: str
    date: TimeInText | None
    answers: bool = True


@dataclass(frozen=True, slots=True)
class _Question:
    """A question: its content words with their weights, and the speakers that it names."""

    text: str
    weights: dict[str, float]
    words: frozenset[str]
    speakers: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence, its context, and the share of the question's words that the two contain."""

    message: Message
    sentence: str
    place: int
    before: Exchange
    about: float
    support: float


class SentenceFinder:
    """Finds sentences in the messages of one log, whose words are counted on construction."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._places = {message.id: place for place, message in enumerate(messages)}
        self._terms = [terms(f"{message.text} {message.caption}") for message in messages]
        self._count = Counter(
            term for terms_of_sentence in self._terms for term in terms_of_sentence
        )
        self._speakers = frozenset().union(*(terms(message.speaker) for message in messages))
        names = (name for message in messages for name in NAME.findall(message.text))
        self._names = terms(" ".join(names)) | self._speakers

    def best(self, question: str, candidates: Sequence[Message], former: str = "") -> Quote | None:
        """Return the best answer in the candidates, else the closest line, else None.

        Args:
            question: The question.
            candidates: Messages of the log.
            former: The previous question if `question` depends on it, as "and when?" does.
        """
        parsed = self._parsed(question, f"{former} {question}")
        ranked = self._ranked(parsed, candidates)
        likely = (item for item in ranked if item.support >= THRESHOLD)
        best = next((item for item in likely if self._answers(parsed, item)), None)
        if best is None:
            closest = next((item for item in ranked if self._is_close(parsed, item)), None)
            return _quote(parsed, closest, answers=False) if closest else None
        later = [
            item
            for item in ranked
            if self._corrects(item, best, parsed) and self._answers(parsed, item)
        ]
        return _quote(parsed, max(later, key=lambda item: item.place, default=best))

    def source(self, question: str, candidates: Sequence[Message], answer: str) -> Quote | None:
        """Return the sentence that an answer most likely comes from; None if there is none."""
        parsed = self._parsed(question, f"{question} {answer}")
        best = next(iter(self._ranked(parsed, candidates)), None)
        return _quote(parsed, best) if best and best.support >= SOURCE_THRESHOLD else None

    def _parsed(self, question: str, text: str) -> _Question:
        text = _LATEST.sub(" ", text)
        named = {name: self._speaker(name) for name in terms(" ".join(NAME.findall(text)))}
        question_terms = frozenset(named.get(term, term) for term in terms(text))
        speakers = question_terms & self._speakers
        words = question_terms - speakers or speakers
        sorts = {term for sort in _SORT.findall(question) for term in terms(sort)}
        weights = {
            term: self._weight(term) * (SORT if term in sorts else 1)
            for term in sorted(words - _ASKED_FOR or words)
        }
        return _Question(question, weights, words, speakers)

    def _ranked(self, parsed: _Question, candidates: Sequence[Message]) -> list[_Candidate]:
        """Return the sentences, best first; on a tie, in the order of the log."""
        ranked = [
            self._candidate(parsed, message, sentence, before)
            for message in candidates
            for before in [
                exchange(self._messages, self._places[message.id], question_kind(parsed.text))
            ]
            for sentence in sentences(message.text)
        ]
        return sorted(ranked, key=lambda item: (-item.support, item.place))

    def _candidate(
        self, parsed: _Question, message: Message, sentence: str, before: Exchange
    ) -> _Candidate:
        place = self._places[message.id]
        layers = [(terms(sentence), 1.0), (self._terms[place], REST), *before.layers]
        about = _by_person(message, before.speakers, parsed.speakers)
        names = parsed.weights.keys() & self._names - self._speakers
        if names and not any(names & layer for layer, _ in layers):
            about *= ANOTHER_NAME
        support = _share(parsed.weights, layers) * about * (A_QUESTION if asks(sentence) else 1)
        return _Candidate(message, sentence, place, before, about, support)

    def _answers(self, parsed: _Question, item: _Candidate) -> bool:
        if asks(item.sentence) or is_short_reply(item.sentence):
            return False
        time = item.message.time
        own = _share(parsed.weights, [(terms(item.sentence), 1.0)])
        if own >= STATED and time is not None and _PAST.search(parsed.text):
            return True  # the day of the message is the answer
        about = any(match(term, self._terms[item.place]) for term in parsed.weights)
        if asks_date(parsed.text) and not about and not item.before.replied_to:
            return False  # the date belongs to something else
        return has_kind(parsed.text, item.sentence, time, item.before.replied_to, self._names)

    def _is_close(self, parsed: _Question, item: _Candidate) -> bool:
        """Return whether the message of a sentence contains every word of the question."""
        if asks(item.sentence) or is_short_reply(item.sentence) or item.about < 1:
            return False
        own = self._terms[item.place]
        return bool(parsed.words) and all(match(word, own) for word in parsed.words)

    def _corrects(self, later: _Candidate, best: _Candidate, parsed: _Question) -> bool:
        """Return whether a later sentence updates the best one.

        For example, it says that something has changed, or it mentions the number in the best one.
        """
        if later.place <= best.place or _PAST.search(parsed.text):
            return False
        start = max(best.place + 1, later.place - 2) if later.before.replied_to else later.place
        text = " ".join(message.text for message in self._messages[start : later.place + 1])
        if _share(parsed.weights, [(terms(text), 1.0)]) < LATER * best.support:
            return False
        if asks_truth(parsed.text):
            return _DENIAL.search(later.sentence) is not None
        if _LATEST.search(parsed.text):
            return True
        former = set(re.findall(r"\d+", best.sentence))
        repeated = not former.isdisjoint(re.findall(r"\d+", text))
        return _CHANGEABLE.search(parsed.text) is not None and (
            repeated or bool(_CHANGE.search(text))
        )

    def _speaker(self, name: str) -> str:
        """Return the only speaker whose name is a shorter or longer form of an unknown name."""
        alike = [
            speaker
            for speaker in self._speakers
            if min(len(name), len(speaker)) > 2
            and (speaker.startswith(name) or name.startswith(speaker))
        ]
        return alike[0] if len(alike) == 1 and not self._count[name] else name

    def _weight(self, term: str) -> float:
        """Return idf(term) = log(1 + n / (0.5 + messages with the term))."""
        return math.log(1 + len(self._terms) / (0.5 + self._count[term]))


def _share(topic: dict[str, float], layers: Sequence[tuple[frozenset[str], float]]) -> float:
    total = math.fsum(topic.values())
    matching = (
        weight * max(share * match(term, layer) for layer, share in layers)
        for term, weight in topic.items()
    )
    return math.fsum(matching) / total if total else 0.0


def _quote(parsed: _Question, item: _Candidate, *, answers: bool = True) -> Quote:
    message = item.message
    whole = (item.before.replied_to or not answers) and len(message.text) <= SHORT
    sentence = message.text if whole else item.sentence
    return Quote(message, sentence, _date(sentence, message, parsed.weights), answers)


def _by_person(message: Message, speakers: str, named: frozenset[str]) -> float:
    """Return the weight of a message, from 0 to 1, for a question about these people."""
    if not named or named & terms(f"{message.speaker} {speakers}"):
        return 1.0
    return (1 + ANOTHER_SPEAKER) / 2 if named & terms(message.text) else ANOTHER_SPEAKER


def _date(sentence: str, message: Message, topic: dict[str, float]) -> TimeInText | None:
    """Return the date of the clause with most of the question's words, else the first date."""
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
