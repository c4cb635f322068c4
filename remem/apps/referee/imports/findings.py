"""Run all checks on imported runs of any format."""

from collections import defaultdict
from collections.abc import Sequence

from remem.apps.referee.imports.answer_checks import ANSWER_CHECKS
from remem.apps.referee.imports.checked_runs import CheckedRuns, Finding
from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.imports.score_checks import SCORE_CHECKS
from remem.apps.referee.imports.system_ranking import RankedPairs


def find(runs: Sequence[MatchedAnswers], ranked: Sequence[RankedPairs]) -> tuple[Finding, ...]:
    """Return the findings of all checks; the runs of one format are checked together."""
    by_format: defaultdict[str, list[MatchedAnswers]] = defaultdict(list)
    for run in runs:
        by_format[run.imported.format].append(run)
    return tuple(
        finding
        for format, group in by_format.items()
        for check in (*SCORE_CHECKS, *ANSWER_CHECKS)
        for finding in check(CheckedRuns(group, [each for each in ranked if each.format == format]))
    )
