"""Which temporal classes the released code assigns to LoCoMo's questions; the data are ours."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.paper.layout import paper_folder
from remem.results.class_counts import confusion, published_classes, question_texts
from remem.results.run import Run
from remem.run.progress import no_view
from remem.run.run_result import RunResult
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_table
from remem.tables.rows import RowOutcome
from remem.tables.table import Cell
from remem.tables.table_plan import RowPlan
from remem.types import Gold, Record

ASKED = {
    "When did Ida row?": "event_timing",
    "How long did Ida row?": "duration",
    "Who rowed?": "none",
    "What did Ida do after the race?": "event_attributes",
}
"""Each question and its published class; by rules the last is of order."""


def sample(labels: dict[str, str | None]) -> dict[str, Any]:
    """A conversation; a question without a label is one that the model failed at."""
    message = {"speaker": "Ida", "dia_id": "D1:1", "text": "I rowed."}
    asked = [
        {"question": text, "answer": "Ida", "evidence": ["D1:1"], "category": 1}
        | {"temporal_category": label or "none", "classification_reasoning": "So it is."}
        | {"classification_success": label is not None}
        for text, label in labels.items()
    ]
    return {
        "sample_id": "conv-1",
        "qa": asked,
        "conversation": {"session_1": [message], "session_1_date_time": "1:56 pm on 8 May, 2023"},
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "locomo"
    folder.mkdir(parents=True)
    (folder / "locomo10.json").write_text(json.dumps([sample(dict.fromkeys(ASKED))]))
    return folder


def publish(data: Path, labels: dict[str, str | None]) -> None:
    (data / "locomo_episodic.json").write_text(json.dumps([sample(labels)]))


@pytest.fixture
def config(data: Path, tmp_path: Path) -> RunConfig:
    return run_config(compose_config(["dataset=locomo", *places(tmp_path)]))


def places(tmp_path: Path) -> tuple[str, ...]:
    return (f"paths.data={tmp_path / 'data'}", f"paths.results={tmp_path / 'results'}")


def questions(config: RunConfig) -> dict[str, str]:
    return question_texts(config.build_benchmark())


def test_a_class_of_other_words_or_that_the_model_failed_at_is_left_out(
    config: RunConfig, data: Path
) -> None:
    assert published_classes(config, questions(config)) == {}  # there is no file
    publish(data, {"When did Ida swim?": "event_timing", "How long did Ida row?": None})
    assert published_classes(config, questions(config)) == {}
    publish(data, dict(ASKED))
    assert published_classes(config, questions(config))["conv-1/q2"] == "non_temporal"


def test_an_unknown_or_a_missing_class_is_an_error_that_names_its_question(
    config: RunConfig, data: Path
) -> None:
    publish(data, ASKED | {"Who rowed?": "causal"})
    with pytest.raises(ValueError, match=r"conv-1/q2 of locomo/locomo_episodic\.json .*'causal'"):
        published_classes(config, questions(config))
    (data / "locomo_episodic.json").write_text('[{"sample_id": "conv-1", "qa": [{}]}]')
    with pytest.raises(ValueError, match=r"conv-1/q0 of .* has no 'temporal_category'"):
        published_classes(config, questions(config))


def test_accuracy_and_confusions_are_of_the_questions_that_both_have() -> None:
    counts = confusion(
        {"a": "order", "b": "order", "c": "duration", "d": "other"},
        {"a": "order", "b": "event_attributes", "c": "duration", "e": "other"},
    )
    assert counts == {
        ("order", "order"): 1,
        ("order", "event_attributes"): 1,
        ("duration", "duration"): 1,
    }


def test_classify_scores_the_rules_against_the_published_classes(
    data: Path, tmp_path: Path, ask: Callable[..., Result]
) -> None:
    classify = ("data", "classify", "dataset=locomo", *places(tmp_path))
    missing = "are missing; download them with: remem data fetch locomo"
    assert missing in " ".join(ask(*classify).output.split())
    publish(data, dict(ASKED))
    said = ask(*classify).output
    assert "Classified by rules: 3 of 4 as published, accuracy 0.750" in said


def cells(tmp_path: Path, table: str, column: int) -> dict[str, Cell | None]:
    runs = TableRuns("nothing", no_view)
    made = paper_table(table, places(tmp_path), runs, paper_folder())
    return {row.label: row.cells[column] for row in made.blocks[0].rows}


def test_the_papers_counts_have_a_verdict_by_the_published_classes(
    data: Path, tmp_path: Path
) -> None:
    untold = cells(tmp_path, "temporal_categories", 0)["Duration"]
    assert untold is not None
    assert untold.verdict == "not run"
    assert "remem data fetch locomo" in untold.reason
    publish(data, dict(ASKED))
    found = cells(tmp_path, "temporal_categories", 0)["Duration"]
    assert found is not None and found.ours is not None
    assert (found.ours.mean, found.verdict, found.delta) == (1.0, "differs", -43.0)
    assert found.differences == ()


def test_a_run_of_the_paper_is_scored_by_the_published_classes(
    config: RunConfig, data: Path, tmp_path: Path
) -> None:
    publish(data, dict(ASKED))
    gold = Gold(("Ida",), "1")
    record = Record("conv-1/q1", "conv-1", 1, "How long did Ida row?", gold, "ok", answer="Ida")
    run = RowOutcome(RowPlan(()), config, Run.of(config, RunResult(tmp_path, (record,))))
    runs = TableRuns("nothing", no_view)
    assert runs.classes(run, by_rules=False) == {"conv-1/q1": "duration"}
