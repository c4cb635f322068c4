"""Find a field of a certificate whose value no replay could have produced."""

from remem.apps.referee.certificates.certificate import CertifiedCost, CertifiedRun, CertifiedScore
from remem.bundle.sums import SAME_NUMBER
from remem.results.costs import MEASURES

ROUNDED = 2 * SAME_NUMBER


def unreplayable_field(run: CertifiedRun) -> str:
    """Return the name of a field whose value no replay could produce; "" if none."""
    if run.replayed and run.missing:
        return "missing"
    if run.rival is not None and not run.replayed:
        return "rival"
    there = {"python": run.ran_on.python, **run.ran_on.packages}
    if any(there.get(o.package) != o.there or o.here == o.there for o in run.other_releases):
        return "other_releases"
    names = [cost.name for cost in run.costs]
    both = {"tokens", "evidence"} <= {*names}
    if len({*names}) < len(names) or both or not all(_is_cost(cost, run) for cost in run.costs):
        return "costs"
    if run.index_bytes is not None and not run.replayed:
        return "index_bytes"
    scores = [score for way in run.scorings[1:] for score in way.scores]
    return "" if all(_is_score(score, len(run.questions)) for score in scores) else "scorings"


def _is_cost(cost: CertifiedCost, run: CertifiedRun) -> bool:
    is_known = cost.each == "question" and MEASURES.get(cost.name) == (cost.unit, cost.each)
    ordered = 0 <= cost.p50 <= cost.p95 <= cost.p99 and cost.total >= 0
    return is_known and ordered and cost.n <= run.answered


def _is_score(score: CertifiedScore, questions: int) -> bool:
    """Return whether the mean is inside its interval, and all shares are from 0 to 1."""
    if score.n > questions or (score.low is None) != (score.high is None):
        return False
    low, high = (score.mean if end is None else end for end in (score.low, score.high))
    known_values = [value for value in score.values if value is not None]
    return _are_ordered(low, score.mean, high) and (
        not score.share
        or all(_are_ordered(0.0, value, 1.0) for value in (low, high, *known_values))
    )


def _are_ordered(low: float, middle: float, high: float) -> bool:
    return low <= middle + ROUNDED and middle <= high + ROUNDED
