"""A score of one's own: whether an answer begins as a gold answer does."""

from remem.metrics.convention import ScoreConvention
from remem.types import Record


def starts_alike(record: Record, convention: ScoreConvention) -> float:
    """Return 1.0 where the answer begins with the first word of a gold answer, else 0.0."""
    first = record.answer.lower().split()[:1]
    return float(any(first == gold.lower().split()[:1] for gold in record.gold.answers))
