"""Compute and compare what a bundle stores of its records: their checksums and scores."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import Any

from pydantic import TypeAdapter, ValidationError

from remem.bundle.allowed_names import leaves
from remem.bundle.layout import RecordSum
from remem.files.adapters import parsed
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import summarise_questions, summary_json
from remem.types import Record

DIGITS = 12
"""The length of the checksum of a field, which is only used to name a difference."""
SAME_NUMBER = 1e-6
"""The largest difference between scores that is ignored, since CPUs round differently."""


def record_line(record: Record) -> bytes:
    """Return a record as a line of records.canonical.jsonl, without remarks on its replies.

    Different versions of remem may make different remarks on a reply, and no score uses them.
    """
    return _record_adapter().dump_json(_without_remarks(record)) + b"\n"


def _without_remarks(record: Record) -> Record:
    recall, read = record.recall_usage, record.read_usage
    if not recall.remarks and not read.remarks:
        return record
    return replace(
        record, recall_usage=replace(recall, remarks={}), read_usage=replace(read, remarks={})
    )


def record_sum(record: Record) -> RecordSum:
    """Return what a bundle stores of a record: its ids, status and checksums, but no texts."""
    values = _record_adapter().dump_python(_without_remarks(record), mode="json")
    return RecordSum(
        query_id=record.query_id,
        history_id=record.history_id,
        index=record.index,
        category=record.gold.category,
        status=record.status,
        sha256=hashlib.sha256(record_line(record)).hexdigest(),
        fields={name: _short_sum(value) for name, value in values.items()},
    )


def records_sum(records: Iterable[Record]) -> str:
    """Return the sha256 of the content of records.canonical.jsonl for these records."""
    total = hashlib.sha256()
    for record in records:
        total.update(record_line(record))
    return total.hexdigest()


def first_difference(expected: Iterable[RecordSum], records: Iterable[Record]) -> str:
    """Describe the first record that differs and its changed fields; "" if all are the same."""
    for before, record in zip_longest(expected, records):
        if before is None:
            return f"question {record.query_id} was not asked in the run"
        if record is None:
            return f"question {before.query_id} has no record now"
        now = record_sum(record)
        if now.sha256 == before.sha256:
            continue
        if now.query_id != before.query_id:
            return f"question {now.query_id} is in the place of {before.query_id}"
        changed = [name for name, value in now.fields.items() if before.fields.get(name) != value]
        error = f": {record.error}" if record.status == "error" else ""
        return f"question {now.query_id} differs in {', '.join(changed)}{error}"
    return ""


def scores_document(
    questions: Sequence[QuestionScores],
    asked: Sequence[str],
    convention: ScoreConvention,
    verdicts: Mapping[str, float] | None = None,
) -> bytes:
    """Return the content of scores.json.

    Args:
        questions: The scored questions.
        asked: The category of each question that was asked.
        convention: The convention by which answers are scored.
        verdicts: The share of "correct" by question id; None leaves the judge's score out.
    """
    if verdicts is not None:
        questions = [
            replace(
                question, scores={**question.scores, "llm_judge": verdicts.get(question.query_id)}
            )
            for question in questions
        ]
    return summary_json(summarise_questions(questions, asked, convention))


def score_difference(before: bytes, now: bytes) -> str:
    """Describe the first score that differs by `SAME_NUMBER` or more; "" if none does."""
    if before == now:
        return ""
    try:
        old, new = (dict(leaves(parsed(Any, text))) for text in (before, now))
    except ValidationError as error:
        return f"they are not valid JSON ({error.errors()[0]['msg']})"
    for where in sorted(old.keys() | new.keys()):
        first, second = old.get(where, "missing"), new.get(where, "missing")
        both = isinstance(first, float | int) and isinstance(second, float | int)
        if first != second and not (both and abs(float(first) - float(second)) < SAME_NUMBER):
            return f"score {where} was {first}, is {second}"
    return ""


def _short_sum(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


@cache
def _record_adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)
