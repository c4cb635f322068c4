"""How often a judge contradicts itself when it is asked again about the same answer.

A judge is asked again if it has repeats, or if two runs gave the same answer to the same question.
Answers that differ only in citations in square brackets count as the same.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from remem.apps.referee.judges.judged_answers import JudgedAnswer, JudgeRule
from remem.apps.referee.judges.question_draws import DrawnInterval, QuestionDraws, drawn_interval
from remem.judge.rules_judge import without_citations
from remem.metrics.intervals import Share, share


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """How often the verdicts on the same answer differ.

    `answers` counts the distinct answers with several verdicts. Of these, `flipped` were called
    both right and wrong, and `regraded` got different grades. `drawn` is the share of flipped
    answers with an interval over questions.
    """

    rule: JudgeRule
    verdicts: int
    answers: int
    flipped: int
    regraded: int
    questions: int
    drawn: DrawnInterval | None

    @property
    def share(self) -> Share:
        """The share of answers whose verdict flipped."""
        return share(self.flipped, self.answers)


def asked_again(answers: Sequence[JudgedAnswer], rule: JudgeRule) -> AskedAgain | None:
    """Return how often a judge contradicts itself; None if it was never asked again."""
    right_from = rule.right_from
    if right_from is None:
        return None
    groups: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for answer in answers:
        *question_fields, verdict = answer.content
        text = " ".join(without_citations(verdict).split())
        groups[answer.query_id, *question_fields, text] += answer.verdicts.get(rule.judge, ())
    again = {key: grades for key, grades in groups.items() if len(grades) > 1}
    if not again:
        return None
    flips = [len({grade >= right_from for grade in grades}) > 1 for grades in again.values()]
    questions = [key[0] for key in again]
    draws = QuestionDraws.of(questions)
    sums = draws.sums(np.array([(float(flip), 1.0) for flip in flips]), questions)
    return AskedAgain(
        rule=rule,
        verdicts=sum(map(len, again.values())),
        answers=len(again),
        flipped=sum(flips),
        regraded=sum(len(set(grades)) > 1 for grades in again.values()),
        questions=len(draws.questions),
        drawn=drawn_interval(sums[:, 0] / sums[:, 1]) if len(draws.questions) > 1 else None,
    )
