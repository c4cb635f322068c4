"""The sentences of the evidence, each with its share of what a question asks."""

from collections.abc import Sequence
from dataclasses import dataclass

from remem.readers.attribution import is_about
from remem.readers.lines import Line
from remem.readers.sentences import sentences
from remem.readers.terms import match, terms

REST = 0.3
"""What a word of the question counts that only the rest of the line has."""
A_QUESTION = 0.5
"""The factor of a sentence that asks something."""


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence of a line, with its share of the question's words.

    `about` tells whether it is about the people that the question names.
    """

    text: str
    line: Line
    share: float
    about: bool


def ranked_sentences(
    question: str, lines: Sequence[Line], named: frozenset[str]
) -> list[RankedSentence]:
    """Return the sentences of the lines in order; the people named in the question do not count."""
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
