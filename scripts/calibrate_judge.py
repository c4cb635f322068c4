"""Fit the weights of judge=likelihood on published verdicts, and print their quality.

REMEM_DATA=<folder> python scripts/calibrate_judge.py     (make tiny-llm; 30 minutes on two cores)

The folder holds answers/ and longmemeval/. The likelihoods are kept in the call store, so that a
second start asks for none.
"""

import gzip
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from remem.config.run_config import compose_config, run_config
from remem.judge.answer_features import NAMES, AnswerFeatures
from remem.judge.calibration import (
    Floats,
    Labelled,
    auc,
    best_threshold,
    drawn_rows,
    fitted,
    left_out_scores,
)
from remem.judge.likelihood_judge import LikelihoodJudge
from remem.metrics.agreement import pearson, ranks

LONGMEMEVAL, LOCOMO = "LongMemEval", "LoCoMo"
RIGHT_FROM = 50
"""Minimum grade, of 100, with which the published judgment counts an answer as right."""
RESAMPLES, SEED = 9_999, 0
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Published:
    """An answer and the grade that a model gave it, from 0 to 100 or from 0 to 1."""

    of_set: str
    question_id: str
    question: str
    gold: str
    answer: str
    grade: float
    right: bool


def main() -> int:
    """Fit, measure and print."""
    config = run_config(compose_config(["llm=smollm2", "judge=likelihood"]))
    data = Path(config.settings.paths.data)
    published = [*longmemeval(data), *locomo(data)]
    (judge,) = config.build_judges()
    if not isinstance(judge, LikelihoodJudge):
        raise TypeError("judge=likelihood is no likelihood judge")
    features = []
    for count, item in enumerate(published, 1):
        features.append(judge.features(item.question, item.gold, item.answer)[0])
        if count % 50 == 0:
            sys.stderr.write(f"{count} of {len(published)} answers\n")
    for line in told(published, features):
        sys.stdout.write(f"{line}\n")
    return 0


def longmemeval(data: Path) -> Iterator[Published]:
    """Read the 572 answers of 16 systems to 16 questions of LongMemEval-S."""
    lines = (data / "longmemeval" / "excerpt16_questions.jsonl").read_text(encoding="utf-8")
    questions = {question["id"]: question for question in map(json.loads, lines.splitlines())}
    for path in sorted((data / "answers" / "memory_arena").glob("longmemeval-s_*.json")):
        for record in json.loads(path.read_text(encoding="utf-8"))["recall_records"]:
            asked = questions[record["question_id"]]
            grade = float(record["score"]["judge_score"])
            yield Published(
                of_set=LONGMEMEVAL,
                question_id=record["question_id"],
                question=asked["question"],
                gold=str(asked["ground_truth"]["answer"]),
                answer=record["answer"],
                grade=grade,
                right=grade >= RIGHT_FROM,
            )


def locomo(data: Path) -> Iterator[Published]:
    """Read the 152 answers of one system to the questions of LoCoMo's conv-26."""
    path = data / "answers" / "agent_memory_benchmark" / "locomo_cognee_rag.json.gz"
    for record in json.loads(gzip.decompress(path.read_bytes()))["results"]:
        yield Published(
            of_set=LOCOMO,
            question_id=record["query_id"],
            question=record["query"],
            gold=str(record["gold_answers"][0]),
            answer=record["answer"],
            grade=float(record["correct"]),
            right=bool(record["correct"]),
        )


def told(published: Sequence[Published], features: Sequence[AnswerFeatures]) -> Iterator[str]:
    """Yield the lines of the report: the quality of held-out scores, and the weights."""
    data = Labelled(
        features=np.array([answer_features.values for answer_features in features]),
        right=np.array([item.right for item in published]),
        questions=[item.question_id for item in published],
        sets=[item.of_set for item in published],
    )
    grades = np.array([item.grade for item in published])
    scores = left_out_scores(data)
    by_rules = left_out_scores(replace(data, features=data.features[:, 1:]))
    threshold = best_threshold(scores, data.right, data.sets)

    def agreement(rows: Places) -> float:
        return float(((scores[rows] >= threshold) == data.right[rows]).mean())

    for name in (LONGMEMEVAL, LOCOMO):
        rows = np.flatnonzero(np.asarray(data.sets) == name)
        asked = [item.question_id for item in published if item.of_set == name]
        right = data.right[rows]
        yield f"{name}: {right.sum()} of {rows.size} right, {len(set(asked))} questions"
        for heading, measured in (
            ("AUC", lambda at, rows=rows: auc(scores[rows[at]], data.right[rows[at]])),
            ("rho", lambda at, rows=rows: rho(scores[rows[at]], grades[rows[at]])),
            ("accuracy", lambda at, rows=rows: agreement(rows[at])),
        ):
            yield f"  {heading} {with_interval(measured, asked)}"
        yield f"  AUC without the {NAMES[0]} {auc(by_rules[rows], right):.3f}"
        yield f"  rho without the {NAMES[0]} {rho(by_rules[rows], grades[rows]):.3f}"
        for place, feature in enumerate(NAMES):
            yield f"  AUC of {feature} alone {auc(data.features[rows, place], right):.3f}"
    for feature, weight in zip(("intercept", *NAMES), fitted(data), strict=True):
        yield f"    {feature}: {weight:.3f}"
    yield f"    threshold: {threshold}"


def rho(scores: Floats, grades: Floats) -> float:
    """Return Spearman's rho, or 0 if all grades are the same."""
    return pearson(ranks(scores), ranks(grades)) or 0.0


def with_interval(measured: Callable[[Places], float], questions: Sequence[str]) -> str:
    """Return a figure with its 95% interval from resampling questions, as text."""
    generator = np.random.default_rng(SEED)
    drawn = [measured(drawn_rows(questions, generator)) for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return f"{measured(np.arange(len(questions))):.3f} [{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    sys.exit(main())
