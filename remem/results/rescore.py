"""Score existing records in several ways at once, and list the verdicts that are missing.

One way of scoring is another convention (`convention.score` is not part of a run's fingerprint).
Another is to change the gold answers: known label errors of the dataset are corrected, or the
questions with such errors are left out. The user provides the errors in a file with the format of
the public LoCoMo audit (`errors.json` of dial481/locomo-audit, see datasets/locomo/README.md). A
record is scored only once for all ways that agree on the choices that affect it. Ways with the same
seed and number of resamples use the same draws for all intervals over the same number of units.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from remem.benchmarks.json_files import field, strings
from remem.files.json_text import parse_json
from remem.files.opened import read_file
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval, Ratio, Share, mean_ratio, ratio_intervals, share
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.metrics.refusal import (
    RefusalScores,
    gold_answers,
    is_unanswerable,
    refusal_scores,
)
from remem.metrics.scores import scored
from remem.results.verdicts import (
    JudgedCase,
    cases_of,
    judge_kind,
    judge_name,
    judgment_files,
    mean_of_cases,
    repeats_of,
    verdicts_by_case,
)
from remem.types import Record, Retrieved

NO_JUDGE = "any judge"
"""The placeholder for the judge of a run without verdicts."""


ANSWER_STANDS = "WRONG_CITATION"
"""The kind of error in which only the evidence is wrong, not the answer."""

Heading = tuple[str, str | None]
"""The name of a score and a category; None for all questions."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """A way to score a run: records, whose gold answers may be changed, and a convention."""

    name: str
    records: Sequence[Record]
    convention: ScoreConvention


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """A mean with its intervals over single questions and over clusters.

    `heading` is the display name of the score. A share is shown in per cent.
    """

    heading: str
    over_questions: Interval
    over_clusters: Interval
    share: bool = True


@dataclass(frozen=True, slots=True)
class JudgeCalls:
    """The questions whose current answer a judge has not judged by the current gold answers."""

    judge: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """The scores of a run by one `Scoring`; a judge's scores have the name of the judge's file."""

    name: str
    estimates: Mapping[Heading, ScoreEstimate]
    refusal: RefusalScores
    judge_calls: tuple[JudgeCalls, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelError:
    """One entry of the audit; `index` is the position of the question in its conversation."""

    id: str
    index: int
    question: str
    gold: str
    kind: str
    answer: str
    evidence: tuple[str, ...]

    @property
    def answer_is_wrong(self) -> bool:
        """Whether the gold answer is wrong, so that a right answer is scored as wrong."""
        return self.kind != ANSWER_STANDS


@dataclass(frozen=True, slots=True)
class Overlaid:
    """The records of a run with corrected labels, and upper bounds for perfect answers.

    `corrected` has the corrected gold answers, and `without` leaves out the questions with a wrong
    gold answer. `ceiling` has perfect answers and retrieval but the original gold answers.
    `accepted` is the share of answerable questions on which a judge with the original labels
    accepts a perfect answer. `elsewhere` has the ids of label errors that match no question of the
    run.
    """

    corrected: tuple[Record, ...]
    without: tuple[Record, ...]
    ceiling: tuple[Record, ...]
    accepted: Share
    elsewhere: tuple[str, ...]


def rescore(
    ways: Sequence[Scoring], scores: Sequence[str], folder: Path | None, judge: str = ""
) -> list[Rescored]:
    """Score a run in several ways.

    Args:
        ways: The ways to score the run.
        scores: The names of the scores to show.
        folder: The folder of the run, with the files of its judges; None ignores judges.
        judge: The name of the judge whose verdicts take precedence over those of other judges.
    """
    files = [] if folder is None else judgment_files(folder)
    files.sort(key=lambda path: not judge_name(path).startswith(f"{judge}-"))
    seen = {path.stem: verdicts_by_case(path) for path in files}
    known: dict[Hashable, QuestionScores] = {}
    columns: dict[tuple[str, Heading], _Columns] = {}
    rescored = []
    for way in ways:
        questions = [_scored_once(record, way.convention, known) for record in scored(way.records)]
        verdicts, calls = _verdicts(way, seen)
        if folder is not None and not seen:
            calls = (JudgeCalls(NO_JUDGE, tuple(question.query_id for question in questions)),)
        for heading, pair in _columns(questions, scores, verdicts):
            columns[way.name, heading] = pair
        rescored.append(Rescored(way.name, {}, _refusal(questions), calls))
    estimates: defaultdict[str, dict[Heading, ScoreEstimate]] = defaultdict(dict)
    for drawn_alike in _drawn_alike(ways):
        convention = drawn_alike[0].convention
        names = {way.name for way in drawn_alike}
        theirs = {key: pair for key, pair in columns.items() if key[0] in names}
        judges = _judge_headings(files, convention)
        for (way_name, heading), estimate in _estimates(theirs, convention, judges):
            estimates[way_name][heading] = estimate
    return [replace(scored, estimates=estimates[scored.name]) for scored in rescored]


def _drawn_alike(ways: Sequence[Scoring]) -> Iterable[list[Scoring]]:
    """Return the ways in groups that share the resamples and the seed."""
    groups: defaultdict[tuple[int, int], list[Scoring]] = defaultdict(list)
    for way in ways:
        groups[way.convention.resamples, way.convention.seed].append(way)
    return groups.values()


def _scored_once(
    record: Record, convention: ScoreConvention, known: dict[Hashable, QuestionScores]
) -> QuestionScores:
    """Score a record, or reuse its scores from a convention with the same relevant choices."""
    gold = record.gold
    deciding = (
        id(record),  # unchanged records are shared by all ways
        gold_answers(gold, convention.refusal_gold),
        is_unanswerable(gold, convention.refusal_gold),
        convention.refusal_detection,
        convention.f1,
        convention.bleu,
        len(gold.items) > 1 and convention.multi_answer_gold,
    )
    if deciding not in known:
        known[deciding] = question_scores(record, convention)
    return known[deciding]


def _verdicts(
    way: Scoring, seen: Mapping[str, Mapping[JudgedCase, float]]
) -> tuple[dict[str, Mapping[str, float]], tuple[JudgeCalls, ...]]:
    """Return the verdicts of each judge on the answers, and the questions without a verdict."""
    verdicts: dict[str, Mapping[str, float]] = {}
    calls = []
    for judge, correct in seen.items():
        cases = cases_of(way.records, way.convention.refusal_gold, repeats_of(correct))
        verdicts[judge] = mean_of_cases(correct, cases)
        missing = dict.fromkeys(case.query_id for case in cases if case not in correct)
        calls.append(JudgeCalls(judge, tuple(missing)))
    return verdicts, tuple(calls)


_Columns = tuple[Ratio, Ratio]
"""The same mean as a ratio over questions, and over clusters."""


def _columns(
    questions: Sequence[QuestionScores],
    scores: Sequence[str],
    by_judge: Mapping[str, Mapping[str, float]],
) -> Iterator[tuple[Heading, _Columns]]:
    categories = sorted({question.category for question in questions})
    for category in (None, *categories):
        rows = [question for question in questions if category in (None, question.category)]
        for name in scores:
            yield from _column((name, category), rows, [row.value(name) for row in rows])
        for judge, verdicts in by_judge.items():
            values = [verdicts.get(row.query_id) for row in rows]
            yield from _column((_judge_score(judge), category), rows, values)


def _judge_score(judge: str) -> str:
    return f"{judge_kind(judge)}, {judge}"


def _judge_headings(files: Sequence[Path], convention: ScoreConvention) -> Mapping[str, str]:
    """Return the display names of judges, with a fingerprint if two have the same name."""
    names = {path.stem: judge_name(path) for path in files}
    short = {judge: name.rpartition("-")[0] or name for judge, name in names.items()}
    counts = Counter(short.values())
    return {
        _judge_score(judge): f"{convention.heading(judge_kind(judge))} "
        f"({names[judge] if counts[name] > 1 else name})"
        for judge, name in short.items()
    }


def _column(
    heading: Heading, rows: Sequence[QuestionScores], values: Sequence[float | None]
) -> Iterator[tuple[Heading, _Columns]]:
    pairs = [(row, value) for row, value in zip(rows, values, strict=True) if value is not None]
    if pairs:
        scored_values = np.array([value for _, value in pairs], dtype=np.float64)
        clusters = [row.cluster for row, _ in pairs]
        yield heading, (mean_ratio(scored_values), mean_ratio(scored_values, clusters))


def _estimates(
    columns: Mapping[tuple[str, Heading], _Columns],
    convention: ScoreConvention,
    judges: Mapping[str, str],
) -> Iterator[tuple[tuple[str, Heading], ScoreEstimate]]:
    """Yield the estimate of each column, all from the same draws."""
    intervals = iter(
        ratio_intervals(
            [ratio for pair in columns.values() for ratio in pair],
            resamples=convention.resamples,
            seed=convention.seed,
        )
    )
    for way, heading in columns:
        name = heading[0]
        share = name not in convention.score_names or convention.is_share(name)
        heading_shown = judges.get(name) or convention.heading(name)
        estimate = ScoreEstimate(heading_shown, next(intervals), next(intervals), share)
        yield (way, heading), estimate


def _refusal(questions: Sequence[QuestionScores]) -> RefusalScores:
    return refusal_scores(
        [question.refused for question in questions],
        [question.unanswerable for question in questions],
    )


def read_overlay(path: Path) -> tuple[LabelError, ...]:
    """Read the label errors in an audit file.

    Raises:
        ValueError: The file is malformed.
    """
    content = parse_json(read_file(path), str(path))
    if not isinstance(content, list):
        raise ValueError(
            f"{path} is of type {type(content).__name__}, expected a list of label errors"
        )
    return tuple(_label_error(entry, f"{path}: entry {at}") for at, entry in enumerate(content))


def overlay(
    records: Sequence[Record], errors: Sequence[LabelError], convention: ScoreConvention
) -> Overlaid:
    """Apply the corrections of an audit to the records of a run.

    Raises:
        ValueError: No error matches a question of the run, or an error matches several.
    """
    matched = _matched(records, errors)
    if not matched:
        raise ValueError(
            f"none of the {len(errors)} label errors belongs to a question of this run"
        )
    wrong = {query for query, error in matched.items() if error.answer_is_wrong}
    corrected = tuple(_corrected(record, matched.get(record.query_id)) for record in records)
    answered = [record for record in records if record.status == "ok"]
    answerable = [record.query_id for record in answered if record.gold.answerable]
    stand = sum(query not in wrong for query in answerable)
    ids = {error.id for error in matched.values()}
    return Overlaid(
        corrected=corrected,
        without=tuple(record for record in records if record.query_id not in wrong),
        ceiling=tuple(
            _perfect(record, right, convention)
            for record, right in zip(records, corrected, strict=True)
        ),
        accepted=share(stand, len(answerable)),
        elsewhere=tuple(error.id for error in errors if error.id not in ids),
    )


def overlaid_ways(
    records: Sequence[Record], overlaid: Overlaid, convention: ScoreConvention
) -> tuple[list[Scoring], Scoring]:
    """Return the ways to score the run's answers and, separately, the way to score the ceiling."""
    return [
        Scoring("raw labels", records, convention),
        Scoring("corrected", overlaid.corrected, convention),
        Scoring("without errors", overlaid.without, convention),
    ], Scoring("ceiling, raw labels", overlaid.ceiling, convention)


def describe_overlay(overlaid: Overlaid) -> tuple[str, ...]:
    """Return lines on the best score that a judge can give, and on unmatched label errors."""
    accepted = overlaid.accepted
    lines = [
        f"a judge that follows the labels scores at most {100 * accepted.mean:.1f} on the "
        f"{accepted.n} answerable questions, because {accepted.n - accepted.count} have a wrong "
        f"gold answer"
    ]
    if overlaid.elsewhere:
        lines.append(
            f"{len(overlaid.elsewhere)} label errors do not belong to a question of this run; the "
            f"first is {overlaid.elsewhere[0]}"
        )
    return tuple(lines)


def _label_error(entry: object, place: str) -> LabelError:
    name = field(entry, "question_id", str, place)
    position = name.rpartition("_qa")[2]
    if not position.isdecimal():
        raise ValueError(f"{place} has the question_id {name!r}, expected one such as locomo_0_qa1")
    return LabelError(
        id=name,
        index=int(position),
        question=field(entry, "question", str, place).strip(),
        gold=field(entry, "golden_answer", str, place),
        kind=field(entry, "error_type", str, place),
        answer=field(entry, "correct_answer", str, place),
        evidence=tuple(strings(entry, "correct_evidence", place)),
    )


def _matched(records: Sequence[Record], errors: Sequence[LabelError]) -> dict[str, LabelError]:
    """Return the errors by query id, matched by position, text and gold, since their ids differ.

    Raises:
        ValueError: An error matches several questions.
    """
    places: defaultdict[tuple[int, str, tuple[str, ...]], list[str]] = defaultdict(list)
    for record in records:
        key = (record.index, record.question.strip(), record.gold.answers)
        places[key].append(record.query_id)
    matched: dict[str, LabelError] = {}
    for error in errors:
        queries = places.get((error.index, error.question, (error.gold,)), [])
        if len(queries) > 1:
            raise ValueError(
                f"label error {error.id} matches several questions ({', '.join(queries)}), "
                f"expected only one"
            )
        matched.update(dict.fromkeys(queries, error))
    return matched


def _corrected(record: Record, error: LabelError | None) -> Record:
    if error is None:
        return record
    answers = (error.answer,) if error.answer_is_wrong else record.gold.answers
    evidence = error.evidence or record.gold.evidence
    return replace(record, gold=replace(record.gold, answers=answers, evidence=evidence))


def _perfect(record: Record, corrected: Record, convention: ScoreConvention) -> Record:
    right = corrected.gold
    return replace(
        record,
        answer=gold_answers(right, convention.refusal_gold)[0],
        retrieved=tuple(Retrieved(message_id, (message_id,)) for message_id in right.evidence),
        ranked=True,
    )
