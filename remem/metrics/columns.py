"""Columns of tables: each shows a score of all questions or of one category."""

from collections.abc import Sequence
from dataclasses import dataclass

REFUSAL_HEADINGS = {
    "refusal_precision": "refusal precision",
    "refusal_recall": "refusal recall",
    "refusal_f1": "refusal F1",
}
REFUSAL_SCORES = tuple(REFUSAL_HEADINGS)
"""Scores of an entire run, which single questions do not have."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A column that shows one score, for all questions or for one category.

    In a table of the paper, `score` is the name of the column in the paper, and `group` is the
    heading above the column.
    """

    heading: str
    score: str
    category: str | None = None
    group: str = ""

    @property
    def title(self) -> str:
        """The heading of the group, if any, followed by the heading of the column."""
        return f"{self.group} {self.heading}".strip()

    def __post_init__(self) -> None:
        if self.category is not None and self.score in REFUSAL_SCORES:
            raise ValueError(
                f"column {self.heading!r}: {self.score} is scored over all questions; remove the "
                f"category {self.category}"
            )

    def check(self, scores: Sequence[str]) -> None:
        """Check that the score of the column exists.

        Args:
            scores: The names of the scores of a question.

        Raises:
            ValueError: The score is neither in `scores` nor a score of refusals.
        """
        known = (*scores, *REFUSAL_SCORES)
        if self.score not in known:
            raise ValueError(
                f"column {self.heading!r}: no score {self.score!r}; use one of {', '.join(known)}"
            )
