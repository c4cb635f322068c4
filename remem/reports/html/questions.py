"""The questions of a run as JSON values: the rows of the table, and the trace of each question.

Empty values are left out. Long texts are cut, and a note says how much was cut, so that a report
with thousands of questions still opens at once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from remem.benchmarks.files.notes import licences_of
from remem.config.conf_files import GENERATORS
from remem.files.plain_text import cut
from remem.metrics.question_scores import QuestionScores
from remem.results.costs import dollars_of, tokens_of
from remem.results.outcomes import scores_answers
from remem.results.run import Run
from remem.run.store import Timing
from remem.types import Record, StepRecord, Usage

Json = dict[str, Any]

MOST_ITEMS = 50
"""The number of retrieved items that are listed for a question or a step."""


def question_values(
    run: Run, records: Sequence[Record], numbers: Mapping[str, int], names: Sequence[str]
) -> list[Json]:
    """Return a JSON value for each question.

    Args:
        run: The run.
        records: The records of the run to show.
        numbers: The number of each history, from `history_numbers`.
        names: The names of the scores to show.
    """
    headings = {name: run.convention.heading(name) for name in names}
    return [
        {
            **_question_json(record, numbers[record.history_id]),
            **_answered(record, run.scores.get(record.query_id), headings),
            **_retrieved(record),
            **_took(record, run.timings.get(record.query_id), run),
        }
        for record in records
    ]


def score_values(run: Run) -> list[Json]:
    """Return each score that any question of a run has, with the value of each record.

    The main score is first, then the other scores that are shown, then the rest.
    """
    scores = {score.name: score for score in run.convention.scores}
    ordered = [scores[name] for name in dict.fromkeys((*run.shown_scores, *scores))]
    answered = [run.scores.get(record.query_id) for record in run.records]
    columns = [
        {
            "name": score.name,
            "heading": score.heading,
            "values": [one and _short(one.value(score.name)) for one in answered],
            **_filled(
                {
                    "shown": score.name in run.shown_scores,
                    "share": score.unit == "share",
                    "of_answer": scores_answers(run.convention, score.name),
                }
            ),
        }
        for score in ordered
    ]
    return [column for column in columns if any(value is not None for value in column["values"])]


def history_numbers(records: Sequence[Record]) -> dict[str, int]:
    """Number the histories in the order of the records, so that each id is written only once."""
    ids = dict.fromkeys(record.history_id for record in records)
    return {history: number for number, history in enumerate(ids)}


def _question_json(record: Record, history: int) -> Json:
    gold = record.gold
    return {
        "id": record.query_id,
        "history": history,
        "category": gold.category,
        "question": cut(record.question),
        "gold": [cut(answer) for answer in gold.answers[:MOST_ITEMS]],
    }


def _answered(record: Record, scores: QuestionScores | None, headings: Mapping[str, str]) -> Json:
    if scores is None:
        return {"error": cut(record.error) or "ended in an error"}
    shown = {heading: _rounded(scores.value(name)) for name, heading in headings.items()}
    kept: Json = {
        "answer": cut(record.answer),
        "scores": {name: value for name, value in shown.items() if value is not None},
    }
    if record.proposed_answer is not None:
        kept["proposed"] = cut(record.proposed_answer)
    flags = {"refused": scores.refused, "unanswerable": scores.unanswerable}
    return {**kept, **_filled(flags)}


def _retrieved(record: Record) -> Json:
    """Return the retrieved items, the steps, and the item and rank that found each gold message."""
    gold = record.gold.evidence
    ranks: dict[str, tuple[int, str]] = {}
    for place, item in enumerate(record.retrieved, start=1):
        for message in item.source:
            ranks.setdefault(message, (place, item.id))
    bearing = {item.id for item in record.retrieved if set(gold) & set(item.source)}
    return _filled(
        {
            "evidence": [[message, *ranks.get(message, ())] for message in gold],
            "unresolved": list(record.gold.unresolved),
            "items": [[item.id, list(item.source)] for item in record.retrieved[:MOST_ITEMS]],
            "item_count": len(record.retrieved),
            "unranked": not record.ranked,
            "steps": [_step(step, bearing) for step in record.steps],
        }
    )


def _step(step: StepRecord, bearing: set[str]) -> Json:
    return {
        "tool": step.tool,
        **_filled(
            {
                "arguments": {
                    key: cut(value if isinstance(value, str) else repr(value))
                    for key, value in step.arguments.items()
                    if value is not None
                },
                "thought": cut(step.thought),
                "message": cut(step.message),
                "seen": list(step.seen[:MOST_ITEMS]),
                "seen_scores": [_rounded(score) for score in step.scores[:MOST_ITEMS]],
                "seen_count": len(step.seen),
                "golden": [item for item in step.seen[:MOST_ITEMS] if item in bearing],
                "error": step.error,
            }
        ),
        **({} if step.count is None else {"count": step.count}),
    }


def _took(record: Record, timing: Timing | None, run: Run) -> Json:
    dollars = dollars_of(record, run.prices) if tokens_of(record) else None
    seconds = None if timing is None else [timing.recall_seconds, timing.read_seconds]
    return _filled(
        {
            "context_tokens": record.context_tokens,
            "recall_tokens": _counts(record.recall_usage),
            "read_tokens": _counts(record.read_usage),
            "dollars": None if dollars is None else round(dollars, 6),
            "seconds": seconds and [round(part, 4) for part in seconds],
        }
    )


def _counts(usage: Usage) -> list[int]:
    if not usage.calls or usage.uncounted_calls:
        return []
    return [usage.calls, usage.prompt_tokens, usage.completion_tokens]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)


def _short(value: float | None) -> float | None:
    rounded = _rounded(value)
    return int(rounded) if rounded is not None and rounded.is_integer() else rounded


def _filled(values: Mapping[str, Any]) -> Json:
    """Leave out empty values: None, "", [], 0 and False."""
    return {name: value for name, value in values.items() if value}


LEFT_OUT = "(left out)"


def is_generated(run: Run) -> bool:
    """Return True if all of the data comes from a generator of this project."""
    source = run.config.settings.dataset.source
    return (source.whole or source).target.startswith(GENERATORS)


def licences_withheld(run: Run, *, with_text: bool) -> tuple[str, ...]:
    """Return the licences of the data whose texts are left out; empty if `with_text` is true."""
    return () if with_text else licences_of(run.manifest.data_names)


def without_texts(question: Json) -> Json:
    """Remove the texts of a question; keep its id, scores, tools and the ids of retrieved items."""
    kept = {**question, "question": question["id"], "gold": []}
    for name in ("answer", "proposed"):
        if name in kept:
            kept[name] = LEFT_OUT
    if "error" in kept:
        kept["error"] = kept["error"].partition(":")[0]
    if "steps" in kept:
        kept["steps"] = [_bare(step) for step in kept["steps"]]
    return kept


def _bare(step: Json) -> Json:
    texts = ("arguments", "thought", "message")
    return {name: value for name, value in step.items() if name not in texts}
