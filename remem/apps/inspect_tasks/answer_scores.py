"""Score the answers of another program as remem does, with gold answers as plain data."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from statistics import fmean
from typing import Any

from remem.config.run_config import RunConfig
from remem.files.adapters import adapter
from remem.metrics.refusal import gold_answers
from remem.results.judging import verdict_on
from remem.types import Gold, Question, Record

ScoreOfRecord = Callable[[Record], float | None]


def question_data(question: Question) -> dict[str, Any]:
    """Return, as plain data, the parts of a question that are needed to score its answer."""
    query = question.query
    return {"history_id": query.history_id, "question": query.text, **asdict(question.gold)}


def answered_record(query_id: str, data: Mapping[str, Any], answer: str) -> Record:
    """Return the record of an answer to a question.

    Args:
        query_id: The id of the question.
        data: The result of `question_data`, which may have been saved as JSON and read back.
        answer: The answer.
    """
    return Record(
        query_id=query_id,
        history_id=data["history_id"],
        index=0,
        question=data["question"],
        gold=adapter(Gold).validate_python(dict(data)),
        status="ok",
        answer=answer,
    )


def score_named(name: str, config: RunConfig) -> ScoreOfRecord:
    """Return the function that computes the named score of a record, as a run would.

    For "llm_judge", the function returns the mean verdict of the configured judges.
    """
    convention = config.score_convention()
    (score,) = (score for score in convention.scores if score.name == name)
    if score.function is not None:
        return lambda record: score.of(record, convention, None)
    judges = config.build_judges()

    def mean_verdict(record: Record) -> float:
        shown = gold_answers(record.gold, convention.refusal_gold)
        return fmean(
            verdict_on(judge, record.question, record.gold, shown, record.answer)[0]
            for judge in judges
        )

    return mean_verdict
