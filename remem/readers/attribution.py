"""Find whom questions and sentences are about: "What did Ann buy?" is not about Bob."""

import re
from collections.abc import Sequence

from remem.readers.answer_lines import Line, content_stems
from remem.temporal.dates import MONTH_PATTERN

_NAME = re.compile(r"(?<![\w'\u2019-])[A-Z][a-z]+(?![\w-])")
_NO_NAME = re.compile(rf"(?:{MONTH_PATTERN}|\w+day)", re.IGNORECASE)
_GREETED = re.compile(
    r"(?:(?:^|[,.!?]\s*)|\b(?:hey|hi|hello|thanks|wow|yes|yeah|yep|no|sorry|congrats)\s+)"
    r"(?-i:[A-Z][a-z]+)(?=\s*(?:[,.!?]|$))",
    re.IGNORECASE,
)
_TO_THE_OTHER = re.compile(r"\b(?:you|your|yours|you['\u2019]\w+)\b", re.IGNORECASE)
_OF_ONESELF = re.compile(
    r"\b(?:I|me|my|mine|we|us|our|ours|I['\u2019]\w+|we['\u2019]\w+)\b", re.IGNORECASE
)


def people_named(question: str, lines: Sequence[Line]) -> frozenset[str]:
    """Return the stems of the people that a question is about.

    These are the speakers that the question names or, if it names no speaker, the first name in the
    question.

    >>> sorted(people_named("When did Ann visit Rome?", []))
    ['ann']
    """
    speakers = frozenset(name for line in lines if line.speaker for name in line.names)
    names = [
        (match.start(), stems)
        for match in _NAME.finditer(question)
        if not _NO_NAME.fullmatch(match[0]) and (stems := content_stems(match[0]))
    ]
    name_stems = frozenset[str]().union(*(stems & speakers for _, stems in names))
    # The first word of a sentence has a capital letter anyway: "Name the city that ...".
    others = [stems for start, stems in names if start > 0]
    return name_stems or (others[0] if others else frozenset())


def is_about(named: frozenset[str], sentence: str, line: Line) -> bool:
    """Return whether a sentence of a line is about one of the people in `named`.

    A sentence by one of these people counts, unless it has "you" but no "I" or "we". A sentence by
    anyone else counts if it has "you" or one of the names. Every sentence counts if the line has no
    speaker, or if `named` is empty.
    """
    if not named or not line.speaker:
        return True
    to_the_other = _TO_THE_OTHER.search(sentence) is not None
    if named & line.names:
        return not to_the_other or _OF_ONESELF.search(sentence) is not None
    return to_the_other or bool(named & content_stems(_GREETED.sub(" ", sentence)))
