"""Notes below the scores of a run, and the lines that say why questions or verdicts failed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from remem.config.permissions import is_rival
from remem.metrics.intervals import FEW_CLUSTERS, Interval
from remem.results.intake_notes import intake_notes
from remem.results.run import Run
from remem.run.served_models import PLUMBING, is_plumbing
from remem.temporal.templates import parse_question
from remem.types import LEFT_OUT

SYMBOLIC = "symbolic"
LAST_CHECKPOINT = (
    "asked while the memory grew (run.stream=session): only the answers after the last session are "
    "used here"
)
"""The note shown where a run with `run.stream=session` is treated like any other run."""
ASK_AGAIN = "Fix this, then run the same command: it asks only the failed questions again."
LONGEST_REASON = 600
"""Maximum characters of a reason, which may quote an entire reply."""
_OUR_ERRORS = re.compile(r"^(ModelUnavailableError|UnusableReplyError): ")
"""Names of errors whose messages are complete sentences; of others, the name is part of the reason.
"""


def run_notes(run: Run) -> Iterator[str]:
    """Yield the notes that `remem run` prints below the scores."""
    config = run.config
    if is_plumbing(config):
        yield PLUMBING
    if config.is_stream:
        yield (
            f"Asked while the memory grew ({run.earlier.answers:,} answers in total). These "
            f"scores are those after the last session. remem report <the folder below> shows the "
            f"scores over time."
        )
    yield from intake_notes(run)
    yield from _unparsed_notes(run)
    for check in run.memory_checks:
        if not check.passed:
            yield f"{config.label} failed the check {check.name!r}: {check.found}."
    if unchecked := unchecked_memory(run):
        yield f"The memory of {config.label} was {unchecked}."
    yield from _lost_notes(run)
    yield from ablation_notes(run)


def failed_checks_note(label: str, run: Run) -> Iterator[str]:
    """Yield a note that names the failed checks of the memory, without the findings.

    The findings are left out because a bundle lacks them, and a table made from a bundle must equal
    the table made from the run.
    """
    failed = [check.name for check in run.memory_checks if not check.passed]
    if failed:
        named = ", ".join(failed)
        yield f"{label} failed checks before the first question: {named} (memory_checks.json)."


def unchecked_memory(run: Run) -> str:
    """Return a note that a rival's memory was not checked, and how to check it; else ""."""
    method = run.config.settings.method
    if not is_rival(method.build["_target_"]) or run.memory_checks:
        return ""
    return f"not checked before the first question: remem doctor method={method.name} llm=<model>"


def _lost_notes(run: Run) -> Iterator[str]:
    """Yield a note if messages or sessions were lost while the memory was built."""
    failed = run.manifest.failed_episodes
    if failed:
        first = failed[0]
        yield (
            f"{run.config.label} lost content of {len(failed):,} episodes while it was built "
            f"(manifest.json: failed_episodes); the first is {first.episode} of history "
            f"{first.history}: {first.reason or 'no reason is given'}."
        )


def _unparsed_notes(run: Run) -> Iterator[str]:
    """Yield notes on the share of questions that the symbolic planner and reader cannot parse."""
    named = {"planner": run.config.planner, "reader": run.config.settings.reader.name}
    roles = " and ".join(role for role, name in named.items() if name == SYMBOLIC)
    if roles:
        unparsed = sum(parse_question(record.question) is None for record in run.records)
        total = len(run.records)
        share = 100 * unparsed / max(total, 1)
        yield (
            f"The symbolic {roles} could not parse {unparsed:,} of {total:,} questions "
            f"({share:.1f}%)."
        )


def ablation_notes(run: Run) -> Iterator[str]:
    """Yield a note for each kind of item that the ablation would remove but that no memory has."""
    name = run.config.settings.ablation.name
    for what, count in run.manifest.counts.items():
        if what.endswith(LEFT_OUT) and count == 0:
            part = what.removesuffix(LEFT_OUT).strip()
            yield (
                f"{run.config.label}: ablation={name} changes nothing here, since the memory has "
                f"no {part} to leave out."
            )


def describe_failures(failures: Sequence[str], asked: int | None, what: str, again: str) -> str:
    """Return the lines that end the output of a command whose questions or verdicts failed.

    Args:
        failures: The error of each failed question or verdict, at least one.
        asked: How many questions, verdicts or rows were requested; None if that is unknown.
        what: "question", "verdict" or "row".
        again: What to do next, as a sentence.
    """
    shown = [_reason(failure) for failure in failures]
    first = shown[0]
    others = len(set(shown)) - 1
    count = len(failures) if asked is None else asked
    of = "" if asked is None else f"{len(failures):,} of "
    more = f"; other reasons: {others:,}" if others else ""
    return (
        f"{of}{count:,} {what}{'' if count == 1 else 's'} failed. The first reason, "
        f"{_times(shown.count(first))}{more}:\n  {first}\n{again}"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _reason(failure: str) -> str:
    """Return an error message as one line, shortened if it is very long."""
    line = " ".join(_OUR_ERRORS.sub("", failure).split())
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]} ..."


FEW_CLUSTERS_NOTE = (
    f"Caution: intervals over fewer than {FEW_CLUSTERS} clusters are rough, and rather too narrow."
)
BELIEVE_P = (
    "If an interval and p (or its star) disagree, believe p: it is the larger of the bootstrap's "
    "and a t test's, and the t test takes the small number of clusters into account."
)
ONE_CLUSTER_MARK = "†"
ONE_CLUSTER_NOTE = (
    f"{ONE_CLUSTER_MARK} Caution: the questions behind this interval come from one cluster, so it "
    "resamples questions, as if they were independent; it says nothing about other clusters."
)
TWO_CLUSTERS = 2
TWO_CLUSTERS_NOTE = (
    "(2 clusters): resampling two clusters has three outcomes, so there is no interval."
)
ONE_QUESTION = "(n = 1)"
"""The text in place of an interval for a single question."""


MOST_POINTS = 100
"""The largest possible difference between two shares, in points."""
TOO_FEW = "none: too few questions"
"""The text in place of a smallest detectable difference above MOST_POINTS."""


class Bounded(Protocol):
    """A number with an interval; either end of the interval may be None."""

    @property
    def low(self) -> float | None:
        """Return the lower end."""

    @property
    def high(self) -> float | None:
        """Return the upper end."""

    @property
    def clusters(self) -> int | None:
        """Return the number of clusters; None if questions are treated as independent."""


def bracketed(estimate: Bounded, form: str, scale: float = 1.0) -> str:
    """Return an interval in brackets, with a mark if it is based on one cluster.

    Args:
        estimate: The number with the interval.
        form: The format specification of the ends, such as ".1f".
        scale: The factor for the ends.
    """
    if estimate.clusters == TWO_CLUSTERS:
        return "(2 clusters)"
    if estimate.low is None or estimate.high is None:
        return ONE_QUESTION
    mark = ONE_CLUSTER_MARK if estimate.clusters == 1 else ""
    return f"[{scale * estimate.low:{form}}, {scale * estimate.high:{form}}]{mark}"


def shown_interval(interval: Interval) -> Interval:
    """Return an interval for display, without its ends if it is based on two clusters."""
    return replace(interval, low=None, high=None) if interval.clusters == TWO_CLUSTERS else interval


def resampled(estimates: Iterable[Bounded]) -> str:
    """Return the units that the intervals resample, such as "questions" or a number of clusters."""
    counts = {estimate.clusters for estimate in estimates if estimate.clusters is not None}
    clusters = counts - {1}
    if not clusters:
        return "questions (all from one cluster)" if counts else "questions"
    least, most = min(clusters), max(clusters)
    named = f"{most} clusters" if least == most else f"{least} to {most} clusters"
    return f"{named} (questions, where all are of one cluster)" if 1 in counts else named


def cautions(estimates: Iterable[Bounded]) -> Iterator[str]:
    """Yield cautions on intervals that are based on few clusters or on a single one."""
    listed = list(estimates)
    all_counts = {estimate.clusters for estimate in listed}
    counts = {
        estimate.clusters
        for estimate in listed
        if estimate.clusters is not None and estimate.low is not None
    }
    if any(TWO_CLUSTERS < count < FEW_CLUSTERS for count in counts):
        yield FEW_CLUSTERS_NOTE
    if TWO_CLUSTERS in all_counts:
        yield TWO_CLUSTERS_NOTE
    if 1 in counts:
        yield ONE_CLUSTER_NOTE


def p_cautions(estimates: Iterable[Bounded]) -> Iterator[str]:
    """Yield the advice to trust p over a disagreeing interval if there are few clusters."""
    if FEW_CLUSTERS_NOTE in cautions(estimates):
        yield BELIEVE_P
