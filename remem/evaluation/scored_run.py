"""Open a run and compute the scores of its questions, their means, and its model usage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import judged, judgment_files, mean_verdicts, usages
from remem.evaluation.stage_usage import StageUsage
from remem.evaluation.usage import stage_prices, usage_by_stage
from remem.llm.prices import Price
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import Summary, score_questions, summarise_questions
from remem.run.opened_run import Run
from remem.types import Stage, Usage


@dataclass(frozen=True)
class ScoredRun(Run):
    """A run with the scores of its answers under a convention.

    `scores` are by query id, without failed questions. `judge` is the name of the file of the judge
    whose verdicts the scores include; "" without a judge.
    """

    convention: ScoreConvention
    scores: Mapping[str, QuestionScores]
    summary: Summary
    stages: tuple[StageUsage, ...]
    prices: Mapping[Stage, Price | None]
    judge: str

    @property
    def main_score(self) -> str:
        """The score that decides right or wrong: the judge's, or else the dataset's first."""
        return "llm_judge" if self.judge else self.config.scores[0]

    @property
    def main_heading(self) -> str:
        """The heading of the main score."""
        return self.convention.heading(self.main_score)

    @property
    def shown_scores(self) -> list[str]:
        """The main score, then the other scores of the dataset and the scores added to the run."""
        return list(dict.fromkeys((self.main_score, *self.config.scores)))


def read_scored_run(
    folder: Path, scoring: ScoreConvention | None = None, packages: Sequence[str] = ()
) -> ScoredRun:
    """Open a run and score it.

    Args:
        folder: The folder of the run.
        scoring: How to score it; None uses its own convention.
        packages: Further packages whose classes the run may name.

    Raises:
        UsageError: The folder does not contain a run.
        ValueError: A line of its files is damaged.
    """
    return scored_run(Run.open(folder, packages), scoring)


def scored_run(run: Run, scoring: ScoreConvention | None = None) -> ScoredRun:
    """Score a run, by its own convention unless another is given."""
    convention = scoring or run.config.score_convention()
    judge, verdicts = verdicts_of(run, convention)
    questions = score_questions(run.records, convention, verdicts)
    asked = [record.gold.category for record in run.records]
    return ScoredRun(
        **{of.name: getattr(run, of.name) for of in fields(run)},
        convention=convention,
        scores={question.query_id: question for question in questions},
        summary=summarise_questions(questions, asked, convention),
        stages=_stages(run, judge),
        prices=stage_prices(run.config),
        judge=judge,
    )


def _stages(run: Run, judge: str) -> tuple[StageUsage, ...]:
    """Return the model usage by stage, including a judge that was asked after the run."""
    stages = usage_by_stage(run.config, run.folder, run.records)
    if not judge or any(stage.stage == "judge" for stage in stages):
        return stages
    asked = usages(run.folder / judge)
    return (*stages, StageUsage("judge", "verdict", len(asked), sum(asked, Usage()), None))


def verdicts_of(
    run: Run, convention: ScoreConvention, judge: str = ""
) -> tuple[str, Mapping[str, float] | None]:
    """Return file name and verdicts of a judge of a run; ("", None) if it has none.

    Args:
        run: The run.
        convention: How refusals count, which decides what the judge was shown.
        judge: The file of the judge; "" for the configured one, or else the first that is found.
    """
    files = {path.name: path for path in judgment_files(run.folder)}
    configured = judge or run.config.judgments
    name = configured if configured in files or judge else next(iter(files), None)
    if name is None or name not in files:
        return "", None
    correct = judged(files[name])
    repeats = 1 + max((case.repeat for case in correct), default=0)
    verdicts = mean_verdicts(correct, cases_of(run.records, convention.refusal_gold, repeats))
    return (name, verdicts) if verdicts else ("", None)
