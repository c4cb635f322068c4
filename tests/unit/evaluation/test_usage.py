"""Calls, tokens and dollars of a run, stage by stage, from what lies in its folder."""

import json
from pathlib import Path

from rich.console import Console

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.evaluation.judgments import Case, Judgment, open_judgments
from remem.evaluation.usage import usage_by_stage
from remem.reports.terminal.stage_usage import show_usage
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


def write_index_usage(folder: Path) -> None:
    usage = {"calls": 4, "prompt_tokens": 1_190_000, "completion_tokens": 170_000}
    (folder / "manifest.json").write_text(json.dumps({"index_usage": {"h1": usage}}))


def test_each_stage_has_its_calls_tokens_and_dollars(tmp_path: Path) -> None:
    write_index_usage(tmp_path)
    index, recall, read = usage_by_stage(configured(GPT), tmp_path, RECORDS)
    assert (index.stage, index.units, index.usage.calls) == ("index", 1, 4)
    assert f"{index.dollars:.2f}" == "0.75"  # as the paper's table of token usage has it
    assert recall.usage == Usage(6, 20_000, 400)
    assert recall.dollars == (20_000 * 0.40 + 400 * 1.60) / 1e6
    assert (read.units, read.usage) == (2, Usage(2, 4_000, 100))


def test_a_judge_counts_its_errors_too(tmp_path: Path) -> None:
    config = configured(GPT, "judge=llm")
    assert config.judgments is not None
    case = Case("a", 0, "How?", ("bus",), "bus")
    with open_judgments(tmp_path / config.judgments) as judgments:
        judgments.append(Judgment(case, "error", usage=Usage(3, 3_000, 0)))
        judgments.append(Judgment(case, "ok", usage=Usage(1, 1_000, 100)))
    (judge,) = usage_by_stage(config, tmp_path, [])
    assert (judge.stage, judge.units, judge.usage) == ("judge", 2, Usage(4, 4_000, 100))
    assert judge.dollars == (4_000 * 0.40 + 100 * 1.60) / 1e6


def test_a_model_without_a_price_costs_an_unknown_sum(tmp_path: Path) -> None:
    write_index_usage(tmp_path)
    stages = usage_by_stage(configured("llm=openai_compatible"), tmp_path, RECORDS)
    assert [stage.dollars for stage in stages] == [None, None, None]
    console = Console(width=100, record=True, file=(tmp_path / "shown").open("w"))
    console.print(show_usage("took", stages))
    assert "10,000 / question" in console.export_text()


def test_a_run_without_a_model_took_nothing(tmp_path: Path) -> None:
    config = configured("llm=none", "extractor=rules", "reader=extractive")
    nothing = record("a", Usage(), Usage())
    assert usage_by_stage(config, tmp_path, [nothing]) == ()
