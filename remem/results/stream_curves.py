"""The curves of a run that asks while its memory grows: scores and costs over time.

Each point of a curve is the mean for a range of ages, over answers or over growth steps of the
memory. The interval of a point is computed by resampling histories. A question is scored only at
checkpoints that include the session with its last evidence. Before that, the right answer is a
refusal.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from remem.metrics.intervals import Interval, mean_ratio, ratio_intervals
from remem.metrics.qa import normalised_tokens
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.results.costs import dollars_of, tokens_of
from remem.results.run import Run
from remem.run.checkpoint_store import Growth, read_checkpoint_timings, read_growth, read_marked
from remem.run.store import Timing
from remem.run.stream_plan import CheckpointMark
from remem.types import Record, Usage

Axis = Literal["memory", "evidence"]
AXES: Mapping[Axis, str] = {
    "memory": "age of the memory, in sessions",
    "evidence": "age of the last evidence, in sessions",
}
UNITS = {1e9: "G", 1e6: "M", 1e3: "k"}
"""The suffixes of large numbers."""
MOST_POINTS = 8
"""The most points of a curve over the age of the memory; more labels do not fit on a phone."""


@dataclass(frozen=True, slots=True)
class Measure:
    """The quantity that a curve shows: a count, or a share (from 0 to 1), shown in per cent."""

    name: str
    heading: str
    share: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A mean over all ages from `low` to `high`, both included."""

    low: int
    high: int
    interval: Interval

    @property
    def ages(self) -> str:
        """Return the ages as text."""
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Curve:
    """The values of one measure by age: the age of the memory, or of a question's last evidence."""

    axis: Axis
    measure: Measure
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A row of a table: an age, and a text for each curve."""

    ages: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StreamScores:
    """All curves of a run, and the numbers of answers, errors and checkpoints behind them."""

    curves: tuple[Curve, ...]
    answers: int
    errors: int
    checkpoints: int
    not_yet: int
    with_updates: int
    rebuilt: bool


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer at a checkpoint."""

    mark: CheckpointMark
    record: Record
    scores: QuestionScores
    seconds: float | None


_Value = tuple[int, str, float]
"""An age, a history and a value."""
Ranges = Callable[[int], tuple[int, int]]
"""Returns the range of ages that an age belongs to."""

REFUSED_EARLY = Measure(
    "refused_not_yet",
    "refused, not answerable yet",
    share=True,
    note="Questions whose evidence is still to come: the right answer is a refusal.",
)
REFUSED_WRONGLY = Measure(
    "refused_answerable",
    "refused, answerable",
    share=True,
    note="Questions that the sessions so far answer: a refusal is wrong.",
)
STALE = Measure(
    "stale",
    "stale answers",
    share=True,
    note="Answers that were right before the fact changed, and are wrong now.",
)
TOKENS = Measure("tokens", "tokens of models for an answer", share=False)
CONTEXT = Measure("context_tokens", "tokens of evidence for an answer", share=False)
DOLLARS = Measure("dollars", "dollars for an answer", share=False)
SECONDS = Measure("seconds", "seconds for an answer", share=False)
INDEX_SECONDS = Measure(
    "index_seconds",
    "seconds to index a session",
    share=False,
    note="The first session of a run also loads the libraries.",
)
INDEX_TOKENS = Measure("index_tokens", "tokens of models to index a session", share=False)
INDEX_BYTES = Measure("index_bytes", "bytes of the saved index", share=False)


def stream_scores(run: Run) -> StreamScores:
    """Compute the curves of a run.

    Raises:
        FileNotFoundError: The run has no checkpoints, because its memory did not grow.
        ValueError: A line of its files is damaged.
    """
    marked = read_marked(run.folder)
    growth = read_growth(run.folder)
    answers = list(_answers(run, marked))
    longest = max((mark.sessions for mark, _ in marked), default=1)
    ranges: Mapping[Axis, Ranges] = {
        "memory": partial(by_width, width=-(-longest // MOST_POINTS)),
        "evidence": by_doubling,
    }
    curves: list[Curve] = []
    for axis, bounds in ranges.items():
        for measure, values in _measured(run, answers, axis):
            curves += _curve(run, axis, measure, values, bounds)
    for measure, values in _grown(growth):
        curves += _curve(run, "memory", measure, values, ranges["memory"])
    return StreamScores(
        curves=tuple(curves),
        answers=len(marked),
        errors=sum(record.status == "error" for _, record in marked),
        checkpoints=len({(mark.history_id, mark.checkpoint) for mark, _ in marked}),
        not_yet=sum(mark.answerable == "not yet" for mark, _ in marked),
        with_updates=len({mark.query_id for mark, _ in marked if mark.outdated}),
        rebuilt=any(line.rebuilt for line in growth),
    )


def _answers(run: Run, marked: Sequence[tuple[CheckpointMark, Record]]) -> Iterator[_Answer]:
    timings = read_checkpoint_timings(run.folder)
    for mark, record in marked:
        if record.status == "ok":
            timing = timings.get((mark.query_id, mark.checkpoint))
            last = run.timings.get(mark.query_id) if mark.is_last else timing
            scores = question_scores(record, run.convention)
            yield _Answer(mark, record, scores, None if last is None else _seconds(last))


def _seconds(timing: Timing) -> float:
    return timing.recall_seconds + timing.read_seconds


def _measured(
    run: Run, answers: Sequence[_Answer], axis: Axis
) -> Iterator[tuple[Measure, list[_Value]]]:
    """Yield each measure with its values; measures without values are left out later.

    By age of the evidence, only answerable questions have scores: the evidence of other questions
    has no meaningful age.
    """
    states = ("yes",) if axis == "evidence" else ("yes", "never", "unknown")
    due = [answer for answer in answers if answer.mark.answerable in states]
    for name in run.config.scores:
        measure = Measure(name, run.convention.heading(name), run.convention.is_share(name))
        yield measure, _values(due, axis, _score_of(name))
    early = [answer for answer in answers if answer.mark.answerable == "not yet"]
    yield REFUSED_EARLY, _values(early, axis, _refused)
    answerable = [answer for answer in due if answer.mark.answerable == "yes"]
    yield REFUSED_WRONGLY, _values(answerable, axis, _refused)
    yield STALE, _values([answer for answer in answerable if answer.mark.outdated], axis, _stale)
    if any(_tokens(answer) for answer in answers):
        yield TOKENS, _values(answers, axis, _tokens)
    else:
        yield CONTEXT, _values(answers, axis, lambda answer: float(answer.record.context_tokens))
    yield DOLLARS, _values(answers, axis, lambda answer: dollars_of(answer.record, run.prices))
    yield SECONDS, _values(answers, axis, lambda answer: answer.seconds)


def _score_of(name: str) -> Callable[[_Answer], float | None]:
    return lambda answer: answer.scores.value(name)


def _values(
    answers: Sequence[_Answer], axis: Axis, of: Callable[[_Answer], float | None]
) -> list[_Value]:
    values = []
    for answer in answers:
        age = answer.mark.sessions if axis == "memory" else answer.mark.evidence_sessions
        value = of(answer)
        if age is not None and value is not None:
            values.append((age, answer.mark.history_id, value))
    return values


def _refused(answer: _Answer) -> float:
    return float(answer.scores.refused)


def _stale(answer: _Answer) -> float:
    gold, text = answer.record.gold, answer.record.answer
    return float(is_stale(text, gold.answers, answer.mark.outdated))


def is_stale(answer: str, golds: Sequence[str], outdated: Sequence[str]) -> bool:
    """Return whether an answer names a former gold answer, and no current one.

    An answer names a gold answer if it contains all words of the gold answer.

    >>> is_stale("She lives in Dunmere.", ["Eastholm"], ["Dunmere"])
    True
    >>> is_stale("First Dunmere, now Eastholm", ["Eastholm"], ["Dunmere"])
    False
    """
    words = set(normalised_tokens(answer))

    def names_one(some: Sequence[str]) -> bool:
        return any(set(normalised_tokens(gold)) <= words for gold in some)

    return names_one(outdated) and not names_one(golds)


def _tokens(answer: _Answer) -> float | None:
    return tokens_of(answer.record)


def _grown(growth: Sequence[Growth]) -> Iterator[tuple[Measure, list[_Value]]]:
    """Yield the costs of growth: seconds and tokens per session or rebuild, and index sizes."""
    used: dict[str, Usage] = {}
    seconds, tokens, sizes = [], [], []
    for line in growth:
        before = Usage() if line.rebuilt else used.get(line.history_id, Usage())
        used[line.history_id] = line.usage
        new = 1 if line.rebuilt else line.sessions - line.since
        seconds.append((line.sessions, line.history_id, line.seconds / max(new, 1)))
        took = line.usage.prompt_tokens + line.usage.completion_tokens
        took -= before.prompt_tokens + before.completion_tokens
        tokens.append((line.sessions, line.history_id, took / max(new, 1)))
        if line.index_bytes is not None:
            sizes.append((line.sessions, line.history_id, float(line.index_bytes)))
    yield INDEX_SECONDS, seconds
    if any(value for _, _, value in tokens):
        yield INDEX_TOKENS, tokens
    yield INDEX_BYTES, sizes


def _curve(
    run: Run, axis: Axis, measure: Measure, values: Sequence[_Value], ranges: Ranges
) -> Iterator[Curve]:
    """Yield the curve of a measure, unless nothing was measured."""
    if not values:
        return
    groups: defaultdict[tuple[int, int], list[tuple[str, float]]] = defaultdict(list)
    for age, history, value in values:
        groups[ranges(age)].append((history, value))
    ratios = [
        mean_ratio(
            np.array([value for _, value in groups[bounds]], dtype=np.float64),
            [history for history, _ in groups[bounds]],
        )
        for bounds in sorted(groups)
    ]
    convention = run.convention
    intervals = ratio_intervals(ratios, resamples=convention.resamples, seed=convention.seed)
    points = zip(sorted(groups), intervals, strict=True)
    yield Curve(axis, measure, tuple(CurvePoint(*bounds, interval) for bounds, interval in points))


def by_width(age: int, width: int) -> tuple[int, int]:
    """Return the range of this width that contains an age; the first range starts at 1.

    >>> by_width(1, 3), by_width(3, 3), by_width(4, 3)
    ((1, 3), (1, 3), (4, 6))
    """
    low = (age - 1) // width * width + 1
    return low, low + width - 1


def by_doubling(age: int) -> tuple[int, int]:
    """Return the range that contains an age.

    The ranges are 0, 1, 2, 3 to 4, 5 to 8 and so on. Ranges of negative ages mirror them.

    >>> by_doubling(0), by_doubling(2), by_doubling(7), by_doubling(-3)
    ((0, 0), (2, 2), (5, 8), (-4, -3))
    """
    if not age:
        return 0, 0
    high = 1 << (abs(age) - 1).bit_length()
    low = high // 2 + 1 if high > 1 else 1
    return (low, high) if age > 0 else (-high, -low)


def curve_rows(curves: Sequence[Curve]) -> Iterator[CurveRow]:
    """Yield a row for each age at which at least one curve has a point."""
    ages = {(point.low, point.high): point.ages for curve in curves for point in curve.points}
    points = [{(point.low, point.high): point for point in curve.points} for curve in curves]
    for bounds in sorted(ages):
        cells = []
        for curve, curve_points in zip(curves, points, strict=True):
            point = curve_points.get(bounds)
            cells.append("-" if point is None else format_value(point.interval.mean, curve.measure))
        yield CurveRow(ages[bounds], tuple(cells))


def format_value(value: float, measure: Measure) -> str:
    """Return a value as text: shares in per cent, large numbers with k, M or G.

    >>> format_value(0.125, Measure("f1", "F1", share=True))
    '12.5'
    >>> [format_value(value, Measure("t", "t", share=False)) for value in (0.5, 1234.5, 2.5e6)]
    ['0.5', '1.23k', '2.5M']
    """
    if measure.share:
        return f"{100 * value:.1f}".removesuffix(".0")
    scale, unit = next(
        ((scale, unit) for scale, unit in UNITS.items() if abs(value) >= scale), (1.0, "")
    )
    return f"{value / scale:.3g}{unit}"
