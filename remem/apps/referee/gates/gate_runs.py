"""Freeze a run as the baseline of a gate, or compare a run with a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.apps.referee.gates.gate import Gated, gate
from remem.apps.referee.gates.gate_baseline import Baseline, check_shares, frozen, with_scores
from remem.apps.referee.gates.gate_baseline_file import read_baseline
from remem.config.settings import checked_convention
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.metrics.convention import Score, ScoreConvention
from remem.metrics.question_scores import REFUSALS
from remem.results.conventions import named_scores
from remem.results.run import Run


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """Where to find scores that are not part of remem: a config folder, and allowed packages."""

    config_dir: Path | None = None
    packages: Sequence[str] = ()

    def scores(self, names: Sequence[str], run: Run) -> tuple[Score, ...]:
        """Return the scores with these names, in the order of the names.

        Raises:
            UsageError: A score is unknown, or a higher value of it is neither better nor worse.
        """
        refusals = [name for name in names if name in REFUSALS]
        if refusals:
            raise UsageError(
                f"a gate cannot compare {refusals[0]!r}, because a higher value is neither better "
                f"nor worse; choose another score"
            )
        scores = {
            score.name: score for score in named_scores(names, [run], *self._opening_arguments)
        }
        return tuple(scores[name] for name in dict.fromkeys(names))

    @property
    def _opening_arguments(self) -> tuple[Path | None, Sequence[str]]:
        return self.config_dir, self.packages


def freeze_run(folder: Path, names: Sequence[str], source: ScoreSource) -> Baseline:
    """Return a baseline made from a run, scored by its own convention.

    Args:
        folder: The folder of the run.
        names: The scores to freeze; if empty, the judge's score or, without a judge, the dataset's
            first score.
        source: Where further scores are found.

    Raises:
        FailedQuestionsError: A question of the run failed.
        UsageError: A score is unknown or is a count, or no question has the score.
    """
    run = Run.open(folder, source.packages)
    convention = run.config.score_convention()
    chosen = names or [run.main_score]
    convention = with_scores(convention, source.scores(chosen, run))
    if not _asks_a_judge(convention):
        return frozen(run, convention, "", {})
    return frozen(run, convention, run.judge, run.verdicts)


def baseline_of(path: Path, names: Sequence[str], source: ScoreSource) -> Baseline:
    """Read the baseline in a file or, if `path` is the folder of a run, freeze this run."""
    return freeze_run(path, names, source) if path.is_dir() else read_baseline(path)


def gate_run(
    run: Run, baseline: Baseline, names: Sequence[str], margin: float, source: ScoreSource
) -> Gated:
    """Score a run as its baseline was scored, and compare the two.

    Args:
        run: The run.
        baseline: The baseline.
        names: The scores to decide on; if empty, all scores of the baseline.
        margin: The largest drop that is accepted, as a share.
        source: Where further scores are found.

    Raises:
        VerificationFailedError: A question of the baseline is missing in the run, or changed.
        FailedQuestionsError: A question of the run failed.
        UsageError: The baseline does not have a score, or the run has no verdicts of the baseline's
            judge.
    """
    convention = _convention(run, baseline, names or baseline.run.scores, source)
    return gate(
        baseline,
        run.records,
        convention,
        margin=margin,
        verdicts=_verdicts(run, baseline, convention),
        data={file.name: file.sha256 for file in run.manifest.data},
        name=run.folder.as_posix(),
    )


def _convention(
    run: Run, baseline: Baseline, names: Sequence[str], source: ScoreSource
) -> ScoreConvention:
    baseline_scores = baseline.run.scores
    for name in names:
        if name not in baseline_scores:
            raise UsageError(
                f"the baseline has no score {name!r}; choose {either(baseline_scores)}"
                f"{did_you_mean(name, baseline_scores)}, or freeze a new baseline with "
                f"--score {name}"
            )
    convention = checked_convention(baseline.run.convention, source.scores(names, run))
    check_shares(convention)
    return convention


def _verdicts(
    run: Run, baseline: Baseline, convention: ScoreConvention
) -> Mapping[str, float] | None:
    if not _asks_a_judge(convention):
        return None
    verdicts = run.under(convention).verdicts_of(baseline.run.judge)
    if not verdicts:
        raise UsageError(
            f"{run.folder} has no verdicts of {baseline.run.judge}, the judge of the baseline; ask "
            f"that judge with remem judge run"
        )
    return verdicts


def _asks_a_judge(convention: ScoreConvention) -> bool:
    return any("judge" in score.needs for score in convention.scores)
