"""Find the answer in a reply to a prompt that asks for a line "Answer: ...".

Models vary that line in many ways. A reply without a readable answer is rejected and not scored.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from remem.errors import RejectedReplyError
from remem.files.unspaced_scripts import spaced
from remem.prompts.replies import CutReplyError, json_at, json_objects, valid_text
from remem.protocols import ChatReply

_LAYOUT = re.compile(
    r"(?:\[(?P<date>[^\]]*)\]\s*)?(?:(?P<speaker>[^\s:|][^:|]{0,39}):\s+)?(?P<body>.*)", re.DOTALL
)
_WORD = re.compile(r"(?<!\w['\u2019])\b[^\W_]+")  # nothing after an apostrophe: "Ann's" is Ann
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ings|ied|ies|ed|es|s|ly)$")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a about after also an and any are as at be been before both but by can company could did "
        "do does don during for from get go going got had has have her hers him his how i if in "
        "into is it its just kind like location long made make many me mention mentioned much my "
        "of on one or our out said say she so some take than that the their them then there they "
        "this to took type up us was we were what when where which who whom whose why will with "
        "would you your"
    )
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of evidence and the stems of its content words.

    `names` has the stems of the speaker's name, or all stems if the line has no speaker.
    """

    date: str
    speaker: str
    body: str
    stems: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=1 << 16)
def parse_lines(text: str) -> tuple[Line, ...]:
    """Parse a text into lines: one for each dated message of a session, one for any other text."""
    return tuple(_parse_line(line) for line in re.split(r"\n(?=\[)", text))


@lru_cache(maxsize=1 << 12)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the content words in a text."""
    words = (word.lower() for word in _WORD.findall(spaced(text)))
    return frozenset(stem(word) for word in words if word not in _STOP_WORDS)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Remove common endings of a lower-case word, so that inflected forms match.

    >>> stem("running"), stem("runs"), stem("hobby"), stem("hobbies"), stem("painted")
    ('run', 'run', 'hob', 'hob', 'paint')
    """
    cut = _ENDING.sub("", word)
    if len(cut) > 3:
        cut = re.sub(r"[eiy]$", "", cut)
    return cut if cut == word else re.sub(r"([bdgklmnprt])\1$", r"\1", cut)


def _parse_line(text: str) -> Line:
    parts = _LAYOUT.fullmatch(text)
    date, speaker, body = parts.groups(default="") if parts else ("", "", text)
    stems = content_stems(f"{date} {body}")
    return Line(date, speaker, body, stems, content_stems(speaker) if speaker else stems)


_MARK = re.compile(r"(?<![^\W_])Answer(?![^\W_])[*_]*\s*[:\uff1a][*_]*(?:[ \t]*(?:</\w+>|\}))?")
_OPENING = (
    r"^[^\w\n{]*(?:(?:so|therefore|thus|hence)\b,?[ \t]+)?(?:(?:the|my)[ \t]+)?"
    r"(?:(?:final|short|correct)[ \t]+)?answer\b(?: to (?:the|this|your) question\b)?"
)
_LINE = re.compile(
    rf"{_OPENING}[*_\"]*(?:[ \t]+is\b)?(?:[ \t]*[*_]*:[*_]*|[*_]*[ \t]+[-=][ \t])",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(
    rf"(?:{_OPENING}|(?<=[.!?,] )the[ \t]+answer\b)[*_]*[ \t]+(?:is|would be)\b"
    r"(?![\s*_]*(?:$|:))(?: that\b)?",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    r"^[#*_ \t]*(?:(?:the|final|short)[ \t]+){0,2}answer[*_ \t]*\n", re.IGNORECASE | re.MULTILINE
)
_FENCE = re.compile(r"^```(?:json)?\s*|(?<!\s)\s*+```$")
_TAGGED = re.compile(r"<answer>([^<>]*)</answer>", re.IGNORECASE)
_NEXT_QUESTION = re.compile(
    r"\n[#*_> \t]*question\b|[ \t](?-i:Question:(?=.{0,1000}Answer))", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?:[,;:&-]|\b(?:and|or|the|a|of|from|to|in|at|on|with|by))$", re.IGNORECASE)
_THOUGHT = re.compile(r"^\W*(?:thought|reasoning|question)\b", re.IGNORECASE)
_CHATTER = re.compile(
    r"^\W*(?:i\b|sorry|sure|certainly|of course|ok|okay|h+m+|well|let me|let's|here|"
    r"the (?:reply|response|answer) (?:is|was) cut)\b",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(
    r"\n[ \t]*\n|\n[*_ \t]*(?:explanation|reason|note|question|thought|source|confidence)\b",
    re.IGNORECASE,
)
DECORATION = " \t\r\n*_"
_DECORATED_END = re.compile(r"(?<![*_])[*_]++[.!]?$")
MOST_WORDS = 20
"""Maximum number of words of a line without a mark that counts as an answer."""
MOST_MARKS = 100
"""Maximum number of marks that are tried in a cut reply, which may be an endless repetition."""
GRAMMAR = r"""
root ::= ("Thought: " [^\n]{1,300} "\n")? "Answer: " [^\n]{1,240} "\n"{0,2}
"""
"""Grammar of the two requested lines, with maximum lengths; the first line is optional."""


def parse_answer(reply: ChatReply) -> str:
    """Return the answer of a reply; if nothing follows "Answer:", return "", which is a refusal.

    The answer is the paragraph after the last "Answer:". If the reply has no "Answer:", the answer
    is the value of "answer" in a JSON object, else the paragraph after the last line that starts
    with "The answer is", else the only line. In a reply that was cut, only an answer after such a
    mark counts, and only if it is complete.

    Raises:
        RejectedReplyError: The reply has no answer, or its answer may be incomplete.
    """
    text = valid_text(reply)
    if reply.truncated:
        return _before_the_cut(text)
    marks = [] if _is_json(text) else list(_MARK.finditer(_without_other_questions(text)))
    if marks:
        paragraph = _paragraph(_without_other_questions(text)[marks[-1].end() :])
        if not _is_json(paragraph):
            return _undecorated(paragraph)
        text = paragraph
    answer = _in_json(text) or _in_tags(text) or _after_mark(text) or _only_line(text)
    if not answer:
        raise RejectedReplyError("the reply has no 'Answer:'")
    return answer


def without_opening_mark(text: str) -> str:
    """Return a text without an opening such as "The answer is"."""
    mark = _LINE.match(text) or _SENTENCE.match(text)
    return text[mark.end() :] if mark else text


def _without_other_questions(text: str) -> str:
    """Return a reply up to the point where the model starts a new question after its answer."""
    mark = _MARK.search(text)
    other = _NEXT_QUESTION.search(text, mark.end()) if mark else None
    return text[: other.start()] if other else text


def _undecorated(text: str) -> str:
    """Return a text without the asterisks and underscores around it."""
    return _DECORATED_END.sub("", text.strip(DECORATION))


def _in_tags(text: str) -> str:
    tagged = _TAGGED.findall(text)
    return _undecorated(tagged[-1]) if tagged else ""


def _is_json(text: str) -> bool:
    """Return True if a text is only a JSON object, with or without a code fence."""
    bare = _FENCE.sub("", text.strip())
    try:
        value, end = json_at(bare, 0)
    except RejectedReplyError:
        raise
    except ValueError:
        return False
    return isinstance(value, dict) and end == len(bare)


def _in_json(text: str) -> str:
    """Return the last "answer" in a JSON object; ignore lists, because items may contain commas."""
    objects = (
        {key.lower(): value for key, value in json_object.items()}
        for json_object in json_objects(text)
    )
    answers = [item["answer"] for item in objects if "answer" in item]
    if (
        not answers
        or isinstance(answers[-1], bool)
        or not isinstance(answers[-1], str | int | float)
    ):
        return ""
    return str(answers[-1]).strip()


def _after_mark(text: str) -> str:
    """Return the paragraph after the last mark at the start of a line or sentence."""
    marks = _marks(text)
    return _answer(_paragraph(text[marks[-1] :])) if marks else ""


def _marks(text: str) -> list[int]:
    """Return the position after each mark that announces an answer."""
    patterns = (_LINE, _SENTENCE, _HEADING)
    return sorted(match.end() for pattern in patterns for match in pattern.finditer(text))


def _paragraph(text: str) -> str:
    """Return the text before the first blank line, or before a line that explains the answer."""
    return _PARAGRAPH_END.split(text.strip(), maxsplit=1)[0]


def _only_line(text: str) -> str:
    line = text.strip(DECORATION)
    is_prose = len(line.split()) > MOST_WORDS or line.endswith((":", "?", "...")) or "\n" in line
    if is_prose or _CHATTER.match(line) or re.search(r"[{}<>]", line) or not re.search(r"\w", line):
        return ""
    return _answer(line)


def _before_the_cut(text: str) -> str:
    """Return the first complete answer of a reply that was cut."""
    complete = text[: text.rfind("\n") + 1]
    lines = [match.end() for match in _LINE.finditer(complete)]  # rather than in a sentence
    marks = (*lines[:MOST_MARKS], *_marks(complete)[:MOST_MARKS])
    answers = (_complete_after(complete[mark:]) for mark in marks)
    answer = next(filter(None, answers), "")
    if not answer:
        raise CutReplyError
    return answer


def _complete_after(rest: str) -> str:
    """Return the rest of the line, or if that is empty, the next paragraph if it is complete."""
    line, _, below = rest.partition("\n")
    paragraph, *more = _PARAGRAPH_END.split(below.lstrip(), maxsplit=1)
    if _GOES_ON.search(line.rstrip()):
        return ""
    return _answer(line) or (_answer(paragraph) if more else "")


def _answer(text: str) -> str:
    """Return a text as an answer, or "" if it is more reasoning or a question of the model."""
    return "" if _THOUGHT.match(text) or _LINE.match(text) else _undecorated(text)
