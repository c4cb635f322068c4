"""What the values of a manifest must be: whoever reads one finds them of these types, or an error.

A key may be missing, as in manifests of earlier versions, and there may be others.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

LARGEST = 2**53
"""What is larger is no count: JSON readers elsewhere keep whole numbers up to here."""
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Seconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
MOST_SHOWN = 100
NEEDED = ("fingerprint", "data", "prompts", "commits")
"""What a run that is shown, compared or packed says of itself, next to its configuration."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class _Prompt:
    library: str
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class _Failed:
    history: str
    episode: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ServedShape:
    """What `Served` holds, of plausible sizes."""

    calls: Count = 0
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    seconds: Seconds = 0.0
    model_mib: Count = 0
    run_mib: Count = 0


@dataclass(frozen=True, slots=True)
class _Manifest:
    config: dict[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    data: list[_File] = field(default_factory=list)
    llm: str = ""
    prompts: list[_Prompt] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    python: str = ""
    platform: str = ""
    packages: dict[str, str] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    finished: str = ""
    index_usage: dict[str, dict[str, Count]] = field(default_factory=dict)
    index_counts: dict[str, dict[str, Count]] = field(default_factory=dict)
    failed_episodes: list[_Failed] = field(default_factory=list)
    index_seconds: Seconds = 0.0
    index_waited_seconds: Seconds = 0.0
    indexes_built: Count = 0
    indexes_reused: Count = 0
    questions: Count = 0
    answered: Count = 0
    errors: Count = 0
    cut_replies: dict[str, Count] = field(default_factory=dict)
    peak_rss_mib: Count = 0
    served: ServedShape = ServedShape()
    partial: bool = True
    own_process: bool = False


@dataclass(frozen=True, slots=True)
class _Paths:
    data: str
    results: str
    prompts: str


@dataclass(frozen=True, slots=True)
class _Source:
    target: Annotated[str, Field(alias="_target_")] = ""
    whole: "_Source | None" = None


@dataclass(frozen=True, slots=True)
class _Dataset:
    name: str
    scores: Annotated[list[str], Field(min_length=1)]
    build: _Source
    style: str = ""


@dataclass(frozen=True, slots=True)
class _Method:
    name: str
    label: str
    build: dict[str, Any]
    index_artefact: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    build: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Choice:
    name: str


@dataclass(frozen=True, slots=True)
class _Recorded:
    model: str | None = None


@dataclass(frozen=True, slots=True)
class _Endpoint:
    model: str | None = None
    recorded: _Recorded | None = None


@dataclass(frozen=True, slots=True)
class _ModelBuild:
    endpoint: _Endpoint = _Endpoint()
    prices: str = ""


@dataclass(frozen=True, slots=True)
class _Model:
    name: str
    build: _ModelBuild = _ModelBuild()
    identity: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _JudgeBuild:
    chat_model: _ModelBuild = _ModelBuild()


@dataclass(frozen=True, slots=True)
class _Judge:
    name: str
    build: _JudgeBuild = _JudgeBuild()


@dataclass(frozen=True, slots=True)
class _Convention:
    name: str
    score: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class _Run:
    packages: list[str]


@dataclass(frozen=True, slots=True)
class _Runner:
    workers: Count


@dataclass(frozen=True, slots=True)
class _Configuration:
    paths: _Paths
    dataset: _Dataset
    method: _Method
    reader: _Part
    planner: _Part
    embedder: _Part
    ablation: _Choice
    llm: _Model
    judge: _Judge
    convention: _Convention
    run: _Run
    runner: _Runner
    judge_llm: _Model | None = None
    cache: _Choice | None = None


def check_shape(path: Path, manifest: Mapping[str, Any]) -> None:
    """Check the types of what a manifest holds.

    Raises:
        ValueError: A value is of another type; the message names file and key.
    """
    wrong = _wrong(_manifest_reader(), manifest)
    if wrong:
        raise ValueError(
            f"{path}: {wrong}; move the file away and run the same command again: its answers are "
            f"kept"
        )


def check_configured(manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest that is not of a run whose configuration it says.

    Raises:
        ValueError: It is not; the message says why.
    """
    for name in ("config", *NEEDED):
        if name not in manifest:
            raise ValueError(f"{name} is missing")
    wrong = _wrong(_configuration_reader(), manifest["config"])
    if wrong:
        raise ValueError(wrong)
    method = manifest["config"]["method"]
    needed = ("_target_", *method["index_artefact"]) if "index_artefact" in method else ()
    for key in needed:
        if key not in method["build"]:
            raise ValueError(f"method.build.{key} is missing")


def _wrong(reader: TypeAdapter[Any], said: object) -> str:
    """Say which value is of another type; "" where none is."""
    try:
        reader.validate_json(json.dumps(said), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))[:MOST_SHOWN] or "it"
        return f"{key} is {repr(first['input'])[:MOST_SHOWN]}: {first['msg'].lower()}"
    return ""


@cache
def _manifest_reader() -> TypeAdapter[_Manifest]:
    return TypeAdapter(_Manifest)


@cache
def _configuration_reader() -> TypeAdapter[_Configuration]:
    return TypeAdapter(_Configuration)
