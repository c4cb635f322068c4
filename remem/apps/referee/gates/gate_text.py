"""Write a gate's decision, or a new baseline with the power of its gate, as lines of text."""

from collections.abc import Iterator
from dataclasses import dataclass

from remem.apps.referee.gates.gate import CategoryGate, Gated, ScoreGate
from remem.apps.referee.gates.gate_baseline import Baseline
from remem.apps.referee.gates.noninferiority import Bounds, GatePower, gate_power, planned_error
from remem.files.plain_text import printable
from remem.metrics.intervals import FEW_CLUSTERS

ASSUMED = (0.05, 0.15, 0.3)
"""Shares of questions that differ between two runs, for which power is stated beforehand."""
ONE_CLUSTER = "All questions are of one cluster, so they count as independent of each other."
OTHER_CODE = (
    "The code of the scores has changed since the baseline, so a difference may come from it; to "
    "rule that out, freeze the run of the baseline again."
)
EQUAL = "Every record is equal to the baseline's."


@dataclass(frozen=True, slots=True)
class _Size:
    """The number of questions that have a score, and of the units that are resampled."""

    questions: int
    units: int


def told_gate(gated: Gated) -> tuple[str, ...]:
    """Return the lines of text that report a gate's decision."""
    lines = [line for score in gated.scores for line in _told_score(score, gated)]
    return (*([EQUAL] if gated.is_equal else []), *lines, *notes(gated))


def notes(gated: Gated) -> tuple[str, ...]:
    """Return notes on the limits of a gate's decision."""
    return tuple(_notes(gated))


def decision(score: ScoreGate, margin: float) -> str:
    """Return one line about a score: its difference, its lower bound, and the verdict."""
    bounds = score.bounds
    return (
        f"{printable(score.heading)}: {points(bounds.mean)} points, at least {points(bounds.low)} "
        f"(one-sided 95%, {counted(bounds)}); margin {100 * margin:g}: {verdict(score)}"
    )


def verdict(score: ScoreGate) -> str:
    """Return the verdict on a score as text."""
    if score.verdict == "worse":
        return "failed, worse than the baseline"
    if score.verdict == "not shown":
        return "failed, a drop as large as the margin cannot be ruled out"
    failed = [printable(part.category) for part in score.categories if not part.has_passed]
    return f"failed in category {', '.join(failed)}" if failed else "passed"


def category_line(part: CategoryGate, margin: float) -> str:
    """Return one line about a category: its difference, its upper bound, and its verdict."""
    outcome = "failed, a drop of more than the margin" if not part.has_passed else "passed"
    return (
        f"category {printable(part.category)}: {points(part.bounds.mean)} points, at most "
        f"{points(part.bounds.high)} ({counted(part.bounds)}); margin {100 * margin:g}: {outcome}"
    )


def power_line(power: GatePower, margin: float) -> str:
    """Return one line about the power of a gate: how often it passes and fails."""
    return (
        f"power: an unchanged memory passes in {100 * power.unchanged_passes:.0f}% of cases; a "
        f"drop of {100 * power.found_often:.1f} points fails in 80%, one of {100 * margin:g} in "
        f"about 95%; "
        f"with a margin of {100 * power.margin_for_unchanged:.1f} an unchanged memory passes in 90%"
    )


def told_baseline(baseline: Baseline, margin: float) -> tuple[str, ...]:
    """Return lines about a new baseline: its size, and the power of a gate with this margin."""
    return tuple(_told_baseline(baseline, margin))


def points(share: float) -> str:
    """Return a difference of shares in points, as text with its sign."""
    return f"{100 * share:+.1f}"


def counted(bounds: Bounds) -> str:
    """Return the number of questions as text, with the number of clusters if there are any."""
    questions = f"{bounds.n} question{'s' * (bounds.n != 1)}"
    if bounds.clusters is None:
        return questions
    return f"{questions} in {bounds.clusters} cluster{'s' * (bounds.clusters != 1)}"


def _told_score(score: ScoreGate, gated: Gated) -> Iterator[str]:
    yield decision(score, gated.margin)
    yield f"  better on {score.better}, worse on {score.worse}, equal on {score.equal}"
    if score.power is not None:
        yield f"  {power_line(score.power, gated.margin)}"
    for part in score.categories:
        if not part.has_passed:
            yield f"  {category_line(part, gated.margin)}"


def _notes(gated: Gated) -> Iterator[str]:
    clusters = {score.bounds.clusters for score in gated.scores} - {None}
    few = min((count for count in clusters if count and 1 < count < FEW_CLUSTERS), default=None)
    if few is not None:
        yield (
            f"There are only {few} clusters: new clusters narrow the bounds more than new "
            f"questions in these clusters."
        )
    if 1 in clusters:
        yield ONE_CLUSTER
    if gated.not_in_baseline:
        yield f"{gated.not_in_baseline} questions of the run are not in the baseline: not counted."
    if gated.other_data:
        files = ", ".join(printable(name) for name in gated.other_data)
        yield f"The baseline was made from different data files: {files}."
    if gated.other_code:
        yield OTHER_CODE


def _told_baseline(baseline: Baseline, margin: float) -> Iterator[str]:
    names: dict[_Size, list[str]] = {}
    for at, name in enumerate(baseline.run.scores):
        names.setdefault(_size(baseline, at), []).append(printable(name))
    for size, scores in names.items():
        within = "" if size.units == size.questions else f" in {size.units} clusters"
        without = len(baseline.questions) - size.questions
        left = f"; {without} others have no such score and will not count" if without else ""
        yield f"{', '.join(scores)}: {size.questions} questions{within}{left}"
        for differing in ASSUMED if size.units > 1 else ():
            power = gate_power(planned_error(differing, size.questions), size.units, margin)
            yield f"  if {100 * differing:.0f}% of questions differ: {power_line(power, margin)}"
        if size.units < size.questions:
            yield "  (less, if the questions of a cluster get better or worse together)"


def _size(baseline: Baseline, at: int) -> _Size:
    """Return the size of a baseline for a score; with a single cluster, the units are questions."""
    scored = [question for question in baseline.questions if question.scores[at] is not None]
    clusters = len({question.cluster for question in scored})
    by_cluster = baseline.run.convention.get("bootstrap_unit") == "clusters" and clusters > 1
    return _Size(len(scored), clusters if by_cluster else len(scored))
