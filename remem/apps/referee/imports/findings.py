"""Run all checks on imported runs; they work on any import, of whatever format."""

from collections import defaultdict
from collections.abc import Sequence

from remem.apps.referee.imports.answer_checks import ANSWER_CHECKS
from remem.apps.referee.imports.checked_runs import CheckedRuns, Finding
from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.imports.score_checks import SCORE_CHECKS


def find(runs: Sequence[MatchedAnswers]) -> tuple[Finding, ...]:
    """Return what the checks find; the runs of each format are checked together."""
    by_format: defaultdict[str, list[MatchedAnswers]] = defaultdict(list)
    for run in runs:
        by_format[run.imported.format].append(run)
    return tuple(
        finding
        for group in map(CheckedRuns, by_format.values())
        for check in (*SCORE_CHECKS, *ANSWER_CHECKS)
        for finding in check(group)
    )
