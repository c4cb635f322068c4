"""What a run took: only what was measured has percentiles."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from remem.evaluation.run_costs import run_costs
from remem.run.opened_run import Run
from remem.run.store import SUM
from remem.types import Gold, Record, Usage

RECORD = Record("q0", "h", 0, "Who?", Gold(("Ann",), "1"), "ok", "Ann", context_tokens=30)
MODEL = "llm=gpt-4.1-mini-2025-04-14"


def costs(folder: Path) -> dict[str, tuple[float, float, float, int]]:
    run = Run.open(folder)
    found = run_costs(run.config, folder, run.records).costs
    return {
        cost.name: (cost.found.p50, cost.found.p95, cost.found.total, cost.found.n)
        for cost in found
    }


def test_without_a_model_the_tokens_are_those_of_the_evidence(make_run) -> None:
    other = replace(RECORD, query_id="q1", index=1, context_tokens=50)
    found = costs(make_run([RECORD, other], seconds=0.5))
    assert found["recall"] == pytest.approx((500, 500, 1000, 2))
    assert found["answer"] == pytest.approx((250, 250, 500, 2))
    assert found["evidence"] == pytest.approx((40, 49, 80, 2))
    assert not {"tokens", "dollars", "index"} & found.keys()


def test_a_question_in_error_took_nothing(make_run) -> None:
    failed = replace(RECORD, query_id="q1", index=1, status="error", answer="", error="E: e")
    assert costs(make_run([RECORD, failed]))["recall"][3] == 1


def test_tokens_and_dollars_are_those_of_recall_and_answer_together(make_run) -> None:
    used = replace(
        RECORD, recall_usage=Usage(1, 1_000_000, 0), read_usage=Usage(1, 500_000, 250_000)
    )
    found = costs(make_run([used], MODEL))
    assert found["tokens"][0] == 1_750_000
    assert found["dollars"][0] == pytest.approx(1.5 * 0.40 + 0.25 * 1.60)
    assert "evidence" not in found


def test_only_asked_histories_that_were_built_have_seconds_of_indexing(make_run) -> None:
    records = [
        replace(RECORD, query_id=f"q{index}", index=index, history_id=history)
        for index, history in enumerate("abc")
    ]
    folder = make_run(records)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop(SUM, None)
    path.write_text(json.dumps({**manifest, "index_seconds_of": {"a": 2.0, "b": 4.0, "x": 9.0}}))
    assert costs(folder)["index"] == pytest.approx((3.0, 3.9, 6.0, 2))
