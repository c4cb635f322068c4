"""Estimate the calls, tokens and costs of a run by rehearsing a part of it without any model.

The rehearsal uses the real pipeline and prompts. A stub makes up replies as long as the paper's,
and hashing replaces the embedder. The estimate includes calls whose replies are already in the call
store. Runs that are estimated together share their calls as real runs do, so the index that they
share counts only for the first run.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from omegaconf import DictConfig, OmegaConf

from remem.config.instantiation import SharedInstance, nodes
from remem.config.permissions import MEM0, sends_each_message
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import StopRunError
from remem.llm.budget import Price
from remem.llm.call_store import CallStore
from remem.llm.endpoint import STUB
from remem.protocols import Benchmark
from remem.results.costs import StageUsage, stage_prices
from remem.results.judging import judge_run
from remem.results.verdicts import judgment_usages
from remem.run.experiment import Experiment
from remem.run.progress import Asked, asked_questions, questions_of
from remem.run.stream_run import planned_asks
from remem.types import History, Question, Record, Stage, Usage

CALLS = "calls.sqlite"
QUESTIONS = 20
"""The number of questions to rehearse, evenly spaced."""
MESSAGES = 900
"""Maximum messages of a history that a rehearsal indexes with a model; a REALTALK history fits."""
MESSAGES_OF_MEM0 = 80
"""The same for Mem0, which is slow for each message, but uses equally many tokens for each."""

UNITS: Mapping[Stage, str] = {
    "index": "history",
    "recall": "question",
    "read": "question",
    "judge": "verdict",
}


@dataclass(frozen=True, slots=True)
class UsageEstimate:
    """The usage of each stage of a run, scaled up from the rehearsed histories and questions.

    `free` says, for each model that costs nothing, why it is free.
    """

    stages: tuple[StageUsage, ...]
    histories: int
    questions: int
    free: tuple[str, ...] = ()


def rehearse(
    composed: DictConfig, folder: Path, benchmark: Benchmark | None = None
) -> UsageEstimate:
    """Rehearse a part of a run and scale up its usage; calls already in `folder` do not count.

    Nothing is rehearsed if the run does not call a model.

    Args:
        composed: The configuration of the run.
        folder: The folder from `rehearsals`, with the stored calls and indexes of earlier
            rehearsals.
        benchmark: The benchmark of the run, if the caller has already built it.

    Raises:
        RuntimeError: A question failed in the rehearsal.
    """
    config = run_config(composed)
    models = _models(config)
    free = tuple(filter(None, (model.free for model in models)))
    stages = {stage for model in models if model.is_sent_calls for stage in model.stages}
    if not stages:
        return UsageEstimate((), 0, 0, free)
    benchmark = benchmark or config.build_benchmark()
    asked = asked_questions(benchmark, config.histories, config.limit)
    part = _part(config, asked)
    if config.settings.bypasses_caches:  # such a run shares no calls with others
        folder = folder / f"alone-{len(list(folder.iterdir()))}"
    usage = _rehearsed(composed, config, part, folder)
    factors = _factors(config, benchmark, asked, part)
    prices = _prices(config, models)
    return UsageEstimate(
        tuple(
            _scaled(stage, usage[stage], *factors[stage], prices[stage])
            for stage in UNITS
            if stage in stages and usage[stage].calls
        ),
        len(part),
        len(questions_of(part)),
        free,
    )


def estimate(composed: DictConfig) -> UsageEstimate:
    """Estimate the usage of a single run; see `rehearse`."""
    with rehearsals() as folder:
        return rehearse(composed, folder)


def estimate_together(
    rows: Sequence[Sequence[str]],
) -> list[UsageEstimate | ImportError | RuntimeError]:
    """Estimate the runs of several rows of overrides; a run reuses the calls of earlier runs.

    If a run cannot be rehearsed, its error takes the place of the estimate.
    """
    estimates: list[UsageEstimate | ImportError | RuntimeError] = []
    built_from: object = None
    benchmark: Benchmark | None = None
    with rehearsals() as folder:
        for overrides in rows:
            composed = compose_config(overrides)
            config = run_config(composed)
            if benchmark is None or built_from != config.settings.dataset.build:
                benchmark, built_from = config.build_benchmark(), config.settings.dataset.build
            try:
                estimates.append(rehearse(composed, folder, benchmark))
            except ImportError as error:  # a package of the row is missing here
                estimates.append(ImportError(str(error)))
            except (RuntimeError, StopRunError) as error:
                estimates.append(RuntimeError(str(error)))
    return estimates


@contextmanager
def rehearsals() -> Iterator[Path]:
    """Yield a temporary folder for rehearsals; no warnings are logged during the block."""
    logging.disable(logging.WARNING)
    try:
        with TemporaryDirectory() as folder:
            yield Path(folder)
    finally:
        logging.disable(logging.NOTSET)


def _scaled(
    stage: Stage, usage: Usage, units: int, factor: Fraction, price: Price | None
) -> StageUsage:
    whole = usage.times(factor)
    dollars = None if price is None else price.dollars(whole)
    return StageUsage(stage, UNITS[stage], units, whole, dollars)


def _factors(
    config: RunConfig, benchmark: Benchmark, asked: Asked, part: Asked
) -> Mapping[Stage, tuple[int, Fraction]]:
    """Return for each stage its number of units, and the total divided by the rehearsed part."""
    answers, rehearsed = len(questions_of(asked)), len(questions_of(part))
    asks = planned_asks(config, benchmark, asked) if config.is_stream else answers
    whole, some = ([history for history, _ in chosen] for chosen in (asked, part))
    by_message = sends_each_message(config.settings.method.build["_target_"])
    size = _messages if by_message else _episodes
    of_index = (len(whole), Fraction(size(whole), size(some)))
    of_asks = (asks, Fraction(asks, rehearsed))
    # An answer is judged once, after the last session.
    of_judge = (answers, Fraction(answers, rehearsed))
    return {"index": of_index, "recall": of_asks, "read": of_asks, "judge": of_judge}


def _part(config: RunConfig, asked: Asked) -> Asked:
    """Return the histories and questions to rehearse.

    For a method without a model, the questions are from all histories, since it may recall an
    entire history. A memory with a model indexes only the histories closest to the mean in size.
    """
    build, chat_model = config.settings.method.build, config.settings.llm.build
    if all(node != chat_model for node in nodes(build)):
        chosen = {question.query.id for question in _spaced(questions_of(asked))}
        return [
            (history, rehearsed)
            for history, questions in asked
            if (rehearsed := [question for question in questions if question.query.id in chosen])
        ]
    most = MESSAGES_OF_MEM0 if build["_target_"] == MEM0 else MESSAGES
    histories = _excerpt([history for history, questions in asked if questions], most)
    by_history = {history.id: questions for history, questions in asked}
    questions_each = -(-QUESTIONS // len(histories))
    return [(history, _spaced(by_history[history.id], questions_each)) for history in histories]


def _spaced(questions: Sequence[Question], most: int = QUESTIONS) -> Sequence[Question]:
    """Return at most this many questions, evenly spaced."""
    size = min(most, len(questions))
    return [questions[(2 * at + 1) * len(questions) // (2 * size)] for at in range(size)]


def _excerpt(histories: Sequence[History], most: int) -> list[History]:
    """Return the histories closest to the mean in size, cut to at most `most` messages each.

    Histories are added until together they have half of `most` messages.
    """
    sizes = [(_messages([history]), _characters([history])) for history in histories]
    messages, characters = (sum(size) / len(histories) for size in zip(*sizes, strict=True))
    unlike = {
        history.id: abs(size[0] / messages - 1) + abs(size[1] / characters - 1)
        for history, size in zip(histories, sizes, strict=True)
    }
    chosen: list[History] = []
    for history in sorted(histories, key=lambda history: unlike[history.id]):
        chosen.append(_beginning(history, most))
        if _messages(chosen) >= most / 2 or len(chosen) == QUESTIONS:
            break
    return chosen


def _beginning(history: History, most: int) -> History:
    """Return a history with only its first episodes, up to this many messages."""
    count = 0
    for at, episode in enumerate(history.episodes, start=1):
        count += len(episode.messages)
        if count >= most:
            return replace(history, episodes=history.episodes[:at])
    return history


@dataclass(frozen=True, slots=True)
class _Model:
    """The model of some stages: its configuration group, its name, and its endpoint if any."""

    group: str
    name: str
    endpoint: Mapping[str, Any] | None
    stages: tuple[Stage, ...]

    @property
    def is_sent_calls(self) -> bool:
        """Whether the run calls the model, over a network or on this machine."""
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
            replies = f"{self.group}=replay reads the replies of {self.name} from the call store"
            return f"{replies} ({stages}), so it sends nothing and costs nothing"
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
    served_here = [stage for model in models if model.is_served_here for stage in model.stages]
    return {**stage_prices(config), **dict.fromkeys(served_here, Price(0.0, 0.0))}


def _rehearsed(
    composed: DictConfig, config: RunConfig, part: Asked, folder: Path
) -> Mapping[Stage, Usage]:
    """Return the usage of the rehearsed part by stage; for the index, only calls sent just now."""
    rehearsal = run_config(_rehearsal(composed, str(folder)))
    sent = _sent_to_index(folder)
    records = list(_answered(Experiment.of(rehearsal), part))
    judged: list[Usage] = []
    if rehearsal.judgments is not None:
        with TemporaryDirectory() as judging:
            judge_run(rehearsal, Path(judging), records)
            judged = judgment_usages(Path(judging) / rehearsal.judgments)
    return {
        "index": _less(_sent_to_index(folder), sent),
        "recall": sum((record.recall_usage for record in records), Usage()),
        "read": sum((record.read_usage for record in records), Usage()),
        "judge": sum(judged, Usage()),
    }


def _answered(experiment: Experiment, part: Asked) -> Iterator[Record]:
    for history, questions in part:
        indexed = experiment.index(history, questions)
        for question in questions:
            record, _ = experiment.answer(indexed, question)
            if record.status == "error":
                raise RuntimeError(f"the rehearsal failed at {record.query_id}: {record.error}")
            yield record


def _sent_to_index(folder: Path) -> Usage:
    path = folder / CALLS
    return CallStore(path).usage("index") if path.exists() else Usage()


def _less(usage: Usage, earlier: Usage) -> Usage:
    return Usage(
        usage.calls - earlier.calls,
        usage.prompt_tokens - earlier.prompt_tokens,
        usage.completion_tokens - earlier.completion_tokens,
    )


def _rehearsal(composed: DictConfig, folder: str) -> DictConfig:
    """Return the configuration of the rehearsal, with a stub and results in `folder`."""
    rehearsal = composed.copy()
    OmegaConf.set_readonly(rehearsal, False)
    rehearsal.paths.results = folder
    rehearsal.run.stream = None
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
    llm.build.store = str(Path(folder) / CALLS)
    llm.build.budget_dollars = None
    OmegaConf.update(llm, "build.ledger", None, force_add=True)
    llm.identity = {"kind": STUB}


def _messages(histories: Sequence[History]) -> int:
    return sum(len(episode.messages) for history in histories for episode in history.episodes)


def _episodes(histories: Sequence[History]) -> int:
    return sum(len(history.episodes) for history in histories)


def _characters(histories: Sequence[History]) -> int:
    return sum(len(message.text) for history in histories for message in history.messages())
