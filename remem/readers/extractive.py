"""A reader without a model: it extracts the answer from the line that fits the question best.

The reader is the same for all memories: it sees the question and the lines of the evidence in
order, but not their source. It does not resolve relative dates, so a memory that resolves
"yesterday" gets better answers. Simple rules extract the part of the line that answers the
question.
"""

import math
import re
from collections.abc import Sequence

from remem.metrics.tokens import estimated_tokens
from remem.readers.answer_lines import Line, content_stems, parse_lines
from remem.readers.direct import evidence_texts
from remem.temporal.dates import find_dates, format_point, parse_point
from remem.time_scope import TimePoint
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query

_RESOLVED = re.compile(r"\s*\(([^()]*\b[12]\d{3}\b[^()]*)\)")
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201d]+)[\"\u201d]")
_NUMBER = re.compile(
    r"\b(\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice)\b"
    r"(?:\s+(?:year|month|week|day|hour|minute)s?\b)?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|to|from|near|around)\s+((?:the\s+)?[A-Z][\w'\u2019]*(?:\s[A-Z][\w'\u2019]*)*)"
)
_COMPANION = re.compile(r"\bwith\s+(?:my\s+(?:\w+\s+){1,3}?)?([A-Z]\w+(?:\s[A-Z]\w+)*)")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]+(?:\s[A-Z][a-z]+)*")
_ASKS_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:date|day|month|year|week)\b", re.IGNORECASE
)
_ASKS_NUMBER = re.compile(r"\bhow\s+(many|much|old|long|often)\b", re.IGNORECASE)
_ASKS_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which)\s+(?:location|place|city|country|state)\b", re.IGNORECASE
)
_ASKS_PERSON = re.compile(r"(?:\w+\s+)?(?:who|whom|whose)\b", re.IGNORECASE)
_ASKS_TRUTH = re.compile(
    r"(?:is|are|was|were|did|do|does|has|have|had|can|could|would|will)\b", re.IGNORECASE
)

SAID = " | said "
"""Separator before the time of saying in the text of a fact."""


def asks_date(question: str) -> bool:
    """Return True if a question contains "when", or asks which date, day, week, month or year.

    >>> asks_date("When did Ann move?"), asks_date("Who was there when Ann moved?")
    (True, True)
    """
    return _ASKS_DATE.search(question) is not None


def asks_truth(question: str) -> bool:
    """Return True if a question asks for yes or no.

    >>> asks_truth("Did Ann move?"), asks_truth("Why did Ann move?")
    (True, False)
    """
    return _ASKS_TRUTH.match(question) is not None


def answer_span(question: str, line: Line) -> str:
    """Return the part of a line that answers the question; "" if the line has no words."""
    sentence = _best_sentence(question, line.body)
    span = ""
    if asks_date(question):
        span = _date(sentence, line)
    elif kind := _ASKS_NUMBER.search(question):
        span = _number(sentence, with_unit=kind[1].lower() == "long")
    elif _ASKS_PLACE.search(question):
        span = _first_new(question, _PLACE.findall(sentence))
    elif _ASKS_PERSON.match(question):
        names = [*_COMPANION.findall(sentence), *_NAME.findall(sentence)]
        span = _first_new(question, names)
    elif asks_truth(question):
        span = "Yes"
    return span or _remainder(question, sentence)


def _best_sentence(question: str, body: str) -> str:
    """Return the sentence that shares most words with the question; on a tie, the longest."""
    question_stems = content_stems(question)
    sentences: list[str] = _SENTENCE.findall(body)
    return max(
        sentences or [body],
        key=lambda sentence: (
            len(question_stems & content_stems(sentence)),
            len(content_stems(sentence)),
        ),
    ).strip()


def _date(sentence: str, line: Line) -> str:
    """Return the date in parentheses, else the date in the text, else the date of the message."""
    sentence, _, _ = sentence.partition(SAID)
    body, _, record_time = line.body.partition(SAID)
    resolved = _RESOLVED.search(sentence) or _RESOLVED.search(body)
    if resolved:
        return str(resolved[1])
    stated = find_dates(sentence) or find_dates(body)
    if stated:
        return format_point(stated[0][2])
    own = parse_point(body.rpartition(" | ")[2])  # a bare year
    day = own or parse_point(record_time) or parse_point(line.date)
    return format_point(TimePoint(day.year, day.month, day.day)) if day else ""


def _number(sentence: str, *, with_unit: bool) -> str:
    number = _NUMBER.search(sentence)
    return str(number[0 if with_unit else 1]) if number else ""


def _first_new(question: str, spans: Sequence[str]) -> str:
    """Return the first span that does not repeat words of the question."""
    question_stems = content_stems(question)
    return next((span for span in spans if not question_stems & content_stems(span)), "")


def _remainder(question: str, sentence: str) -> str:
    """Return a quoted title in the sentence, or else its words that are not in the question."""
    question_stems = content_stems(question)
    for title in _QUOTED.findall(sentence):
        if not question_stems & content_stems(title):
            return str(title)
    added = [
        word
        for word in _RESOLVED.sub("", sentence).split()
        if not question_stems & content_stems(word)
    ]
    while added and not content_stems(added[0]):
        added.pop(0)
    while added and not content_stems(added[-1]):
        added.pop()
    return (" ".join(added) or sentence).strip(" .,!?")


def supports(question: str, lines: Sequence[Line], other_speaker_weight: float) -> list[float]:
    """Return, for each line, its share of the question's content words, weighted by idf.

    idf(word) = log(1 + lines / (1 + lines with the word)). The names of speakers do not count.

    Args:
        question: The question.
        lines: The lines that may contain the answer.
        other_speaker_weight: The weight, from 0 to 1, of a line by a speaker other than the one
            that the question names.
    """
    question_stems = content_stems(question)
    named = question_stems & {name for line in lines if line.speaker for name in line.names}
    topic = question_stems - named
    idf = {
        word: math.log(1 + len(lines) / (1 + sum(word in line.stems for line in lines)))
        for word in topic
    }
    # fsum, because a set's order differs between processes, and rounding could decide ties.
    total = math.fsum(idf.values()) or 1.0
    shares = [math.fsum(idf[word] for word in topic & line.stems) / total for line in lines]
    return [
        share if not named or named & line.names else share * other_speaker_weight
        for share, line in zip(shares, lines, strict=True)
    ]


class ExtractiveReader:
    """Answers with a part of the best-supported line, or refuses if its support is weak."""

    def __init__(self, *, refusal_threshold: float, other_speaker_weight: float) -> None:
        """Store the settings.

        Args:
            refusal_threshold: The minimum support, from 0 to 1, for an answer.
            other_speaker_weight: The weight, from 0 to 1, of a line by a speaker other than the
                one that the question names.
        """
        self._threshold = refusal_threshold
        self._other_speaker = other_speaker_weight

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query only from the evidence."""
        texts = evidence_texts(evidence)
        lines = [line for text in texts for line in parse_lines(text)]
        shares = supports(query.text, lines, self._other_speaker)
        best = max(range(len(lines)), key=lambda i: (shares[i], -i), default=None)
        text = REFUSAL_PHRASE
        if best is not None and shares[best] >= self._threshold:
            text = answer_span(query.text, lines[best])
        return Answer(text, context_tokens=estimated_tokens("\n".join(texts)))


class AlwaysRefuse:
    """Answers every question with the refusal phrase."""

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the refusal phrase."""
        return Answer(REFUSAL_PHRASE)
