"""The choices a score depends on, by name (`conf/convention`, key `score`).

They are no part of a run's fingerprint: records can be scored again under another convention.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from remem.metrics.refusal import RefusalDetection, RefusalGold

F1Rule = Literal["hipporag2", "locomo_official", "released_comma_cut", "mem0"]
BleuRule = Literal["evaluate", "mem0"]
MultiAnswerGold = Literal["joined", "set"]
BootstrapUnit = Literal["questions", "clusters"]

MOST_RESAMPLES = 100_000
"""More say nothing more, and take the memory that a stranger asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreConvention:
    """How answers are scored and what the intervals resample."""

    refusal_detection: RefusalDetection
    refusal_gold: RefusalGold
    f1: F1Rule
    bleu: BleuRule
    multi_answer_gold: MultiAnswerGold
    bootstrap_unit: BootstrapUnit
    resamples: int
    seed: int

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
                f"convention.score.resamples is {self.resamples:,}: give 1 to {MOST_RESAMPLES:,}"
            )


def _check_name(key: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"convention.score.{key} is {name!r}, expected one of: {', '.join(known)}")
