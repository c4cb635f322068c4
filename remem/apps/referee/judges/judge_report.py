"""All results about the judges of some runs, in one object for every kind of output."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from remem.apps.referee.judges.asked_again import AskedAgain, asked_again
from remem.apps.referee.judges.corrected_scores import by_category, by_system
from remem.apps.referee.judges.judge_calibration import (
    CorrectedRow,
    ErrorRow,
    Labels,
    corrected_rows,
    error_rows,
)
from remem.apps.referee.judges.judge_rankings import (
    JudgeRanking,
    RankingPair,
    Scores,
    compare_rankings,
    ranking,
    scores_by,
)
from remem.apps.referee.judges.judged_answers import RIGHT, JudgedAnswer, JudgeRule
from remem.config.suggestions import either
from remem.errors import UsageError

CORRECTIONS: Mapping[
    str, Callable[[Sequence[JudgedAnswer], Labels, JudgeRule], dict[tuple[str, str], float] | None]
] = {"corrected by category": by_category, "corrected by system": by_system}


@dataclass(frozen=True, slots=True)
class Truth:
    """Labels, and where they are from: a sheet of labels, or the verdicts of another judge."""

    name: str
    labels: Labels
    is_judge: bool


@dataclass(frozen=True, slots=True)
class Coverage:
    """A judge, the number of answers that it judged, and the share that it accepted."""

    rule: JudgeRule
    answers: int
    accepted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport:
    """The judges of runs of one data set.

    `errors` and `corrected` are empty without labels. `rankings` and `pairs` are empty with a
    single system; each pair compares the first ranking with another one.
    """

    dataset: str
    runs: int
    systems: int
    answers: int
    questions: int
    truth: str
    truth_is_judge: bool
    labelled: int
    judges: tuple[Coverage, ...]
    errors: tuple[ErrorRow, ...]
    corrected: tuple[CorrectedRow, ...]
    rankings: tuple[JudgeRanking, ...]
    pairs: tuple[RankingPair, ...]
    again: tuple[AskedAgain, ...]


def judge_report(
    dataset: str,
    answers: Sequence[JudgedAnswer],
    rules: Sequence[JudgeRule],
    truth: Truth | None,
    reference: str | None = None,
) -> JudgeReport:
    """Return the errors, corrections, rankings and contradictions of judges.

    Args:
        dataset: The name of the data set.
        answers: The judged answers of all runs.
        rules: The judges.
        truth: The labels; if None, the report has only the results that need no labels.
        reference: The name of the ranking that all others are compared with; None for the first
            ranking.

    Raises:
        UsageError: No ranking has that name.
    """
    labels = {} if truth is None else truth.labels
    tested = [rule for rule in rules if truth is None or rule.judge != truth.name]
    ranked = _led_by(reference, list(_ranked(answers, labels, rules, truth)))
    pairs = (compare_rankings(answers, ranked[0], other) for other in ranked[1:])
    return JudgeReport(
        dataset=dataset,
        runs=len({answer.run for answer in answers}),
        systems=len({answer.system for answer in answers}),
        answers=len(answers),
        questions=len({answer.query_id for answer in answers}),
        truth="" if truth is None else truth.name,
        truth_is_judge=truth is not None and truth.is_judge,
        labelled=sum(answer.key in labels for answer in answers),
        judges=tuple(_coverage(answers, rule) for rule in rules),
        errors=tuple(error_rows(answers, labels, tested)) if labels else (),
        corrected=(
            tuple(corrected_rows(answers, labels, tested))
            if truth is not None and not truth.is_judge
            else ()
        ),
        rankings=tuple(ranking(name, answers, scores) for name, scores in ranked),
        pairs=tuple(pair for pair in pairs if pair is not None),
        again=tuple(again for rule in rules if (again := asked_again(answers, rule))),
    )


def truth_of_judge(judge: str, answers: Sequence[JudgedAnswer]) -> Truth:
    """Return the verdicts of a judge as labels.

    Raises:
        UsageError: No judge has this name.
    """
    judges = sorted({name for answer in answers for name in answer.verdicts})
    if judge not in judges:
        raise UsageError(f"no judge is named {judge!r}; the judges are {', '.join(judges)}")
    verdicts = ((answer.key, answer.verdict(judge)) for answer in answers)
    labels = {key: verdict >= RIGHT for key, verdict in verdicts if verdict is not None}
    return Truth(judge, labels, is_judge=True)


def _ranked(
    answers: Sequence[JudgedAnswer],
    labels: Labels,
    rules: Sequence[JudgeRule],
    truth: Truth | None,
) -> Iterator[tuple[str, Scores]]:
    """Yield the scores to rank systems by: those of each judge, then corrected scores."""
    by_rule = {rule: scores_by(rule, answers) for rule in rules}
    systems = {answer.key: answer.system for answer in answers}
    for rule, scores in by_rule.items():
        if len({systems[key] for key in scores}) > 1:
            yield rule.name, scores
    if truth is None or truth.is_judge:
        return
    for rule in (rule for rule in rules if rule.right_from == RIGHT):
        if by_rule[rule].keys() <= labels.keys():
            continue  # the labels themselves are the corrected scores
        for name, correct in CORRECTIONS.items():
            corrected = correct(answers, labels, rule)
            if corrected is not None:
                yield f"{rule.name}, {name}", corrected


def _led_by(
    reference: str | None, ranked: Sequence[tuple[str, Scores]]
) -> list[tuple[str, Scores]]:
    """Return the rankings with the reference first."""
    names = [name for name, _ in ranked]
    if reference is not None and reference not in names:
        raise UsageError(f"no ranking is named {reference!r}; choose {either(names)}")
    return sorted(ranked, key=lambda named: named[0] != reference)


def _coverage(answers: Sequence[JudgedAnswer], rule: JudgeRule) -> Coverage:
    scores = scores_by(rule, answers)
    return Coverage(rule, len(scores), sum(scores.values()) / max(1, len(scores)))
