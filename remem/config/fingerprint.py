"""What names a run or an index: the sha256 of its configuration, its data and its prompts."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from remem.config.instantiation import OURS, nodes
from remem.config.settings import Settings
from remem.llm.endpoint import STUB
from remem.prompts.chosen import PromptSum, prompt_origin
from remem.protocols import DataFile


def data_sums(files: Sequence[DataFile]) -> list[list[str]]:
    """Return names and sums of the files, sorted."""
    return sorted([file.name, file.sha256] for file in files)


def prompt_sums(prompts: Sequence[PromptSum]) -> dict[str, list[str]]:
    """Return the texts that are asked with; nothing where no model is, as if there were none."""
    return {"prompts": sorted(prompt.sha256 for prompt in prompts)} if prompts else {}


def judge_prompt(kind: str | None, prompts: Sequence[PromptSum]) -> str:
    """Return whose prompts a judge asks with and, where the configuration says it, of what kind."""
    return f"{prompt_origin(prompts)} ({kind})" if kind else prompt_origin(prompts)


def timing_stamp(settings: Settings) -> dict[str, object]:
    """Return what tells a run without caches from those that answer the same; else nothing.

    A part of the questions is a measurement of its own, not the beginning of a longer one.
    """
    if not settings.bypasses_caches:
        return {}
    part = {"histories": settings.run.histories, "limit": settings.run.limit}
    return {"cache": "bypass", "workers": settings.runner.workers, **part}


def digest(content: object) -> str:
    """Return the first 12 hex digits of the sha256 of JSON data.

    Of a class of our own only its name counts, so that moving it renames no run and no index. A
    class of another package keeps its module: two packages may use the same name.
    """
    text = json.dumps(_by_component(content), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _by_component(node: Any) -> Any:
    if isinstance(node, list):
        return [_by_component(value) for value in node]
    if not isinstance(node, Mapping):
        return node
    named = {key: _by_component(value) for key, value in node.items()}
    target = node.get("_target_")
    return named if target is None else {**named, "_target_": _component(str(target))}


def _component(target: str) -> str:
    package = target.partition(".")[0]
    return target.rpartition(".")[2] if package in OURS else target


def model_name(llm: Mapping[str, Any]) -> str:
    """Return the name of an entry of conf/llm; our stub has its own, whoever asks it.

    The stub answers to one name of a model only, so llm=openai_compatible is told by that too.
    """
    stubbed = any(node.get("model") == STUB for node in nodes(llm.get("build", {})))
    return STUB if stubbed else str(llm["name"])
