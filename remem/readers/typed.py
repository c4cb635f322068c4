"""The dates, durations, numbers, people and places in a sentence, in the form of a short answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from remem.metrics.tokens import estimated_tokens
from remem.readers.answer_lines import Line, content_stems, parse_lines
from remem.readers.attribution import people_named
from remem.readers.direct import evidence_texts
from remem.readers.extractive import SAID
from remem.readers.question_kinds import Kind, asks_list, options, question_kind
from remem.readers.ranked_sentences import RankedSentence, best_spans, ranked_sentences, terms
from remem.temporal.dates import MONTH_PATTERN, format_point, parse_point
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query

_RESOLVED = re.compile(r"\s*\(([^()]*\b[12]\d{3}\b[^()]*)\)")
_COUNT = (
    r"(?:\d+(?:[.,]\d+)*|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"twenty|thirty|forty|fifty|hundred|several|(?:a\s+)?few|(?:a\s+)?couple(?:\s+of)?)"
)
_UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_DURATION = re.compile(
    rf"\b(?:(?:about|around|almost|nearly|over)\s+)?{_COUNT}(?:\s*(?:-|to|or)\s*{_COUNT})?[\s-]+"
    rf"{_UNIT}\b|\bsince\s+(?:[12]\d{{3}}|{MONTH_PATTERN})\b",
    re.IGNORECASE,
)
_FREQUENCY = re.compile(
    rf"\b(?:once|twice|{_COUNT}\s+times)(?:\s+or\s+twice)?\s+(?:an?|every|per|each)\s+\w+|"
    r"\bevery\s+(?:other\s+)?(?:\w+\s+)?(?:day|night|morning|week|weekend|month|year)\b|"
    r"\b(?:daily|weekly|monthly|yearly)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(\d+(?:[.,]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|"
    r"once|twice)\b",
    re.IGNORECASE,
)
_NOT_NAMED = (
    rf"(?!(?:{MONTH_PATTERN}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|I|I['\u2019]\w+)\b)"
)
_PROPER = rf"{_NOT_NAMED}[A-Z][\w'\u2019.&-]*(?:\s(?:of\s|the\s)?[A-Z][\w'\u2019&-]*)*"
_PLACE = re.compile(
    rf"\b(?:in|at|to|from|near|around|visit(?:ed|ing)?)\s+((?:the\s+)?{_PROPER})|"
    rf"((?:The\s)?{_PROPER})\s+(?:is|was)\s+where\b"
)
_SPOT = re.compile(
    r"\b(?:in|at|to|from|on|near|behind|under|inside)\s+"
    r"((?:the|an?|my|our|his|her|their|some)\s+(?!(?:time|end|moment|way|day|week|month|year|same)\b)"
    r"(?:[\w'\u2019-]+)(?:\s(?!(?:and|but|with|last|for|to|so|that|when|where|which|who|the|my|in|on|"
    r"at|because|since|yesterday|today|is|was|it)\b)[\w'\u2019-]+){0,3})"
)
_KIN = (
    r"mom|mum|mother|dad|father|parents|grandma|grandmother|grandpa|grandfather|sister|brother|"
    r"siblings|aunt|uncle|cousins?|nephew|niece|wife|husband|partner|boyfriend|girlfriend|son|"
    r"daughter|kids|children|family|friends?|colleagues?|teammates?|neighbou?rs?|boss|coach|mentors?|"
    r"teacher|roommate|flatmate"
)
_NO_PERSON = (
    r"(?!(?:Yeah|Yep|Yes|No|Not|Hey|Hi|Hello|Thanks|Thank|Wow|Oh|Well|So|The|That|This|It|We|You|"
    r"He|She|They|My|Our|And|But|Just|One|Last|Here|There|What|Who|When|Where|Why|How|Good|Great|"
    r"Sure|Absolutely|Definitely|Let|As|By|In|On|At|For|Since|If|Going|Did|Do|Is|Are|Have|Got|"
    r"Yesterday|Today|Tomorrow|Then|Now|Also)\b)"
)
_PERSON = re.compile(
    rf"(?:(?<=\w\s)|(?<=[,:;]\s)|^)({_NO_PERSON}{_PROPER})|"
    rf"\b(?:[Mm]y|[Oo]ur)\s+((?:(?!and\b)\w+\s+){{0,2}}?(?:{_KIN}))\b"
)
_BEFORE_A_PLACE = re.compile(r"\b(?:in|at|to|from|near|around|of|the|on)\s$", re.IGNORECASE)


def typed_spans(kind: Kind, question: str, sentence: str, line: Line) -> tuple[str, ...]:
    """Return a sentence's spans of the requested kind, except spans that repeat the question.

    Only dates in the sentence itself are returned; `date_said` returns the date of its line.
    """
    if kind == "date":
        return _dates(sentence, line)
    plain = _RESOLVED.sub("", sentence)
    if kind == "duration":
        often = re.search(r"\bhow\s+often\b", question, re.IGNORECASE)
        return tuple(match[0] for match in (_FREQUENCY if often else _DURATION).finditer(plain))
    if kind == "number":
        return _numbers(question, plain)
    spans = _places(plain) if kind == "place" else _people(plain, line) if kind == "person" else ()
    question_stems = content_stems(question)
    cut = (span.rstrip(".,'\u2019") for span in spans)
    return tuple(span for span in cut if span and not question_stems & content_stems(span))


def date_said(line: Line) -> str:
    """Return the day of a line, such as "8 May 2023"; empty if it has none."""
    said_at = parse_point(line.body.partition(SAID)[2]) or parse_point(line.date)
    return format_point(TimePoint(said_at.year, said_at.month, said_at.day)) if said_at else ""


@lru_cache(maxsize=1 << 15)
def _dates(sentence: str, line: Line) -> tuple[str, ...]:
    resolved = _RESOLVED.findall(sentence)
    if resolved:
        return tuple(resolved)
    times = times_in(sentence, parse_point(line.date))
    read = [time for time in times if time.span is not None]
    stated = [time for time in read if time.is_stated]
    if times and not read:
        return tuple(f"{time.expression}, said on {date_said(line)}" for time in times)
    return tuple(time.span.phrase for time in stated or read if time.span)


def _numbers(question: str, sentence: str) -> tuple[str, ...]:
    """Return the numbers before the counted noun, or else all numbers except the ages of things."""
    counted = re.search(r"\bhow\s+(?:many|much)\s+(?:more\s+)?([a-z-]+)", question, re.IGNORECASE)
    if counted:
        noun = re.escape(counted[1].rstrip("s"))
        near = re.findall(
            rf"{_NUMBER.pattern}[\s-]+(?:\w+\s+){{0,2}}?{noun}", sentence, re.IGNORECASE
        )
        return tuple(near)
    return tuple(_NUMBER.findall(sentence))


def _places(sentence: str) -> tuple[str, ...]:
    named = tuple(first or last for first, last in _PLACE.findall(sentence))
    return named or tuple(_SPOT.findall(sentence))


def _people(sentence: str, line: Line) -> tuple[str, ...]:
    """Return the names of people, then "mom" of "my mom"; never the speaker."""
    names, relatives = [], []
    for match in _PERSON.finditer(sentence):
        name, kin = match.groups()
        if kin:
            relatives.append(kin)
        elif not (
            _BEFORE_A_PLACE.search(sentence[: match.start()])
            or (line.speaker and content_stems(name) & line.names)
        ):
            names.append(name)
    return (*names, *relatives)


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
    """Gives a short answer of the requested type; refuses if the evidence is about other people."""

    def __init__(self, *, refusal_ratio: float, list_ratio: float, gold_words: float) -> None:
        """Store the settings.

        Args:
            refusal_ratio: Refuses if the best share of a sentence about the people in the question
                is below this part of the best share of a sentence about others.
            list_ratio: The part of the best share that a further item of a list needs.
            gold_words: The assumed number of words of a gold answer without a type.
        """
        self._refusal_ratio = refusal_ratio
        self._list_ratio = list_ratio
        self._gold_words = gold_words

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query only from the evidence."""
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
        spans = _spans_by_sentence(kind, question, ranked)
        if spans:
            return self._typed(kind, question, spans)
        if kind == "date":
            return date_said(_best(ranked).line)
        if kind == "number" and _HOW_MANY.search(question):
            return self._count(ranked)
        return self._words(question, ranked)

    def _typed(self, kind: Kind, question: str, spans: Sequence[_Found]) -> str:
        """Return the first span of the best sentence, or the spans of all good ones for a list."""
        best = max(spans, key=lambda each: each.share)
        if kind not in ("person", "place") or not asks_list(question):
            return best.spans[0]
        least = self._list_ratio * best.share
        items = (span for each in spans if each.share >= least for span in each.spans)
        return ", ".join(dict.fromkeys(items))

    def _count(self, ranked: Sequence[RankedSentence]) -> str:
        """Count the lines with a good sentence, as people seldom state how often they did it."""
        least = self._list_ratio * _best(ranked).share
        count = len({sentence.line for sentence in ranked if sentence.share >= least})
        return _COUNTS[count] if count < len(_COUNTS) else str(count)

    def _words(self, question: str, ranked: Sequence[RankedSentence]) -> str:
        most = _ITEMS if asks_list(question) else 1
        return ", ".join(best_spans(question, searched(ranked), self._gold_words, most))


def searched(ranked: Sequence[RankedSentence]) -> list[str]:
    """Return the sentences to search for an answer: those with at least half of the best share."""
    least = max((sentence.share for sentence in ranked), default=0.0) / 2
    return [sentence.text for sentence in ranked if sentence.share >= least][:_SENTENCES]


def _best(ranked: Sequence[RankedSentence]) -> RankedSentence:
    return max(ranked, key=lambda sentence: sentence.share)


def _spans_by_sentence(kind: Kind, question: str, ranked: Sequence[RankedSentence]) -> list[_Found]:
    """Return the spans of the requested type, for each sentence that has any."""
    spans = (
        _Found(sentence.share, typed_spans(kind, question, sentence.text, sentence.line))
        for sentence in ranked
    )
    return [each for each in spans if each.spans]


def _support(option: str, ranked: Sequence[RankedSentence]) -> float:
    """Return a score of how often the sentences mention the words of an option."""
    words = terms(option)
    shared = (sentence.share * len(words & terms(sentence.text)) for sentence in ranked)
    return sum(shared) / max(1, len(words))
