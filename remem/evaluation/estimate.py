"""Estimate the calls, tokens and costs of a run by rehearsing a part of it without any model.

The rehearsal uses the real pipeline and prompts. A stub makes up replies of the size in the paper,
and hashing replaces the embedder. Replies in the call store are not subtracted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from omegaconf import DictConfig, OmegaConf

from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.evaluation.judging import judge_run
from remem.evaluation.stage_usage import StageUsage
from remem.evaluation.usage import stage_prices, usage_by_stage
from remem.llm.endpoint import STUB
from remem.llm.prices import Price
from remem.protocols import Benchmark
from remem.run.asked_questions import asked_questions
from remem.run.experiment import run_experiment
from remem.run.run_account import OnProgress, not_shown
from remem.run.stream_run import planned_asks
from remem.types import History, Stage, Usage

HISTORIES, QUESTIONS = 3, 20
"""The number of histories to rehearse, and of questions per history."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The usage of each stage of a run, scaled up from the rehearsed histories and questions.

    `free` explains for each model without costs why it has none.
    """

    stages: tuple[StageUsage, ...]
    histories: int
    questions: int
    free: tuple[str, ...] = ()


def estimate(composed: DictConfig, on_progress: OnProgress = not_shown) -> Estimate:
    """Rehearse the beginning of a run and scale up its usage.

    Nothing is rehearsed if the run does not call a model.

    Raises:
        RuntimeError: A question failed in the rehearsal.
    """
    config = run_config(composed)
    models = _models(config)
    free = tuple(filter(None, (model.free for model in models)))
    asked_stages = {stage for model in models if model.is_sent_calls for stage in model.stages}
    if not asked_stages:
        return Estimate((), 0, 0, free)
    benchmark = config.build_benchmark()
    histories = benchmark.histories()[: config.histories]
    asked = sum(len(benchmark.questions(history.id)[: config.limit]) for history in histories)
    asks = asked
    if config.is_stream:
        some = asked_questions(benchmark, config.histories, config.limit)
        asks = planned_asks(config, benchmark, some)
    taken, questions = _rehearsed(composed, config, benchmark, on_progress)
    part = histories[:HISTORIES]
    size = {"index": (len(histories), _share(histories, part))}
    prices = _prices(config, models)
    stages = []
    for stage in taken:
        if stage.stage in asked_stages:
            answers = asked if stage.stage == "judge" else asks  # judged after the last session
            units, factor = size.get(stage.stage, (answers, Fraction(answers, questions)))
            usage, price = _times(stage.usage, factor), prices[stage.stage]
            dollars = None if price is None else price.dollars(usage)
            stages.append(replace(stage, units=units, usage=usage, dollars=dollars))
    return Estimate(tuple(stages), len(part), questions, free)


@dataclass(frozen=True, slots=True)
class _Model:
    """The model of some stages: its configuration group, its name, and its endpoint if any."""

    group: str
    name: str
    endpoint: Mapping[str, Any] | None
    stages: tuple[Stage, ...]

    @property
    def is_sent_calls(self) -> bool:
        """Whether the run sends calls to the model, over a network or on this machine."""
        return self.endpoint is not None and "recorded" not in self.endpoint

    @property
    def is_served_here(self) -> bool:
        """Whether the run serves the model itself."""
        return self.endpoint is not None and "server" in self.endpoint

    @property
    def free(self) -> str:
        """The reason why the model costs nothing; "" if it may cost something."""
        stages = ", ".join(self.stages)
        if self.endpoint is None:
            return f"{self.group}={self.name} sends nothing to an endpoint and costs nothing"
        if not self.is_sent_calls:
            replies = f"{self.group}=replay takes the replies of {self.name} from the call store"
            return f"{replies} ({stages}): it sends nothing and costs nothing"
        if self.is_served_here:
            return f"{self.group}={self.name} runs on this machine ({stages}): it costs no money"
        return ""


def _models(config: RunConfig) -> tuple[_Model, ...]:
    """Return the model that answers, and the judge's model if there is a judge."""
    llm, judge_llm = config.settings.llm, config.settings.judge_llm
    answers = _Model("llm", llm.name, _endpoint(config.chat_model), ("index", "recall", "read"))
    if config.judge_model is None:
        return (answers,)
    group, named = ("judge_llm", judge_llm) if judge_llm else ("llm", llm)
    judge = _Model(group, named.name, _endpoint(config.judge_model), ("judge",))
    return (answers, judge)


def _endpoint(model: SharedInstance | None) -> Mapping[str, Any] | None:
    return None if model is None else model.build.get("endpoint")


def _prices(config: RunConfig, models: Sequence[_Model]) -> Mapping[Stage, Price | None]:
    """Return the price of each stage; a model that the run serves itself costs no money."""
    here = [stage for model in models if model.is_served_here for stage in model.stages]
    return {**stage_prices(config), **dict.fromkeys(here, Price(0.0, 0.0))}


def _rehearsed(
    composed: DictConfig, config: RunConfig, benchmark: Benchmark, on_progress: OnProgress
) -> tuple[tuple[StageUsage, ...], int]:
    """Return the usage of the rehearsed part by stage, and its number of questions."""
    with TemporaryDirectory() as folder:
        rehearsal = run_config(_rehearsal(composed, config, folder))
        result = run_experiment(rehearsal, benchmark=benchmark, on_progress=on_progress)
        failed = next((record for record in result.records if record.status == "error"), None)
        if failed is not None:
            raise RuntimeError(f"the rehearsal failed at {failed.query_id}: {failed.error}")
        if rehearsal.judgments:
            judge_run(rehearsal, result.folder, result.records)
        return usage_by_stage(rehearsal, result.folder, result.records), result.total


def _rehearsal(composed: DictConfig, config: RunConfig, folder: str) -> DictConfig:
    """Return the configuration of the rehearsal, with a stub and results in `folder`."""
    rehearsal = composed.copy()
    OmegaConf.set_readonly(rehearsal, False)
    rehearsal.paths.results = folder
    rehearsal.run.histories = min(config.histories or HISTORIES, HISTORIES)
    rehearsal.run.stream = None
    rehearsal.run.limit = min(config.limit or QUESTIONS, QUESTIONS)
    rehearsal.embedder = compose_config(["embedder=hashing"]).embedder
    rehearsal.index = compose_config(["index=numpy"]).index
    for llm in (rehearsal.llm, rehearsal.get("judge_llm")):
        if llm is not None and "build" in llm:
            _let_the_stub_answer(llm, folder)
    return rehearsal


def _let_the_stub_answer(llm: Any, folder: str) -> None:
    """Replace the configured endpoint by the stub."""
    endpoint = llm.build.endpoint.get("recorded", llm.build.endpoint)
    llm.build.endpoint = {
        "_target_": "remem.serve.stub.endpoint.StubEndpoint",
        "size": "paper",
        "model": endpoint.model,
        "max_output_tokens": endpoint.max_output_tokens,
        "json_mode": endpoint.json_mode,
    }
    llm.build.store = str(Path(folder) / "calls.sqlite")
    llm.build.budget_dollars = None
    OmegaConf.update(llm, "build.ledger", None, force_add=True)
    llm.identity = {"kind": STUB}


def _share(histories: Sequence[History], part: Sequence[History]) -> Fraction:
    """Return the number of characters in all histories divided by that in a part of them."""
    whole, rehearsed = (
        sum(len(message.text) for history in some for message in history.messages())
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
