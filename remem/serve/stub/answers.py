"""Answers and verdicts of the stub, based on the words that two texts share."""

import re
from dataclasses import dataclass

from remem.serve.stub.words import content_words, stems
from remem.temporal.dates import find_dates, format_point, parse_point
from remem.temporal.statements import parse_tot_statement
from remem.types import REFUSAL_PHRASE

_ITEM = re.compile(r"(?:- )?(?:[gf]\d+ )?(?:\[(?P<date>[^\]]*)\] ?)*(?P<body>.*)", re.DOTALL)
_SPEAKER = re.compile(r"[^\W\d_][^:|]{0,60}?:\s+")
_OF_A_STEP = re.compile(r"(?:Step \d|Thought:|Call:|Observation:|Gists:|Facts:)")
_IN_PARENTHESES = re.compile(r"\(([^()]*\b[12]\d{3}\b[^()]*)\)")
_VALID = re.compile(r"\s*\(valid from (\S+) to \S+\)$")
_YEAR = re.compile(r"\b[12]\d{3}\b")
_NUMBER = re.compile(r"\b\d+\b")
_COUNT = re.compile(r"^Count: (\d+)$", re.MULTILINE)
_PROPOSED = re.compile(r"^Proposed answer: (.+)$", re.MULTILINE)
_WHEN = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow (?:many|much|old|long|often)\b", re.IGNORECASE)
ANSWER_WORDS = 6


@dataclass(frozen=True, slots=True)
class AnswerOnLine:
    """An answer and the evidence line it comes from; a refusal has no line."""

    answer: str
    line: str


def answer_from(question: str, evidence: str) -> AnswerOnLine:
    """Return an answer from the line that shares the most words with the question.

    Return a refusal if no line shares enough words.
    """
    if proposed := _PROPOSED.search(evidence):
        return AnswerOnLine(proposed[1], proposed[0])
    if _HOW_MANY.search(question) and (counts := _COUNT.findall(evidence)):
        return AnswerOnLine(counts[-1], f"Count: {counts[-1]}")
    question_stems = stems(question)
    lines = [line for line in evidence.splitlines() if not _OF_A_STEP.match(line)]
    best = max(lines, key=lambda line: len(question_stems & stems(line)), default="")
    if len(question_stems & stems(best)) < min(2, len(question_stems)) or not best.strip():
        return AnswerOnLine(REFUSAL_PHRASE, "")
    return AnswerOnLine(_span(question, best) or REFUSAL_PHRASE, best)


def same_meaning(gold: str, answer: str) -> bool:
    """Return True if an answer has at least half of the content words of a gold answer."""
    given = stems(answer)
    for part in gold.split(" / "):
        wanted = stems(part) or frozenset(part.lower().split())
        if len(wanted & (given | frozenset(answer.lower().split()))) * 2 >= len(wanted):
            return True
    return False


def _span(question: str, line: str) -> str:
    parts = _ITEM.fullmatch(line)
    date, body = (parts["date"] or "", parts["body"]) if parts else ("", line)
    if valid := _VALID.search(body):
        point = parse_point(valid[1])
        date, body = format_point(point) if point else "", body[: valid.start()]
    if _WHEN.search(question):
        return _date(date, body)
    if _HOW_MANY.search(question) and (number := _NUMBER.search(body)):
        return number[0]
    if stated := parse_tot_statement(body):
        return _other_end(question, stated.subject, stated.object)
    if body.count(" | ") > 1:
        subject, _, object_, *_ = body.split(" | ")
        return _other_end(question, subject, object_)
    question_stems = stems(question)
    statement = _SPEAKER.sub("", body, count=1)
    added = [word for word in content_words(statement) if not stems(word) & question_stems]
    return " ".join(added[:ANSWER_WORDS])


def _date(date: str, body: str) -> str:
    """Return the date in parentheses, else the date in the text, else the message's date."""
    if resolved := _IN_PARENTHESES.search(body):
        return resolved[1]
    if dates := find_dates(body):
        return format_point(dates[0][2])
    years = _YEAR.findall(body)
    return date or (years[0] if years else "")


def _other_end(question: str, subject: str, object_: str) -> str:
    """Return the subject or the object of a fact, whichever the question does not name."""
    return subject if stems(object_) & stems(question) else object_
