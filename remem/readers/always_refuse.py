"""The reader that refuses every question, a lower bound for tables; its refusal recall is 100%."""

from remem.types import REFUSAL_PHRASE, Answer, Evidence, Query


class AlwaysRefuse:
    """Answers every question with the refusal phrase."""

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the refusal phrase."""
        return Answer(REFUSAL_PHRASE)
