"""An answer scored outside of a run gets the same scores as in the run's record."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from remem.apps.inspect_tasks.answer_scores import answered_record, question_data, score_named
from remem.apps.inspect_tasks.full_context import full_context_config
from remem.types import Gold, Query, Question, Record

NAMES = ("f1", "bleu1", "em", "llm_judge")


def data_of(record: Record) -> dict[str, object]:
    """Return the data of a question after a round trip through JSON, as an inspect log has it."""
    query = Query(record.query_id, record.history_id, record.index, record.question)
    data: dict[str, object] = json.loads(json.dumps(question_data(Question(query, record.gold))))
    return data


@pytest.mark.parametrize(("convention", "limit"), [("paper", 50), ("reference", 5), ("strict", 5)])
def test_the_scores_of_answers_are_those_of_their_run(
    recorded: Callable[..., Any], convention: str, limit: int
) -> None:
    settings = (f"run.limit={limit}", f"convention={convention}")
    overrides = ("dataset=generated_dialogues", *settings)
    records, scores = recorded(*overrides)
    assert len(records) == 10 * limit
    config = full_context_config(overrides)
    for name in NAMES:
        score_of = score_named(name, config)
        ours = {
            record.query_id: score_of(
                answered_record(record.query_id, data_of(record), record.answer)
            )
            for record in records
        }
        assert ours == {query_id: of_question[name] for query_id, of_question in scores.items()}
        assert len(set(ours.values())) > 1


def test_a_refusal_is_right_where_the_dataset_has_no_answer() -> None:
    record = Record("q", "h", 0, "Who?", Gold(("Ann",), "5", answerable=False), "ok")
    score_of = score_named("em", full_context_config(()))
    refusal, other = (
        answered_record("q", data_of(record), answer)
        for answer in ("No information available", "Ann")
    )
    assert (score_of(refusal), score_of(other)) == (1.0, 0.0)
