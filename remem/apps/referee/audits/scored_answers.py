"""Score the answers of all sources by the same rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.imports.written_run import imported_config
from remem.metrics.question_scores import f1
from remem.metrics.refusal import gold_answers
from remem.protocols import GradesByGold, Judge
from remem.results.judging import verdict_on


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer to a question: its number of words, and its scores.

    `published` is the verdict of the main judge of the source, or None without a verdict. `rules`
    is the verdict of `judge=rules`. `f1` is F1 by the convention of the data set, or None if the
    answer has no such score.
    """

    query_id: str
    words: int
    published: float | None
    rules: float
    f1: float | None


def scored_answers(
    runs: Sequence[MatchedAnswers], judge: Judge | GradesByGold, overrides: Sequence[str]
) -> list[ScoredAnswer]:
    """Score the answers of the runs of one system; errors have no score."""
    convention = imported_config(runs[0], overrides).score_convention()
    scored = []
    for run in runs:
        for matched, record in zip(run.answers, run.records, strict=True):
            if record.status == "ok":
                shown = gold_answers(record.gold, convention.refusal_gold)
                verdict, _ = verdict_on(judge, record.question, record.gold, shown, record.answer)
                scored.append(
                    ScoredAnswer(
                        query_id=record.query_id,
                        words=len(record.answer.split()),
                        published=matched.answer.verdicts.get(run.imported.main),
                        rules=float(verdict),
                        f1=f1(record, convention),
                    )
                )
    return scored
