"""Means of a judge's verdicts: over questions, over categories, and over questions to refuse."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from remem.types import Record


@dataclass(frozen=True, slots=True)
class VerdictMeans:
    """The means of the verdicts on the answers of a run.

    `categories` has the mean of each category. `of_categories` is their mean, in which each
    category counts alike. `to_refuse` is the mean over unanswerable questions, None without one.
    """

    categories: Mapping[str, float]
    of_categories: float
    to_refuse: float | None


def verdict_means(records: Sequence[Record], verdicts: Mapping[str, float]) -> VerdictMeans | None:
    """Return the means of verdicts by query id; None if no record has a verdict."""
    judged = [record for record in records if record.query_id in verdicts]
    if not judged:
        return None
    by_category: defaultdict[str, list[float]] = defaultdict(list)
    for record in judged:
        by_category[record.gold.category].append(verdicts[record.query_id])
    means = {category: fmean(by_category[category]) for category in sorted(by_category)}
    refused = [verdicts[each.query_id] for each in judged if not each.gold.answerable]
    return VerdictMeans(means, fmean(means.values()), fmean(refused) if refused else None)


def told_means(means: VerdictMeans) -> str:
    """Return the means of categories as a line.

    >>> told_means(VerdictMeans({"a": 1.0, "b": 0.0}, 0.5, None))
    'mean of 2 categories: 50.0 (a: 100.0, b: 0.0)'
    """
    each = ", ".join(f"{category}: {100 * mean:.1f}" for category, mean in means.categories.items())
    refused = (
        "" if means.to_refuse is None else f"; questions to refuse: {100 * means.to_refuse:.1f}"
    )
    return (
        f"mean of {len(means.categories)} categories: {100 * means.of_categories:.1f} "
        f"({each}){refused}"
    )
