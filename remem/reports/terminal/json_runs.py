"""What `remem run --json`, `remem score --json` and `remem compare --json` print."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.metrics.intervals import Interval
from remem.metrics.refusal import RefusalScores
from remem.reports.terminal.json_written import Questions, Score, Unit
from remem.results.compare import Comparison, TableTest
from remem.results.costs import RunCosts, StageUsage
from remem.results.rescore import JudgeCalls, Rescored, ScoreEstimate
from remem.tables.costs import RowCosts


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutput:
    """A run: its folder, the file of its scores, and the scores themselves."""

    command: str = "run"
    label: str
    dataset: str
    folder: Path
    scores_file: Path
    questions: Questions
    scores: tuple[Score, ...]
    usage: tuple[StageUsage, ...]
    costs: RunCosts
    notes: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoredScore:
    """A mean with its intervals over single questions and over clusters of questions."""

    score: str
    heading: str
    category: str | None
    unit: Unit
    over_questions: Interval
    over_clusters: Interval


@dataclass(frozen=True, slots=True)
class Way:
    """The scores of one convention, or of corrected labels."""

    name: str
    scores: tuple[RescoredScore, ...]
    refusals: RefusalScores
    judge_calls: tuple[JudgeCalls, ...]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run in all the ways it was scored."""

    folder: Path
    ways: tuple[Way, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOutput:
    """Runs that were scored again."""

    command: str = "score"
    runs: tuple[ScoredRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOutput:
    """The paired difference of two runs, first minus second, in the unit of the score."""

    command: str = "compare"
    first: Path
    second: Path
    score: str
    category: str | None
    comparison: Comparison
    table_tests: tuple[TableTest, ...]
    costs: tuple[RowCosts, ...]
    notes: tuple[str, ...]
    page: Path | None


def way_of(found: Rescored) -> Way:
    """Return one way of scoring as it is written."""
    scores = tuple(
        _rescored(name, category, estimate)
        for (name, category), estimate in found.estimates.items()
    )
    return Way(found.name, scores, found.refusal, found.judge_calls)


def scored_run(folder: Path, found: Sequence[Rescored], notes: Sequence[str]) -> ScoredRun:
    """Return a run that was scored again as it is written."""
    return ScoredRun(folder, tuple(map(way_of, found)), tuple(notes))


def _rescored(name: str, category: str | None, estimate: ScoreEstimate) -> RescoredScore:
    return RescoredScore(
        score=name,
        heading=estimate.heading,
        category=category,
        unit="share" if estimate.share else "count",
        over_questions=estimate.over_questions,
        over_clusters=estimate.over_clusters,
    )
