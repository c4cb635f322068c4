"""The scores and the model usage of a run, under slash-separated W&B names."""

from collections.abc import Iterator

from remem.metrics.columns import REFUSAL_SCORES
from remem.metrics.intervals import Interval
from remem.results.costs import tokens_of
from remem.results.diagnosis import recorded_diagnosis
from remem.results.run import Run

Value = tuple[str, float | int]

ALL = "all"
"""Name used in place of a category for the scores over all questions."""


def summary_values(run: Run) -> Iterator[Value]:
    """Yield names such as `<dataset>/<category or all>/<score>` with their values.

    Each score comes with the ends of its interval and its number of questions. Calls, tokens,
    seconds and dollars follow.
    """
    for name, interval in score_intervals(run):
        yield name, interval.mean
        if interval.low is not None and interval.high is not None:
            yield f"{name}/ci_lo", interval.low
            yield f"{name}/ci_hi", interval.high
        yield f"{name}/n", interval.n
    yield from _counts(run)
    yield from _seconds(run)


def score_intervals(run: Run) -> Iterator[tuple[str, Interval]]:
    """Yield each score that has a mean: its name in W&B, and the mean with its interval."""
    for part in (run.summary.overall, *run.summary.categories):
        where = f"{run.config.dataset}/{key_part(part.category or ALL)}"
        for name in run.shown_scores:
            if (interval := part.means[name]) is not None:
                yield f"{where}/{name}", interval
    for name in REFUSAL_SCORES:
        interval = getattr(run.summary.refusal_intervals, name.removeprefix("refusal_"))
        if interval is not None:
            yield f"{run.config.dataset}/{ALL}/{name}", interval


def key_part(text: str) -> str:
    """Return a category without dots and slashes, which separate the parts of a name in W&B."""
    return text.replace("/", "_").replace(".", "_")


def _counts(run: Run) -> Iterator[Value]:
    answered, questions = run.summary.overall.n, run.summary.overall.total
    refusal = run.summary.refusal
    yield "questions/asked", questions
    yield "questions/answered", answered
    yield "questions/errors", questions - answered
    yield "questions/refused", refusal.refusals
    yield "questions/unanswerable", refusal.unanswerable
    for cause, count in recorded_diagnosis(run).counts.items():
        yield f"wrong/{cause}", count


def _seconds(run: Run) -> Iterator[Value]:
    timed = run.timings.values()
    yield "seconds/index", run.manifest.index_seconds
    yield "seconds/recall", sum(timing.recall_seconds for timing in timed)
    yield "seconds/read", sum(timing.read_seconds for timing in timed)
    for stage in run.stages:
        yield f"calls/{stage.stage}", stage.usage.calls
        if not stage.usage.uncounted_calls:
            yield f"tokens/{stage.stage}/in", stage.usage.prompt_tokens
            yield f"tokens/{stage.stage}/out", stage.usage.completion_tokens
        if stage.dollars is not None:
            yield f"dollars/{stage.stage}", stage.dollars
    questions = max(len(run.records), 1)
    counted = [tokens for record in run.records if (tokens := tokens_of(record)) is not None]
    yield "tokens/per_question", sum(counted) / max(len(counted), 1)
    yield (
        "tokens/context_per_question",
        sum(record.context_tokens for record in run.records) / questions,
    )
    priced = [stage.dollars for stage in run.stages if stage.dollars is not None]
    if priced and len(priced) == len(run.stages):
        yield "dollars/all", sum(priced)
