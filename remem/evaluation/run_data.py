"""What a report shows of a run: its records with their scores, times and judge, and their means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from remem.config.run_config import RunConfig
from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import judged, judgment_files, mean_verdicts, usages
from remem.evaluation.restored_config import restored_config
from remem.evaluation.stage_usage import StageUsage
from remem.evaluation.usage import stage_prices, usage_by_stage
from remem.llm.prices import Price
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import Summary, score_questions, summarise_questions
from remem.run.store import TIMINGS, Timing, read_manifest, read_records
from remem.types import Record, Stage, Usage


@dataclass(frozen=True, slots=True)
class RunData:
    """A run as it lies in its folder, scored under a convention.

    `scores` are by query id, without the questions in error; `judge` is the file of the judge whose
    verdicts are among them, empty where there is none.
    """

    folder: Path
    config: RunConfig
    manifest: Mapping[str, Any]
    records: tuple[Record, ...]
    timings: Mapping[str, Timing]
    convention: ScoreConvention
    scores: Mapping[str, QuestionScores]
    summary: Summary
    stages: tuple[StageUsage, ...]
    prices: Mapping[Stage, Price | None]
    judge: str

    @property
    def main_score(self) -> str:
        """Return the score that says right or wrong: the judge's, else the dataset's first."""
        return "llm_judge" if self.judge else self.config.scores[0]

    @property
    def shown_scores(self) -> list[str]:
        """Return the scores that the dataset is known for, the main one first."""
        return list(dict.fromkeys((self.main_score, *self.config.scores)))

    @property
    def name(self) -> str:
        """Return the last parts of the folder, which name the run wherever it lies."""
        return "/".join(self.folder.resolve().parts[-3:])


def read_run(
    folder: Path, scoring: ScoreConvention | None = None, packages: Sequence[str] = ()
) -> RunData:
    """Read a run and score it, under its own convention if no other is given.

    Args:
        folder: The run.
        scoring: How to score it.
        packages: Those whose classes it may name, where something of it is built.

    Raises:
        UsageError: The folder holds no run.
        ValueError: A line of its files is damaged.
    """
    config = restored_config(folder, packages)
    records, convention = read_records(folder), scoring or config.score_convention()
    judge, verdicts = _verdicts(folder, records, convention, config.judgments)
    questions = score_questions(records, convention, verdicts)
    asked = [record.gold.category for record in records]
    return RunData(
        folder=folder,
        config=config,
        manifest=read_manifest(folder),
        records=records,
        timings=read_timings(folder),
        convention=convention,
        scores={question.query_id: question for question in questions},
        summary=summarise_questions(questions, asked, convention),
        stages=_stages(config, folder, records, judge),
        prices=stage_prices(config),
        judge=judge,
    )


def read_timings(folder: Path) -> dict[str, Timing]:
    """Return how long the last attempt at each question took, by query id."""
    path = folder / TIMINGS
    timings, adapter = {}, TypeAdapter(Timing)
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            break  # another process is writing it right now
        try:
            timing = adapter.validate_json(line)
        except ValidationError as error:
            message = error.errors()[0]["msg"]
            raise ValueError(
                f"{path}:{number}: not a line of times ({message}); remove the line"
            ) from error
        timings[timing.query_id] = timing
    return timings


def _stages(
    config: RunConfig, folder: Path, records: Sequence[Record], judge: str
) -> tuple[StageUsage, ...]:
    """Return what models were asked for, by a judge too that was called in after the run."""
    stages = usage_by_stage(config, folder, records)
    if not judge or any(one.stage == "judge" for one in stages):
        return stages
    asked = usages(folder / judge)
    return (*stages, StageUsage("judge", "verdict", len(asked), sum(asked, Usage()), None))


def _verdicts(
    folder: Path, records: Sequence[Record], convention: ScoreConvention, configured: str | None
) -> tuple[str, Mapping[str, float] | None]:
    """Return what the configured judge said, or the first that has seen the run."""
    files = {path.name: path for path in judgment_files(folder)}
    if not files:
        return "", None
    name = configured if configured in files else next(iter(files))
    correct = judged(files[name])
    repeats = 1 + max((case.repeat for case in correct), default=0)
    verdicts = mean_verdicts(correct, cases_of(records, convention.refusal_gold, repeats))
    return (name, verdicts) if verdicts else ("", None)
