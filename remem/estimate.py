"""What a run would take of its models, before anything is sent: a part of it is rehearsed.

The line is the real one, prompts included; the stub makes up the replies, at the paper's size, and
hashing stands in for the embedder. What the call store could serve is not taken off.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from omegaconf import DictConfig, OmegaConf

from remem.config import RunConfig, compose_config, run_config
from remem.experiment import OnProgress, run_experiment
from remem.instantiation import UsageError
from remem.judging import judge_run
from remem.llm.endpoint import STUB
from remem.protocols import Benchmark
from remem.report.stage_usage import StageUsage
from remem.run_usage import stage_prices, usage_by_stage
from remem.types import History, Usage

HISTORIES, QUESTIONS = 3, 20
"""How many histories are rehearsed, and questions of each."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The stages of a run, scaled up from so many rehearsed histories and questions."""

    stages: tuple[StageUsage, ...]
    histories: int
    questions: int


def estimate(composed: DictConfig, on_progress: OnProgress = lambda done, total: None) -> Estimate:
    """Rehearse the beginning of a run and scale up what it took.

    Raises:
        UsageError: The configuration asks no language model over an endpoint.
        RuntimeError: A question of the rehearsal ended in an error.
    """
    config = run_config(composed)
    if config.chat_model is None or "endpoint" not in config.chat_model.build:
        raise UsageError(f"llm={config.llm} sends nothing to an endpoint: the run costs nothing")
    benchmark = config.build_benchmark()
    histories = benchmark.histories()[: config.histories]
    asked = sum(len(benchmark.questions(one.id)[: config.limit]) for one in histories)
    taken, questions = _rehearsed(composed, config, benchmark, on_progress)
    part = histories[:HISTORIES]
    size = {"index": (len(histories), _share(histories, part))}
    prices = stage_prices(config)
    stages = []
    for stage in taken:
        units, factor = size.get(stage.stage, (asked, Fraction(asked, questions)))
        usage, price = _times(stage.usage, factor), prices[stage.stage]
        dollars = None if price is None else price.dollars(usage)
        stages.append(replace(stage, units=units, usage=usage, dollars=dollars))
    return Estimate(tuple(stages), len(part), questions)


def _rehearsed(
    composed: DictConfig, config: RunConfig, benchmark: Benchmark, on_progress: OnProgress
) -> tuple[tuple[StageUsage, ...], int]:
    """Return what the beginning of the run takes, and how many questions it asked."""
    with TemporaryDirectory() as folder:
        rehearsal = run_config(_rehearsal(composed, config, folder))
        result = run_experiment(rehearsal, benchmark=benchmark, on_progress=on_progress)
        failed = next((one for one in result.records if one.status == "error"), None)
        if failed is not None:
            raise RuntimeError(f"the rehearsal failed at {failed.query_id}: {failed.error}")
        if rehearsal.judgments:
            judge_run(rehearsal, result.folder, result.records)
        return usage_by_stage(rehearsal, result.folder, result.records), result.total


def _rehearsal(composed: DictConfig, config: RunConfig, folder: str) -> DictConfig:
    """Return the configuration with made-up replies, in a folder of its own."""
    rehearsal = composed.copy()
    OmegaConf.set_readonly(rehearsal, False)
    rehearsal.paths.results = folder
    rehearsal.run.histories = min(config.histories or HISTORIES, HISTORIES)
    rehearsal.run.limit = min(config.limit or QUESTIONS, QUESTIONS)
    rehearsal.embedder = compose_config(["embedder=hashing"]).embedder
    rehearsal.index = compose_config(["index=numpy"]).index
    for llm in (rehearsal.llm, rehearsal.get("judge_llm")):
        if llm is not None:
            _let_the_stub_answer(llm, folder)
    return rehearsal


def _let_the_stub_answer(llm: Any, folder: str) -> None:
    """Put the stub in the place of a configured endpoint."""
    llm.build.endpoint = {
        "_target_": "remem.serve.stub_endpoint.StubEndpoint",
        "size": "paper",
        "model": llm.build.endpoint.model,
        "max_output_tokens": llm.build.endpoint.max_output_tokens,
    }
    llm.build.store = str(Path(folder) / "calls.sqlite")
    llm.build.budget_dollars = None
    llm.identity = {"kind": STUB}


def _share(histories: Sequence[History], part: Sequence[History]) -> Fraction:
    """Return how many times the text of a part all histories hold."""
    whole, rehearsed = (
        sum(len(message.text) for one in some for message in one.messages())
        for some in (histories, part)
    )
    return Fraction(whole, rehearsed)


def _times(usage: Usage, factor: Fraction) -> Usage:
    return Usage(
        round(usage.calls * factor),
        round(usage.prompt_tokens * factor),
        round(usage.completion_tokens * factor),
        round(usage.cut_replies * factor),
        round(usage.rejected_replies * factor),
    )
