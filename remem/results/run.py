"""A run read back from its folder, finished or not: records, verdicts, scores and costs.

Callers open a run once and share the object. Anything beyond the manifest and the records is read
or computed at first use, and cached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from remem.config.run_config import RunConfig
from remem.files.disk import write_whole
from remem.files.notebook_html import html_rows
from remem.llm.budget import Price
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import Summary, score_questions, summarise_questions, summary_json
from remem.results.costs import RunCosts, StageUsage, costs_of, stage_prices, usage_by_stage
from remem.results.restored_config import restored_config
from remem.results.verdicts import (
    configured_verdicts,
    judgment_files,
    judgment_usages,
    mean_verdicts,
)
from remem.run.memory_checks import MemoryCheck, read_memory_checks
from remem.run.run_manifest import RunManifest
from remem.run.run_result import EarlierCheckpoints, RunResult
from remem.run.store import Timing, read_manifest, read_records, read_timings
from remem.types import Record, Stage

SCORES = "scores.json"
SHOWN_IN_NOTEBOOK = 10
"""The number of questions that a notebook shows of a run; a report shows all."""


@dataclass(frozen=True)  # without slots, so that read values are cached
class Run:
    """A run read back: its configuration, its manifest, and the last record of every question.

    The records are sorted by history and index. `not_asked` and `earlier` mean the same as in
    `RunResult`. `scoring` replaces the run's own convention. `any_judge` allows the verdicts of
    another judge if the configured one has none.
    """

    folder: Path
    config: RunConfig
    manifest: RunManifest
    records: tuple[Record, ...]
    not_asked: tuple[Record, ...] = ()
    earlier: EarlierCheckpoints = field(default_factory=EarlierCheckpoints)
    scoring: ScoreConvention | None = None
    any_judge: bool = False

    @staticmethod
    def open(
        folder: Path,
        packages: Sequence[str] = (),
        *,
        data: str | None = None,
    ) -> "Run":
        """Open a run, which may be untrusted: no component is built, and no file is written.

        Args:
            folder: The folder of the run.
            packages: The packages whose classes the run's configuration is allowed to refer to,
                for components that are built later.
            data: The folder of the data sets; None for the folder in conf.

        Raises:
            UsageError: The folder does not hold a run.
            ValueError: A record is damaged, or a value of its manifest has the wrong type.
            MissingRecordsError: The run has fewer records than its manifest counts.
        """
        manifest = read_manifest(folder)
        config = restored_config(folder, manifest, packages, data=data)
        return Run(folder, config, manifest, read_records(folder), any_judge=True)

    @staticmethod
    def of(config: RunConfig, result: RunResult) -> "Run":
        """Return the run that has this configuration and this result."""
        return Run(
            result.folder,
            config,
            read_manifest(result.folder),
            result.records,
            result.not_asked,
            result.earlier,
        )

    def under(self, convention: ScoreConvention) -> "Run":
        """Return the run scored by another convention."""
        return self if convention == self.convention else replace(self, scoring=convention)

    @property
    def name(self) -> str:
        """The last parts of the folder's path, which do not depend on where results are stored."""
        return "/".join(self.folder.resolve().parts[-3:])

    def _repr_html_(self) -> str:
        rows = [
            (record.query_id, record.question, record.answer or record.error, record.status)
            for record in self.records[:SHOWN_IN_NOTEBOOK]
        ]
        shown = f"{self.name}: the first {len(rows)} of {len(self.records)} questions"
        return html_rows(("id", "question", "answer", "status"), rows, shown)

    @property
    def failures(self) -> tuple[str, ...]:
        """The error of each failed question."""
        return tuple(record.error for record in self.records if record.status == "error")

    @cached_property
    def timings(self) -> Mapping[str, Timing]:
        """The timing of the last attempt at each question, by query id."""
        return read_timings(self.folder)

    @cached_property
    def memory_checks(self) -> tuple[MemoryCheck, ...]:
        """The checks of the memory before the first question; none if it was not checked."""
        return read_memory_checks(self.folder)

    @cached_property
    def convention(self) -> ScoreConvention:
        """The convention by which the answers are scored."""
        return self.scoring or self.config.score_convention()

    @property
    def judge(self) -> str:
        """The file name of the judge whose verdicts the scores include; "" if there is no judge."""
        return self._judged[0]

    @property
    def verdicts(self) -> Mapping[str, float]:
        """The share of the judge's verdicts on each question that are "correct", by query id."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> tuple[str, Mapping[str, float]]:
        configured = self.config.judgments
        if not self.any_judge:
            return configured or "", configured_verdicts(self.config, self.folder, self.records)
        names = [path.name for path in judgment_files(self.folder)]
        judge = configured if configured in names else next(iter(names), "")
        verdicts = self.verdicts_of(judge or "")
        return (judge or "", verdicts) if verdicts else ("", {})

    def verdicts_of(self, judge: str) -> Mapping[str, float]:
        """Return the verdicts in the file of a judge, by query id; empty if there is no file."""
        files = {path.name: path for path in judgment_files(self.folder)}
        if judge not in files:
            return {}
        return mean_verdicts(files[judge], self.records, self.convention.refusal_gold)

    @cached_property
    def scores(self) -> Mapping[str, QuestionScores]:
        """The scores of each question by query id, without failed questions."""
        questions = score_questions(self.records, self.convention, self.verdicts)
        return {question.query_id: question for question in questions}

    @cached_property
    def summary(self) -> Summary:
        """The means of the scores."""
        categories = [record.gold.category for record in self.records]
        return summarise_questions(tuple(self.scores.values()), categories, self.convention)

    @property
    def main_score(self) -> str:
        """The score that decides right or wrong.

        It is the judge's score if there is a judge, else the first score of the dataset.
        """
        return "llm_judge" if self.judge else self.config.scores[0]

    @property
    def main_heading(self) -> str:
        """The heading of the main score."""
        return self.convention.heading(self.main_score)

    @property
    def shown_scores(self) -> list[str]:
        """The main score, then the other scores of the dataset and the scores added to the run."""
        return list(dict.fromkeys((self.main_score, *self.config.scores)))

    @cached_property
    def prices(self) -> Mapping[Stage, Price | None]:
        """For each stage, the price of its model; None if the price is unknown."""
        return stage_prices(self.config)

    @cached_property
    def stages(self) -> tuple[StageUsage, ...]:
        """The usage of each stage that called a model, and of a judge that was asked later."""
        judged = judgment_usages(self.folder / self.judge) if self.judge else []
        prices = dict(self.prices)
        if self.judge != self.config.judgments:
            prices["judge"] = None
        stages = usage_by_stage(self.manifest, self.records, judged, prices)
        return tuple(
            stage
            for stage in stages
            if stage.usage.calls or (stage.stage == "judge" and self.judge and self.any_judge)
        )

    @cached_property
    def costs(self) -> RunCosts:
        """The costs of the run: percentiles of its seconds, tokens and dollars."""
        return self.costs_of(self.records)

    def costs_of(self, records: Sequence[Record]) -> RunCosts:
        """Return the costs of these records, and of indexing their histories."""
        return costs_of(self.config, self.manifest, self.timings, records)

    def write_scores(self) -> Path:
        """Write the scores of the questions asked, and scores.json for all records of the run.

        If no limit is set, there is only scores.json.

        Returns:
            The file that holds the scores of the questions asked.
        """
        scores_path = self.folder / scores_name(self.config.histories, self.config.limit)
        write_scores(scores_path, self.summary)
        if scores_path.name != SCORES:
            whole = replace(self, records=(*self.records, *self.not_asked), not_asked=())
            write_scores(self.folder / SCORES, (whole if self.not_asked else self).summary)
        return scores_path


def scores_name(histories: object, limit: object) -> str:
    """Return the name of the score file for all questions, or for a part of them.

    Args:
        histories: The largest number of histories; None for no limit.
        limit: The largest number of questions per history; None for no limit.

    >>> scores_name(None, None), scores_name(None, 5), scores_name(2, 5)
    ('scores.json', 'scores.limit=5.json', 'scores.histories=2,limit=5.json')
    """
    limits = {"histories": histories, "limit": limit}
    part = ",".join(f"{name}={count}" for name, count in limits.items() if count is not None)
    return f"scores.{part}.json" if part else SCORES


def write_scores(path: Path, summary: Summary) -> None:
    """Write a summary as JSON."""
    write_whole(path, summary_json(summary))
