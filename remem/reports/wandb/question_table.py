"""A table with a row for each question of a run, with texts of the data set only on request.

Without texts, only the kind of an error is shown, because its message may quote a text.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from remem.results.run import Run
from remem.types import Record

Value = str | float | int | bool | None

ASKED = ("question", "gold", "answer")
"""The columns with texts of the data set."""


@dataclass(frozen=True, slots=True)
class QuestionTable:
    """Column names, and rows with one value per column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def question_table(run: Run, *, with_text: bool) -> QuestionTable:
    """Return the table of a run, with its rows in the order of the records."""
    rows = [dict(_row(run, record, with_text=with_text)) for record in run.records]
    return QuestionTable(tuple(rows[0]) if rows else (), tuple(tuple(row.values()) for row in rows))


def _row(run: Run, record: Record, *, with_text: bool) -> Iterator[tuple[str, Value]]:
    scores, timing = run.scores.get(record.query_id), run.timings.get(record.query_id)
    yield "query_id", record.query_id
    yield "history_id", record.history_id
    yield "category", record.gold.category
    yield "status", record.status
    yield "error", record.error if with_text else record.error.partition(":")[0]
    for name in run.shown_scores:
        yield name, None if scores is None else scores.value(name)
    yield "refused", None if scores is None else scores.refused
    yield "unanswerable", None if scores is None else scores.unanswerable
    yield "steps", len(record.steps)
    yield "retrieved", len(record.retrieved)
    usage = record.recall_usage + record.read_usage
    yield "tokens_in", usage.prompt_tokens
    yield "tokens_out", usage.completion_tokens
    yield "context_tokens", record.context_tokens
    yield "seconds", None if timing is None else timing.recall_seconds + timing.read_seconds
    if with_text:
        texts = (record.question, " | ".join(record.gold.answers), record.answer)
        yield from zip(ASKED, texts, strict=True)
