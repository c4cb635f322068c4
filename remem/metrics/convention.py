"""The scores of questions and the rules for them (`conf/convention`, `conf/scores.yaml`).

Scores and rules are not part of a run's fingerprint, so its records can be scored again under
another convention.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Literal, get_args

from remem.metrics.columns import REFUSAL_HEADINGS
from remem.metrics.refusal import RefusalDetection, RefusalGold
from remem.types import Record

F1Rule = Literal["hipporag2", "locomo_official", "released_comma_cut", "mem0", "characters"]
BleuRule = Literal["evaluate", "mem0", "characters"]
MultiAnswerGold = Literal["joined", "set"]
BootstrapUnit = Literal["questions", "clusters"]

MOST_RESAMPLES = 100_000
"""The largest accepted number of resamples, which limits the memory that a run may take."""


Need = Literal["evidence", "judge"]
"""What a score needs besides answer and gold: the gold evidence or a judge's verdicts."""
ScoreFunction = Callable[[Record, "ScoreConvention"], float | None]
"""Returns the score of an answered question; None if it has no such score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score, as configured in `conf/scores.yaml`.

    `name` is its key in files and on the command line. `heading` is its name in tables, reports and
    comparisons. Shares are shown in per cent and tested for significance in tables; counts are
    shown unchanged. A score without a function is a judge's share of "correct" verdicts.
    """

    name: str
    heading: str
    unit: Literal["share", "count"]
    better: Literal["higher", "lower"]
    needs: tuple[Need, ...] = ()
    function: ScoreFunction | None = None

    def of(
        self, record: Record, convention: "ScoreConvention", verdict: float | None
    ) -> float | None:
        """Return the score of an answered question.

        Raises:
            ValueError: `function` returns neither a finite number nor None.
        """
        if self.function is None:
            return verdict
        value = self.function(record, convention)
        if value is None or (isinstance(value, (int, float)) and isfinite(value)):
            return value
        raise ValueError(
            f"score {self.name} of question {record.query_id} is {value!r}; expected a finite "
            f"number, or None if there is no score"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreConvention:
    """The rules for scoring answers and for computing intervals, and the scores to compute."""

    refusal_detection: RefusalDetection
    refusal_gold: RefusalGold
    f1: F1Rule
    bleu: BleuRule
    multi_answer_gold: MultiAnswerGold
    bootstrap_unit: BootstrapUnit
    resamples: int
    seed: int
    scores: tuple[Score, ...] = ()

    @property
    def chosen(self) -> dict[str, str | int]:
        """Return all settings except the scores, keyed by their names in `conf/convention`."""
        names = (field.name for field in fields(self) if field.name != "scores")
        return {name: getattr(self, name) for name in names}

    @property
    def score_names(self) -> tuple[str, ...]:
        """Return the names of the scores of a question."""
        return tuple(score.name for score in self.scores)

    def heading(self, name: str) -> str:
        """Return the heading of a score, or `name` itself if it has none."""
        headings = {score.name: score.heading for score in self.scores}
        return (headings | REFUSAL_HEADINGS).get(name, name)

    def better(self, name: str) -> Literal["higher", "lower"] | None:
        """Return whether a "higher" or a "lower" score is better; None if neither is configured."""
        return next((score.better for score in self.scores if score.name == name), None)

    def is_share(self, name: str) -> bool:
        """Return whether a score is a share, to be shown in per cent and tested."""
        return any(score.name == name and score.unit == "share" for score in self.scores)

    def __post_init__(self) -> None:
        _check_name("refusal_detection", self.refusal_detection, get_args(RefusalDetection))
        _check_name("refusal_gold", self.refusal_gold, get_args(RefusalGold))
        _check_name("f1", self.f1, get_args(F1Rule))
        _check_name("bleu", self.bleu, get_args(BleuRule))
        _check_name("multi_answer_gold", self.multi_answer_gold, get_args(MultiAnswerGold))
        _check_name("bootstrap_unit", self.bootstrap_unit, get_args(BootstrapUnit))
        if self.seed < 0:
            raise ValueError(f"convention.score.seed is {self.seed}, expected at least 0")
        if not 1 <= self.resamples <= MOST_RESAMPLES:
            raise ValueError(
                f"convention.score.resamples is {self.resamples:,}, expected 1 to "
                f"{MOST_RESAMPLES:,}"
            )


def _check_name(key: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"convention.score.{key} is {name!r}, expected one of: {', '.join(known)}")
