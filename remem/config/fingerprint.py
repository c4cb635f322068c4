"""Fingerprints of runs and indexes: the sha256 of the configuration, data and prompts."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from remem.config.conf_files import prompt_libraries
from remem.config.instantiation import OURS, check_targets, instantiate_checked, nodes
from remem.config.settings import Settings
from remem.config.suggestions import either
from remem.errors import UsageError
from remem.llm.endpoint import STUB
from remem.prompts.chosen import PromptName, PromptSum, prompt_origin, prompt_owner, prompt_sum
from remem.prompts.library import PromptLibrary
from remem.protocols import DataFile


def data_sums(files: Sequence[DataFile]) -> list[list[str]]:
    """Return the sorted names and checksums of the data files."""
    return sorted([file.name, file.sha256] for file in files)


def prompt_sums(prompts: Sequence[PromptSum]) -> dict[str, list[str]]:
    """Return {"prompts": sorted checksums}, or {} if there are no prompts."""
    return {"prompts": sorted(prompt.sha256 for prompt in prompts)} if prompts else {}


def judge_prompt(kind: str | None, prompts: Sequence[PromptSum]) -> str:
    """Return the source of a judge's prompts and, if configured, their kind."""
    return f"{prompt_origin(prompts)} ({kind})" if kind else prompt_origin(prompts)


def run_stamp(settings: Settings) -> dict[str, object]:
    """Return the fields that only some runs add to their fingerprint; {} for all other runs.

    A run adds fields if it is timed, asks questions while the memory grows, or limits the evidence.
    A timed run adds its numbers of histories and questions, because a timed run on fewer questions
    is a separate measurement and not the start of a longer run.
    """
    run, stamp = settings.run, dict[str, object]()
    if settings.bypasses_caches:
        stamp |= {"cache": "bypass", "workers": settings.runner.workers}
        stamp |= {"histories": run.histories, "limit": run.limit}
    if run.stream is not None:
        rule = {"unit": run.stream, "every": run.stream_every, "rule": run.stream_rule}
        stamp["stream"] = rule
    if run.evidence_tokens is not None:
        stamp["evidence_tokens"] = run.evidence_tokens
    return stamp


def digest(content: object) -> str:
    """Return the first 12 hex digits of the sha256 of JSON data.

    For a class of remem, only the name is hashed, so that moving the class to another module does
    not change fingerprints. For other classes, the module is hashed too, because two packages may
    use the same name.
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
    """Return the name of a choice of conf/llm, or the name of the stub if the stub answers.

    The stub can also answer with llm=openai_compatible or in a rehearsal.
    """
    return STUB if asks_stub(llm.get("build", {})) else str(llm["name"])


def asks_stub(settings: Mapping[str, Any]) -> bool:
    """Return whether a configuration uses the stub, under any name, to answer or to embed."""
    return any(STUB in (node.get("model"), node.get("known_as")) for node in nodes(settings))


def named_prompts(build: object, packages: Sequence[str]) -> tuple[PromptSum, ...]:
    """Return the distinct prompts that the parts of a build use, sorted.

    Args:
        build: The configuration to be built, with all its parts.
        packages: The packages whose classes may be built.
    """
    sums = {prompt_sum(library, name) for library, name in _asked_with(build, packages)}
    return tuple(sorted(sums, key=lambda prompt: (prompt.library, prompt.name, prompt.sha256)))


def prompt_owners(build: object, packages: Sequence[str]) -> tuple[PromptName, ...]:
    """Return the name and owner of each prompt that a build uses, without reading prompts."""
    owners = {
        PromptName(prompt_owner(library, name), name)
        for library, name in _asked_with(build, packages)
    }
    return tuple(sorted(owners, key=lambda prompt: (prompt.library, prompt.name)))


def _asked_with(build: object, packages: Sequence[str]) -> Iterator[tuple[PromptLibrary, str]]:
    for node in nodes(build):
        if "prompts" not in node:
            continue
        _check_library(node["prompts"], packages)
        library: PromptLibrary = instantiate_checked(node["prompts"])
        for key, name in node.items():
            if name is not None and (key == "prompt" or key.endswith("_prompt")):
                yield library, name


def _check_library(build: object, packages: Sequence[str]) -> None:
    """Raise an error for a class that is not a prompt library: it might write files when built."""
    for node in nodes(build):
        target = str(node["_target_"])
        if target.split(".", maxsplit=1)[0] in OURS and target not in prompt_libraries():
            raise UsageError(
                f"prompts: _target_ {target!r} is not a prompt library; choose "
                f"{either(sorted(prompt_libraries()))}, or a class of your own package"
            )
    check_targets("prompts", build, packages)
