"""A reader of one's own: the first line of the evidence that holds a long word of the question."""

from remem.metrics.tokens import estimated_tokens
from remem.readers.direct import evidence_texts
from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query


class FirstLine:
    """Answers with a whole line, or refuses."""

    def __init__(self, *, letters: int) -> None:
        self._letters = letters

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""
        lines = evidence_texts(evidence)
        words = [word for word in query.text.lower().split() if len(word) >= self._letters]
        said = (line for line in lines if any(word in line.lower() for word in words))
        return Answer(next(said, REFUSAL_PHRASE), estimated_tokens("\n".join(lines)))
