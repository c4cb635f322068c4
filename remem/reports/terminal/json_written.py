"""Write a result as one JSON object, and the parts that the results of several commands share."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from remem.files.adapters import adapter
from remem.metrics.columns import REFUSAL_SCORES
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval
from remem.metrics.scores import Summary

Unit = Literal["share", "count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A mean with its 95% interval over the questions of a category; None covers all questions.

    A share is between 0 and 1, as in scores.json. `mean` is None if no question has the score.
    """

    score: str
    heading: str
    category: str | None
    unit: Unit
    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int | None


@dataclass(frozen=True, slots=True)
class Questions:
    """How many questions were asked, and how many of them were answered or failed."""

    asked: int
    answered: int
    failed: int


def as_json(result: Any) -> str:
    """Return a result as JSON in plain ASCII: a log may hold what would steer a terminal."""
    content = adapter(type(result)).dump_python(result, mode="json")
    return json.dumps(content, indent=2, allow_nan=False)


def scores_of(summary: Summary, names: Sequence[str]) -> tuple[Score, ...]:
    """Return the named scores over all questions and per category, then those of refusals."""
    return tuple(_scores(summary, names))


def score(
    convention: ScoreConvention, name: str, category: str | None, found: Interval | None
) -> Score:
    """Return the score of a name as it is written."""
    share = name in REFUSAL_SCORES or convention.is_share(name)
    return Score(
        score=name,
        heading=convention.heading(name),
        category=category,
        unit="share" if share else "count",
        mean=None if found is None else found.mean,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        n=0 if found is None else found.n,
        clusters=None if found is None else found.clusters,
    )


def _scores(summary: Summary, names: Sequence[str]) -> Iterator[Score]:
    convention, refusals = summary.convention, summary.refusal_intervals
    for part in (summary.overall, *summary.categories):
        for name in names:
            yield score(convention, name, part.category, part.means[name])
    yield score(convention, "refusal_precision", None, refusals.precision)
    yield score(convention, "refusal_recall", None, refusals.recall)
    yield score(convention, "refusal_f1", None, refusals.f1)
