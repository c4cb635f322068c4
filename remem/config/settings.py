"""Typed access to the settings of a composed configuration.

Most code uses `RunConfig.settings`. Only code that needs the whole configuration reads the raw one,
for example to compute fingerprints, to build the parts of a run, or to pack a bundle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AliasPath, BeforeValidator, Field, Strict, ValidationError
from pydantic_core import PydanticCustomError

from remem.config.conf_files import SCORES_FILE, conf_folder
from remem.config.instantiation import OURS, check_arguments, check_targets, instantiate_checked
from remem.errors import SettingsError, UsageError
from remem.files.adapters import adapter, first_fault
from remem.files.yaml_text import read_plain_yaml
from remem.llm.http_client import shown_address
from remem.metrics.convention import Score, ScoreConvention

Text = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]


def _at_least_one(value: object) -> object:
    if type(value) is not int or value < 1:
        raise PydanticCustomError("at_least_one", "a whole number of at least 1")
    return value


AtLeastOne = Annotated[int, BeforeValidator(_at_least_one)]


def _part(value: object) -> object:
    if not isinstance(value, dict) or not isinstance(value.get("_target_"), str):
        raise PydanticCustomError("part", "a part with a _target_")
    return value


Build = Annotated[dict[str, Any], BeforeValidator(_part)]
"""The configuration of a part: `_target_`, and arguments that only its class knows."""


@dataclass(frozen=True, slots=True)
class TemporalLabels:
    """Where published temporal classes of a dataset's questions are stored."""

    set: Text
    file: Text


@dataclass(frozen=True, slots=True)
class Source:
    """The class of a benchmark; for a part of another benchmark, `whole` is the whole benchmark."""

    target: Annotated[Text, Field(validation_alias="_target_")] = ""
    whole: "Source | None" = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A choice of conf/dataset; `released_f1` names the F1 used with convention=reference."""

    name: Text
    scores: Annotated[tuple[Text, ...], Field(min_length=1)]
    build: Build
    source: Annotated[Source, Field(validation_alias="build")]
    style: Text = ""
    released_f1: Text | None = None
    temporal_labels: TemporalLabels | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """A choice of conf/method; `index_artefact` names the arguments that its index depends on.

    `appends` is False if a second call of `index` does not add to the index of the first call.
    """

    name: Text
    label: Text
    build: Build
    index_artefact: tuple[Text, ...] | None = None
    sees_gold: Flag = False
    appends: Flag = True
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class PartSettings:
    """A choice of conf/reader or conf/planner."""

    name: Text
    build: Build


@dataclass(frozen=True, slots=True)
class Identity:
    """The settings of an `identity` that code reads; they affect a model's replies or vectors."""

    model: Text | None = None
    revision: Text | None = None
    weights_sha256: Text | None = None


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """A choice of conf/embedder; `weights` is "random" if the vectors have no meaning."""

    name: Text
    build: Build
    weights: Text = ""
    identity: Identity = Identity()


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """The endpoint of a model; in a replay, `recorded` is the endpoint that gave the replies."""

    model: Text | None = None
    base_url: Text = ""
    known_as: Text | None = None
    key_variable: Text | None = None
    max_output_tokens: int | None = None
    server: dict[str, Any] | None = None
    recorded: "EndpointSettings | None" = None

    @property
    def answering(self) -> "EndpointSettings":
        """Return the endpoint that the replies come from."""
        return self.recorded or self

    @property
    def address(self) -> str:
        """Return the server's name or address; "" for a replay, or if the run starts the server."""
        return self.known_as or shown_address(self.base_url)


@dataclass(frozen=True, slots=True)
class ChatModelSettings:
    """The settings that all chat models have in common."""

    endpoint: EndpointSettings = EndpointSettings()
    prices: Text = ""
    budget_dollars: float | None = None
    ledger: Text | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A choice of conf/llm; `build` is None for llm=none."""

    name: Text
    build: Build | None = None
    chat_model: Annotated[ChatModelSettings, Field(validation_alias="build")] = ChatModelSettings()
    identity: Identity = Identity()
    mark: Text = ""
    output_cap_source: Text | None = None


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """A choice of conf/judge.

    `build` is None for judge=none; `chat_model` is None for judge=none and judge=rules.
    """

    name: Text
    kind: Text | None = None
    repeats: AtLeastOne = 1
    build: Build | None = None
    chat_model: Annotated[
        ChatModelSettings | None, Field(validation_alias=AliasPath("build", "chat_model"))
    ] = None


@dataclass(frozen=True, slots=True)
class ChoiceSettings:
    """A choice of a group; only its name is read."""

    name: Text


@dataclass(frozen=True, slots=True)
class Convention:
    """A choice of conf/convention: its settings for runs and for scores."""

    name: Text
    run: dict[str, Any]
    score: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """A choice of conf/runner; manifests of earlier versions have no `build`."""

    name: Text
    workers: AtLeastOne
    build: Build | None = None


@dataclass(frozen=True, slots=True)
class Cache:
    """A choice of conf/cache; `calls` is the file of the call store."""

    name: Text
    calls: Text = ""


@dataclass(frozen=True, slots=True)
class Logger:
    """A choice of conf/logger; all fields except the name are settings of W&B.

    `seconds` is the minimum time between two points logged while a run answers questions.
    """

    name: Text
    project: str = "remem"
    entity: str | None = None
    group: str | None = None
    offline: bool = False
    seconds: float = 10.0
    with_text: bool = False
    allow_stub: bool = False


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of the data sets, of results and of fetched prompts."""

    data: Text
    results: Text
    prompts: Text


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The group `run` of conf/config.yaml; `histories` and `limit` are None if there is no limit.

    `stream` is None for a run that asks all questions after the entire history; `stream_every` and
    `stream_rule` are then unused. `evidence_tokens` is None if a reader sees all recalled evidence.
    """

    packages: tuple[Text, ...]
    histories: AtLeastOne | None = None
    limit: AtLeastOne | None = None
    health: Literal["stop", "warn"] = "stop"
    stream: Literal["session"] | None = None
    stream_every: AtLeastOne = 1
    stream_rule: Literal["doubling", "all"] = "doubling"
    evidence_tokens: AtLeastOne | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings that the code reads, by group."""

    dataset: Dataset
    method: Method
    ablation: ChoiceSettings
    reader: PartSettings
    planner: PartSettings
    llm: Model
    embedder: EmbedderSettings
    judge: JudgeSettings
    convention: Convention
    runner: RunnerSettings
    paths: Paths
    run: RunSettings
    judge_llm: Model | None = None
    cache: Cache | None = None
    logger: Logger = field(default_factory=lambda: Logger("none"))
    score: Mapping[str, Any] = field(default_factory=dict)
    """The user's own scores, by name, with the content of their files score/<name>.yaml."""

    @property
    def bypasses_caches(self) -> bool:
        """Return whether the run uses no caches."""
        return self.cache is not None and self.cache.name == "bypass"


def read_settings(resolved: Mapping[str, Any]) -> Settings:
    """Return the settings of a resolved configuration.

    Raises:
        SettingsError: A setting is missing or has the wrong type; the message names its key.
    """
    try:
        return adapter(Settings).validate_python(resolved)
    except ValidationError as error:
        raise SettingsError(first_fault(error)) from error


SETTINGS = frozenset({"heading", "unit", "better", "needs", "build"})


@cache
def our_scores() -> tuple[Score, ...]:
    """Return the scores of `conf/scores.yaml`, in their order."""
    settings = read_plain_yaml(conf_folder() / SCORES_FILE)
    return tuple(_score(name, settings[name], OURS) for name in settings)


def all_scores(added: Mapping[str, Any], packages: Sequence[str]) -> tuple[Score, ...]:
    """Return our scores, followed by those that a configuration adds.

    Args:
        added: The group `score` of a configuration: the settings of each score, by its name.
        packages: The packages whose functions an added score may use.

    Raises:
        UsageError: An added score has the same name as one of our scores, or wrong settings.
    """
    ours = our_scores()
    for name in added:
        if name in {score.name for score in ours}:
            raise UsageError(
                f"score.{name}: remem already has a score with this name; choose another name"
            )
    scores = (*ours, *(_score(name, added[name], packages) for name in sorted(added)))
    _check_headings(scores)
    return scores


def score_headings(added: Mapping[str, Any]) -> dict[str, str]:
    """Return the headings of our scores and of added scores by name, without building any score.

    Args:
        added: The settings of added scores, by name.

    Raises:
        UsageError: The heading of an added score is missing or is not text.
    """
    headings = {score.name: score.heading for score in our_scores()}
    for name, settings in added.items():
        heading = settings.get("heading") if isinstance(settings, Mapping) else None
        if not isinstance(heading, str):
            raise UsageError(f"score.{name}: heading is {repr(heading)[:80]}, expected text")
        headings[name] = heading
    return headings


def checked_convention(names: Mapping[str, Any], scores: tuple[Score, ...]) -> ScoreConvention:
    """Check the settings of a score convention, and build it with these scores.

    Raises:
        UsageError: A setting or its value is unknown.
    """
    if "scores" in names:
        raise UsageError(
            "convention.score has no key 'scores'; to choose which scores to show, set "
            "dataset.scores"
        )
    check_arguments("convention.score", ScoreConvention, names)
    try:
        return ScoreConvention(**names, scores=scores)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _check_headings(scores: Sequence[Score]) -> None:
    """Raise UsageError if two scores have the same heading, because readers could confuse them."""
    names: dict[str, str] = {}
    for score in scores:
        if score.heading in names:
            raise UsageError(
                f"score.{score.name}.heading is {score.heading!r}, which is already the heading "
                f"of {names[score.heading]}; choose another heading"
            )
        names[score.heading] = score.name


def _score(name: str, settings: object, packages: Sequence[str]) -> Score:
    where = f"score.{name}"
    if not isinstance(settings, Mapping) or not settings.keys() <= {*SETTINGS, "about"}:
        raise UsageError(
            f"{where} is {repr(settings)[:80]}, expected only {', '.join(sorted(SETTINGS))}. A "
            f"file score/{name}.yaml must begin with the line '# @package score.{name}'"
        )
    shown = {key: value for key, value in settings.items() if key not in ("about", "build")}
    arguments = {**shown, "name": name, "needs": tuple(shown.get("needs", ()))}
    check_arguments(where, Score, arguments)
    if "build" not in settings:
        if "judge" not in arguments["needs"]:
            raise UsageError(f"{where} has no function: name one in build, or set needs: [judge]")
        return Score(**arguments)
    check_targets(where, settings["build"], packages)
    return Score(**arguments, function=instantiate_checked(settings["build"]))
