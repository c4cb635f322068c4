"""The reader without a model for any question: it extracts an answer from the best line.

The reader is the same for all memories: it sees the question and the lines of the evidence in
order, but not their source. It does not resolve relative dates, so a memory that resolves
"yesterday" gets better answers.
"""

from remem.metrics.tokens import estimated_tokens
from remem.readers.answer_spans import answer_span
from remem.readers.lines import parse_lines
from remem.readers.rendering import evidence_texts
from remem.readers.support import supports
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query


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
