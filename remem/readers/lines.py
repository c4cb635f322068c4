"""Parse a line of evidence, `[date] speaker: body`, and the content words of a text."""

import re
from dataclasses import dataclass
from functools import lru_cache

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
    """Parse a text into one line, or into one line per dated message of a session."""
    return tuple(_parse_line(line) for line in re.split(r"\n(?=\[)", text))


@lru_cache(maxsize=1 << 12)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the content words in a text."""
    words = (word.lower() for word in _WORD.findall(text))
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
