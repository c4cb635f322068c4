"""Calls, tokens and dollars of a run by stage, and percentiles of what was measured."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.reports.terminal.run_tables import show_usage
from remem.results.costs import StageUsage
from remem.results.run import Run
from remem.results.verdicts import JudgedCase, Judgment, open_judgments
from remem.run.run_result import RunResult
from remem.run.store import SUM
from remem.types import Gold, Record, Usage

GPT = "llm=gpt-4.1-mini-2025-04-14"  # $0.40 and $1.60 a million tokens
LINE = ["dataset=generated_dialogues", "method=remem_s", "extractor=llm", "reader=direct"]


def configured(*overrides: str) -> RunConfig:
    return run_config(compose_config([*LINE, *overrides]))


def record(name: str, recall: Usage, read: Usage) -> Record:
    gold = Gold(("bus",), "4", evidence=())
    usages = {"recall_usage": recall, "read_usage": read}
    return Record(name, "h", 0, "How?", gold, "ok", llm="x", prompts="own", **usages)


RECORDS = [
    record("a", Usage(3, 9_000, 300), Usage(1, 1_000, 50)),
    record("b", Usage(3, 11_000, 100), Usage(1, 3_000, 50)),
]


def stages(
    config: RunConfig, folder: Path, records: Sequence[Record] = ()
) -> tuple[StageUsage, ...]:
    return Run.of(config, RunResult(folder, tuple(records))).stages


def write_index_usage(folder: Path) -> None:
    usage = {"calls": 4, "prompt_tokens": 1_190_000, "completion_tokens": 170_000}
    (folder / "manifest.json").write_text(json.dumps({"index_usage": {"h1": usage}}))


def test_each_stage_has_its_calls_tokens_and_dollars(tmp_path: Path) -> None:
    write_index_usage(tmp_path)
    index, recall, read = stages(configured(GPT), tmp_path, RECORDS)
    assert (index.stage, index.units, index.usage.calls) == ("index", 1, 4)
    assert f"{index.dollars:.2f}" == "0.75"  # as the paper's table of token usage has it
    assert recall.usage == Usage(6, 20_000, 400)
    assert recall.dollars == (20_000 * 0.40 + 400 * 1.60) / 1e6
    assert (read.units, read.usage) == (2, Usage(2, 4_000, 100))


def test_a_judge_counts_its_errors_too(tmp_path: Path) -> None:
    config = configured(GPT, "judge=llm")
    assert config.judgments is not None
    case = JudgedCase("a", 0, "How?", ("bus",), "bus")
    with open_judgments(tmp_path / config.judgments) as judgments:
        judgments.append(Judgment(case, "error", usage=Usage(3, 3_000, 0)))
        judgments.append(Judgment(case, "ok", usage=Usage(1, 1_000, 100)))
    (judge,) = stages(config, tmp_path)
    assert (judge.stage, judge.units, judge.usage) == ("judge", 2, Usage(4, 4_000, 100))
    assert judge.dollars == (4_000 * 0.40 + 100 * 1.60) / 1e6


def test_a_model_without_a_price_costs_an_unknown_sum(tmp_path: Path) -> None:
    none = configured("llm=none", "extractor=rules", "reader=extractive")
    assert stages(none, tmp_path, [record("a", Usage(), Usage())]) == ()
    write_index_usage(tmp_path)
    found = stages(configured("llm=openai_compatible"), tmp_path, RECORDS)
    assert [stage.dollars for stage in found] == [None, None, None]
    console = Console(width=100, record=True, file=(tmp_path / "shown").open("w"))
    console.print(show_usage("took", found))
    assert "10,000 / question" in console.export_text()


ANSWERED = Record("q0", "h", 0, "Who?", Gold(("Ann",), "1"), "ok", "Ann", context_tokens=30)


def costs(folder: Path) -> dict[str, tuple[float, float, float, int]]:
    return {
        cost.name: (cost.found.p50, cost.found.p95, cost.found.total, cost.found.n)
        for cost in Run.open(folder).costs.costs
    }


def test_without_a_model_the_tokens_are_those_of_the_evidence(make_run) -> None:
    other = replace(ANSWERED, query_id="q1", index=1, context_tokens=50)
    failed = replace(ANSWERED, query_id="q2", index=2, status="error", answer="", error="E: e")
    found = costs(make_run([ANSWERED, other, failed], seconds=0.5))  # an error takes nothing
    assert found["recall"] == pytest.approx((500, 500, 1000, 2))
    assert found["answer"] == pytest.approx((250, 250, 500, 2))
    assert found["evidence"] == pytest.approx((40, 49, 80, 2))
    assert not {"tokens", "dollars", "index"} & found.keys()


def test_tokens_and_dollars_are_those_of_recall_and_answer_together(make_run) -> None:
    used = replace(
        ANSWERED, recall_usage=Usage(1, 1_000_000, 0), read_usage=Usage(1, 500_000, 250_000)
    )
    found = costs(make_run([used], GPT))
    assert found["tokens"][0] == 1_750_000
    assert found["dollars"][0] == pytest.approx(1.5 * 0.40 + 0.25 * 1.60)
    assert "evidence" not in found


def test_only_asked_histories_that_were_built_have_seconds_of_indexing(make_run) -> None:
    records = [
        replace(ANSWERED, query_id=f"q{index}", index=index, history_id=history)
        for index, history in enumerate("abc")
    ]
    folder = make_run(records)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop(SUM, None)
    path.write_text(json.dumps({**manifest, "index_seconds_of": {"a": 2.0, "b": 4.0, "x": 9.0}}))
    assert costs(folder)["index"] == pytest.approx((3.0, 3.9, 6.0, 2))
