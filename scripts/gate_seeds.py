"""How often `remem gate` finds a planted drop and passes noise, over many seeds.

python scripts/gate_seeds.py               (200 seeds for each row; --rows 1 for the first alone)

Each seed makes a baseline and a run of made-up answers: a share of the questions differs, as many
more become wrong as the planted drop says, and the rest is chance. The gate then decides as it does
on a real run, categories included. "Expected" is what its own power line says.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from remem.config.run_config import compose_config, run_config
from remem.evaluation.gate import gate
from remem.evaluation.gate_baseline import (
    Baseline,
    BaselineRun,
    FrozenQuestion,
    question_sum,
    with_scores,
)
from remem.metrics.convention import ScoreConvention
from remem.metrics.noninferiority import gate_power, planned_error
from remem.metrics.proportion import share
from remem.types import Gold, Record

SEEDS, RESAMPLES, CATEGORIES = 200, 999, 5
RIGHT = 0.6
"""The share of right answers in the baseline."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A size of the gate, and how two runs differ; `histories` is 0 for independent questions.

    `together` is the standard deviation, over histories, of the drop of a history.
    """

    questions: int
    differing: float
    margin: float
    drop: float
    histories: int = 0
    together: float = 0.0


SETTINGS = (
    Setting(1000, 0.15, 0.04, 0.05),
    Setting(500, 0.15, 0.04, 0.05),
    Setting(200, 0.15, 0.04, 0.05),
    Setting(1000, 0.15, 0.04, 0.05, histories=10),
    Setting(1000, 0.15, 0.04, 0.05, histories=10, together=0.05),
    Setting(1000, 0.30, 0.04, 0.05),
    # Every question that differs got worse, by as much as the margin in all.
    Setting(200, 0.04, 0.04, 0.04),
    Setting(100, 0.04, 0.04, 0.04),
)


def main() -> None:
    """Print a row of Markdown for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--rows", type=int, default=len(SETTINGS), help="only the first rows")
    chosen = parser.parse_args()
    print("| questions | histories | differing | margin | drop | found | noise passed | expected |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for setting in SETTINGS[: chosen.rows]:
        print(f"| {' | '.join(row(setting, chosen.seeds))} |", flush=True)


def row(setting: Setting, seeds: int) -> Iterator[str]:
    """Yield the cells of a setting."""
    failed = sum(not passes(setting, seed) for seed in range(seeds))
    passed = sum(passes(replace(setting, drop=0.0), seed) for seed in range(seeds))
    units = setting.histories or setting.questions
    error = planned_error(setting.differing, setting.questions)
    yield f"{setting.questions:,}"
    together = " (together)" if setting.together else ""
    yield f"{setting.histories}{together}" if setting.histories else ""
    yield f"{100 * setting.differing:.0f}%"
    yield f"{100 * setting.margin:g}"
    yield f"{100 * setting.drop:g}"
    for found in (share(failed, seeds), share(passed, seeds)):
        yield f"{100 * found.mean:.1f}% [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    yield f"{100 * gate_power(error, units, setting.margin).unchanged_passes:.0f}%"


def passes(setting: Setting, seed: int) -> bool:
    """Return whether the gate passes for the answers of a seed."""
    rng = np.random.default_rng(seed)
    before = rng.random(setting.questions) < RIGHT
    now = changed(before, setting, rng)
    records = [answered(at, setting, right=bool(right)) for at, right in enumerate(now)]
    baseline = frozen(setting, before, scoring())
    return gate(baseline, records, scoring(), margin=setting.margin).has_passed


def changed(
    before: NDArray[np.bool_], setting: Setting, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which answers are right after a change with the drop of the setting.

    A right answer becomes wrong with probability (differing + drop) / 2 over the share of right
    answers, and a wrong one right with (differing - drop) / 2 over the rest.
    """
    drop = np.full(setting.questions, setting.drop)
    if setting.together:
        by_history = rng.normal(setting.drop, setting.together, setting.histories)
        drop = by_history[np.arange(setting.questions) % setting.histories]
    drop = np.clip(drop, -setting.differing, setting.differing)
    lost = (setting.differing + drop) / 2 / RIGHT
    gained = (setting.differing - drop) / 2 / (1 - RIGHT)
    flips: NDArray[np.bool_] = rng.random(setting.questions) < np.where(before, lost, gained)
    return np.logical_xor(before, flips)


def answered(at: int, setting: Setting, *, right: bool) -> Record:
    """Return the record of a question."""
    group = f"h{at % setting.histories}" if setting.histories else ""
    gold = Gold(("yes",), f"{at // 50 % CATEGORIES}", group=group)
    answer = "yes" if right else "no"
    return Record(f"q{at}", "made up", at, f"Question {at}?", gold, "ok", answer=answer)


def frozen(setting: Setting, right: NDArray[np.bool_], convention: ScoreConvention) -> Baseline:
    """Return the baseline of these answers."""
    run = BaselineRun(
        label="made up",
        dataset="made up",
        fingerprint="",
        convention=convention.chosen,
        judge="",
        scores=convention.score_names,
        data={},
        records="",
        questions=setting.questions,
    )
    questions = (
        replace(question, scores=(float(is_right),))
        for question, is_right in zip(
            unanswered(setting.questions, setting.histories), right, strict=True
        )
    )
    return Baseline(run, tuple(questions))


@cache
def unanswered(questions: int, histories: int) -> tuple[FrozenQuestion, ...]:
    """Return the frozen questions, without scores."""
    setting = Setting(questions, 0.0, 0.0, 0.0, histories)
    asked = (answered(at, setting, right=True) for at in range(questions))
    return tuple(
        FrozenQuestion(
            record.query_id,
            question_sum(record),
            record.gold.category,
            record.index % (histories or questions),
            (),
        )
        for record in asked
    )


@cache
def scoring() -> ScoreConvention:
    """Return the paper's convention with exact match alone, and fewer resamples."""
    config = run_config(compose_config([f"convention.score.resamples={RESAMPLES}"]))
    convention = config.score_convention()
    em = [score for score in convention.scores if score.name == "em"]
    return with_scores(convention, em)


if __name__ == "__main__":
    main()
