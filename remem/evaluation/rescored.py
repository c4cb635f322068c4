"""The same records scored in several ways: by other conventions, or with corrected labels."""

from collections.abc import Mapping
from dataclasses import dataclass

from remem.metrics.intervals import Interval
from remem.metrics.refusal import RefusalScores

Heading = tuple[str, str | None]
"""A score, over all questions (None) or over a category."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its intervals over single questions and over clusters.

    A share is shown in per cent.
    """

    over_questions: Interval
    over_clusters: Interval
    share: bool = True


@dataclass(frozen=True, slots=True)
class JudgeCalls:
    """The questions on whose answers a judge has given no verdict, or not with these golds."""

    judge: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """The scores of one way, those of a judge under the name of its file."""

    name: str
    estimates: Mapping[Heading, Estimate]
    refusal: RefusalScores
    judge_calls: tuple[JudgeCalls, ...] = ()
