"""Typed access to the settings of a composed configuration.

Use `RunConfig.settings`. The raw tree is only read as a whole: to fingerprint a run, to build its
parts, or to copy it into a bundle.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AliasPath, BeforeValidator, Field, Strict, ValidationError
from pydantic_core import PydanticCustomError

from remem.errors import SettingsError
from remem.files.adapters import adapter, first_fault
from remem.llm.http_client import shown_address

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
    """The class that makes a benchmark; `whole` is the benchmark that a part is taken from."""

    target: Annotated[Text, Field(validation_alias="_target_")] = ""
    whole: "Source | None" = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A choice of conf/dataset; `released_f1` is the F1 that convention=reference scores."""

    name: Text
    scores: Annotated[tuple[Text, ...], Field(min_length=1)]
    build: Build
    source: Annotated[Source, Field(validation_alias="build")]
    style: Text = ""
    released_f1: Text | None = None
    temporal_labels: TemporalLabels | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """A choice of conf/method; `index_artefact` names the arguments that shape an index.

    `appends` is False if a second call of `index` does not add to what the first one indexed.
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
    """The settings that shape replies or vectors of a model, as far as other code reads them."""

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
    """The endpoint of a model; `recorded` is the endpoint whose stored replies a replay uses."""

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
        """Return the name or address of the server; "" for a replay or a server of the run."""
        return self.known_as or shown_address(self.base_url)


@dataclass(frozen=True, slots=True)
class ChatModelSettings:
    """The settings of a chat model that all models share."""

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
    """A choice of conf/judge; `build` is None for judge=none, `chat_model` also for judge=rules."""

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
    """A choice of conf/logger; all fields except the name are settings of W&B."""

    name: Text
    project: str = "remem"
    entity: str | None = None
    group: str | None = None
    offline: bool = False
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
    """The group `run` of conf/config.yaml; None for `histories` or `limit` takes all.

    `stream` is None for a run that asks all questions after the whole history; the two settings
    after it only count for the others.
    """

    packages: tuple[Text, ...]
    histories: AtLeastOne | None = None
    limit: AtLeastOne | None = None
    health: Literal["stop", "warn"] = "stop"
    stream: Literal["session"] | None = None
    stream_every: AtLeastOne = 1
    stream_rule: Literal["doubling", "all"] = "doubling"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all groups that the code reads."""

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
        SettingsError: A setting is missing or of a wrong type; the message names its key.
    """
    try:
        return adapter(Settings).validate_python(resolved)
    except ValidationError as error:
        raise SettingsError(first_fault(error)) from error
