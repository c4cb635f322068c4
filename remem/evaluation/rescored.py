"""The result of scoring records in several ways: other conventions, or corrected labels."""

from collections.abc import Mapping
from dataclasses import dataclass

from remem.metrics.intervals import Interval
from remem.metrics.refusal import RefusalScores

Heading = tuple[str, str | None]
"""The name of a score and a category; None for all questions."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its intervals over single questions and over clusters.

    `heading` is what people read as the name of the score. A share is shown in per cent.
    """

    heading: str
    over_questions: Interval
    over_clusters: Interval
    share: bool = True


@dataclass(frozen=True, slots=True)
class JudgeCalls:
    """The questions without a verdict of a judge on this answer and these golds."""

    judge: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """The scores of one way; the scores of a judge are under the name of its file."""

    name: str
    estimates: Mapping[Heading, Estimate]
    refusal: RefusalScores
    judge_calls: tuple[JudgeCalls, ...] = ()
