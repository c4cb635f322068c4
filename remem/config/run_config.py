"""The composed configuration of a run as data, its parts and its fingerprint.

Hydra composes the configuration. This module checks it, builds the parts of the run, and computes
the fingerprint. The fingerprint depends on the parts and on the sha256 of data and prompts. It does
not depend on folders, runner, logger, judge, score conventions or the number of questions.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import InterpolationKeyError

from remem.config.admission import check_composed
from remem.config.async_memory import with_plain_methods
from remem.config.compositions import composition
from remem.config.config_dir import hydra_arguments, strangers_folders
from remem.config.fingerprint import (
    data_sums,
    digest,
    judge_prompt,
    model_name,
    named_prompts,
    prompt_sums,
    run_stamp,
)
from remem.config.instantiation import (
    OURS,
    SharedInstance,
    check_targets,
    instantiate_checked,
    no_model,
)
from remem.config.run_path import folder_name, run_path
from remem.config.settings import Settings, all_scores, checked_convention, read_settings
from remem.config.untrusted_composed import check_groups, check_values, composing
from remem.errors import UsageError
from remem.files.secret_values import check_secrets
from remem.llm.endpoint import STUB
from remem.metrics.convention import ScoreConvention
from remem.prompts.chosen import PromptSum
from remem.protocols import (
    Benchmark,
    DataFile,
    Extractor,
    GradesByGold,
    Judge,
    Memory,
    Reader,
    Repeatable,
)


def compose_config(overrides: Sequence[str]) -> DictConfig:
    """Compose the configuration outside of a Hydra application.

    If two overrides set the same key, the later one counts.
    """
    latest = {change.partition("=")[0]: change for change in hydra_arguments(overrides)}
    return compose_given(list(latest.values()), strangers_folders(overrides))


def compose_given(overrides: Sequence[str], strangers: Sequence[Path] = ()) -> DictConfig:
    """Compose exactly these overrides; `strangers` are the untrusted folders that they add.

    Raises:
        HydraException: Two overrides choose from the same group, or one cannot be applied.
    """
    with composing():
        config = composition(overrides)
    check_composed(config, overrides, strangers)
    return config


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The resolved configuration of a run, with methods that build the parts that it names."""

    resolved: Mapping[str, Any]
    without_paths: Mapping[str, Any]
    """The configuration for fingerprints, with empty paths, runner and logger.

    For each model, it has only the settings that change replies or vectors.
    """
    chat_model: SharedInstance | None = field(default=None, compare=False)
    """The language model of all roles, shared so that they have one budget."""
    judge_model: SharedInstance | None = field(default=None, compare=False)
    """The judge's model: the shared model or another model."""
    given_memory: Callable[[], Memory] | None = field(default=None, compare=False)
    """Returns the caller's memory, which replaces the one in `resolved`."""
    settings: Settings = field(init=False, repr=False, compare=False)
    """The typed settings in `resolved`."""

    def __post_init__(self) -> None:
        """Read the settings.

        Raises:
            SettingsError: A setting is missing or has the wrong type.
        """
        object.__setattr__(self, "settings", read_settings(self.resolved))

    @property
    def dataset(self) -> str:
        """Return the name of the dataset."""
        return self.settings.dataset.name

    @property
    def label(self) -> str:
        """Return the name of the method for tables, with its evidence budget if there is one."""
        label, tokens = self.settings.method.label, self.evidence_tokens
        return label if tokens is None else f"{label} ({tokens:,} tokens)"

    @property
    def planner(self) -> str | None:
        """Return the name of the chosen planner; None if the method does not use it."""
        method, planner = self.settings.method, self.settings.planner
        return planner.name if method.build.get("planner") == planner.build else None

    @property
    def sees_gold(self) -> bool:
        """Return whether the method declares that it is given the gold evidence."""
        return self.settings.method.sees_gold

    @property
    def scores(self) -> list[str]:
        """Return the names of the scores to show: those of the dataset, then the user's own."""
        return list(dict.fromkeys((*self.settings.dataset.scores, *sorted(self.settings.score))))

    @property
    def llm(self) -> str:
        """Return the name of the language model; "none" if no role uses one."""
        return model_name(self.resolved["llm"])

    @property
    def server(self) -> str:
        """Return the address of the language model; "" if it has none."""
        return self.settings.llm.chat_model.endpoint.address

    @property
    def prompts(self) -> tuple[PromptSum, ...]:
        """Return the prompts of the method and the reader."""
        return self._prompts("method", "reader")

    @property
    def judge_prompt(self) -> str:
        """Return the source of the judge's prompt; "none" if there is no judge."""
        return judge_prompt(self.settings.judge.kind, self._prompts("judge"))

    @property
    def final_answer(self) -> str:
        """Return the source of final answers: "synthesise" (reader) or "proposed" (planner)."""
        return str(self.settings.convention.run["final_answer"])

    @property
    def histories(self) -> int | None:
        """Return how many histories are used; None for all."""
        return self.settings.run.histories

    @property
    def limit(self) -> int | None:
        """Return how many questions of each history are asked; None for all."""
        return self.settings.run.limit

    @property
    def is_stream(self) -> bool:
        """Return whether questions are asked while the memory grows (`run.stream=session`)."""
        return self.settings.run.stream is not None

    @property
    def evidence_tokens(self) -> int | None:
        """Return how many tokens of evidence a reader may see; None for all."""
        return self.settings.run.evidence_tokens

    @property
    def workers(self) -> int:
        """Return how many questions are answered in parallel."""
        return self.settings.runner.workers

    @property
    def results(self) -> Path:
        """Return the folder of the runs and the cache."""
        return Path(self.settings.paths.results)

    def score_convention(self) -> ScoreConvention:
        """Return the convention by which answers are scored."""
        names = self.settings.convention.score
        scores = all_scores(self.settings.score, self.packages)
        return checked_convention(names, scores)

    def build_benchmark(self) -> Benchmark:
        """Build the benchmark."""
        benchmark: Benchmark = self._built("dataset")
        return benchmark

    def build_extractor(self) -> Extractor:
        """Build only the extractor, to try it on a text."""
        extractor: Extractor = self._built("extractor")
        return extractor

    def build_reader(self) -> Reader:
        """Build the reader."""
        reader: Reader = self._built("reader")
        return reader

    def build_runner(self) -> Any:
        """Build the runner, whose interface is `remem.run.runner.Runner`."""
        return self._built("runner")

    @property
    def judge_repeats(self) -> int:
        """Return how many verdicts a judge gives on each answer."""
        return self.settings.judge.repeats

    def build_judges(self) -> tuple[Judge | GradesByGold, ...]:
        """Build one judge for each repeat, so that no two repeats share a reply of the model."""
        if self.settings.judge.build is None:
            raise UsageError("no judge is chosen (judge=none); choose one, such as judge=llm")
        build = self._checked("judge")
        if self.judge_model is None:
            if self.judge_repeats > 1:
                raise UsageError("judge.repeats must be 1: this judge does not use a model")
            return (instantiate_checked(build),)
        chat_model = self.judge_model.get()
        models = [chat_model]
        if self.judge_repeats > 1:
            if not isinstance(chat_model, Repeatable):
                raise UsageError(
                    "judge.repeats must be 1: this chat model does not support repeats"
                )
            models = [chat_model.repeated(repeat) for repeat in range(self.judge_repeats)]
        return tuple(instantiate_checked({**build, "chat_model": model}) for model in models)

    @property
    def judgments(self) -> str | None:
        """Return the name of the judge's file in a run's folder; None when there is no judge.

        The name marks a stub judge, so that its verdicts are never mistaken for results.
        """
        judge = self.without_paths["judge"]
        if "build" not in judge:
            return None
        identity = {"judge": judge["build"], **prompt_sums(self._prompts("judge"))}
        name = folder_name(self.without_paths, "judge")
        name += f"-{STUB}" * (model_name(self.resolved["judge"]) == STUB)
        return f"judgments.{name}-{digest(identity)}.jsonl"

    def memory_factory(self, embedder: SharedInstance | None = None) -> Callable[[], Memory]:
        """Return a function that builds a new memory; the memories share their stateless parts.

        Args:
            embedder: The run's shared embedder; only needed by a caller that reads its counts.
        """
        if self.given_memory is not None:
            return self.given_memory
        method = {**self._checked("method"), "_partial_": True}
        factory: Callable[[], Any] = instantiate_checked(method, self.chat_model, embedder)
        return lambda: with_plain_methods(factory())

    def fingerprint(self, files: Sequence[DataFile]) -> str:
        """Return the fingerprint of the run on these data files."""
        parts = {
            name: self.without_paths[name]["build"] for name in ("dataset", "method", "reader")
        }
        return digest(
            {
                **parts,
                **prompt_sums(self.prompts),
                "final_answer": self.final_answer,
                "data": data_sums(files),
                **run_stamp(self.settings),
            }
        )

    def index_fingerprint(self, history_sum: str) -> str | None:
        """Return the fingerprint of a history's index; None if the memory stores no index."""
        method = self.without_paths["method"]
        if "index_artefact" not in method:
            return None
        names = ("_target_", *method["index_artefact"])
        shaping = {key: method["build"][key] for key in names}
        located = self.settings.method.build
        sums = prompt_sums(named_prompts([located[key] for key in names], self.packages))
        return digest({"shaping": shaping, **sums, "history": history_sum})

    def run_folder(self, fingerprint: str) -> Path:
        """Return the folder of the run: its `run_path` in the folder `runs` of the results."""
        return self.results / "runs" / run_path(self.resolved, fingerprint)

    @property
    def packages(self) -> tuple[str, ...]:
        """Return the packages whose classes may be built: remem's and those of `run.packages`."""
        return (*OURS, *self.settings.run.packages)

    def _checked(self, group: str) -> dict[str, Any]:
        build: dict[str, Any] = self.resolved[group]["build"]
        check_targets(group, build, self.packages)
        return build

    def _built(self, group: str) -> Any:
        return instantiate_checked(self._checked(group), self.chat_model)

    def _prompts(self, *groups: str) -> tuple[PromptSum, ...]:
        return named_prompts([self.resolved[group].get("build") for group in groups], self.packages)


def configure(*overrides: str) -> RunConfig:
    """Return the run that these Hydra overrides describe, such as "dataset=locomo".

    Raises:
        UsageError: A key has an invalid value.
        HydraException: An override names an unknown key or choice.
    """
    return run_config(compose_config(overrides))


def run_config(config: DictConfig) -> RunConfig:
    """Return the run that a composed configuration describes, resolved and checked."""
    check_groups(config)
    nowhere = config.copy()
    OmegaConf.set_readonly(nowhere, False)
    for group in ("paths", "runner", "logger"):
        nowhere[group] = dict.fromkeys(config[group], "")
    for chosen in ("llm", "judge_llm", "embedder"):
        model = config.get(chosen)
        if model is not None and "identity" in model:
            identity = OmegaConf.to_container(model.identity, resolve=True)
            # Inside `identity` too, so that nothing but the identity remains.
            nowhere[chosen].build = nowhere[chosen].identity = identity
    resolved = _plain(config)
    check_values(resolved)
    check_secrets("the configuration", resolved, os.environ)
    settings = read_settings(resolved)
    shared = None if settings.llm.build is None else SharedInstance(settings.llm.build)
    return RunConfig(resolved, _plain(nowhere), shared, _judge_model(settings, shared))


def _judge_model(settings: Settings, shared: SharedInstance | None) -> SharedInstance | None:
    if settings.judge.build is None or "chat_model" not in settings.judge.build:
        return None
    build = settings.judge.build["chat_model"]
    if build is None:
        raise no_model(settings.llm.name)
    return shared if shared is not None and build == shared.build else SharedInstance(build)


def _plain(config: DictConfig) -> dict[str, Any]:
    try:
        plain = OmegaConf.to_container(config, resolve=True)
    except InterpolationKeyError as error:
        if "llm.build" not in str(error):
            raise
        raise no_model(config.llm.name) from error
    if not isinstance(plain, dict):
        raise TypeError(f"the configuration is {type(plain).__name__}, expected a mapping")
    return {str(key): value for key, value in plain.items()}
