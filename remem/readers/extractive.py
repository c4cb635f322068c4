"""The reader without a model for any question: it extracts an answer from the best line.

The reader is the same for all memories: it sees the question and the lines of the evidence in
order, but not their source. It does not resolve relative dates, so a memory that resolves
"yesterday" gets better answers.
"""

import math
from collections.abc import Sequence

from remem.metrics.tokens import estimated_tokens
from remem.readers.answer_spans import answer_span
from remem.readers.direct import evidence_texts
from remem.readers.lines import Line, content_stems, parse_lines
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query


def supports(question: str, lines: Sequence[Line], other_speaker_weight: float) -> list[float]:
    """Return for each line the share of the question's content words that it has, weighted by idf.

    idf(word) = log(1 + lines / (1 + lines with the word)). The names of speakers do not count.

    Args:
        question: The question.
        lines: The lines that may contain the answer.
        other_speaker_weight: The weight, from 0 to 1, of a line by a speaker other than the one
            that the question names.
    """
    asked = content_stems(question)
    named = asked & {name for line in lines if line.speaker for name in line.names}
    topic = asked - named
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
    """Answers with a part of the best supporting line, or refuses if its support is weak."""

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
        """Answer the query from the evidence alone."""
        texts = evidence_texts(evidence)
        lines = [line for text in texts for line in parse_lines(text)]
        shares = supports(query.text, lines, self._other_speaker)
        best = max(range(len(lines)), key=lambda i: (shares[i], -i), default=None)
        text = REFUSAL_PHRASE
        if best is not None and shares[best] >= self._threshold:
            text = answer_span(query.text, lines[best])
        return Answer(text, context_tokens=estimated_tokens("\n".join(texts)))
