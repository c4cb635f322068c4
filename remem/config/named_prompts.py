"""The prompts that a configuration names; their texts are part of a run's fingerprint.

A part with a prompt library as `prompts` names its prompts in `prompt` or `..._prompt`.
"""

from collections.abc import Iterator, Sequence

from remem.config.conf_files import prompt_libraries
from remem.config.instantiation import OURS, built, check_targets, nodes
from remem.config.suggestions import either
from remem.errors import UsageError
from remem.prompts.chosen import PromptName, PromptSum, prompt_owner, prompt_sum
from remem.prompts.library import PromptLibrary


def named_prompts(build: object, packages: Sequence[str]) -> tuple[PromptSum, ...]:
    """Return the prompts of the parts of a build, sorted and without duplicates.

    Args:
        build: The configuration to be built, with all its parts.
        packages: The packages whose classes may be built.
    """
    found = {prompt_sum(library, name) for library, name in _asked_with(build, packages)}
    return tuple(sorted(found, key=lambda prompt: (prompt.library, prompt.name, prompt.sha256)))


def prompt_owners(build: object, packages: Sequence[str]) -> tuple[PromptName, ...]:
    """Return the sorted names and owners of the prompts of a build, without reading them."""
    found = {
        PromptName(prompt_owner(library, name), name)
        for library, name in _asked_with(build, packages)
    }
    return tuple(sorted(found, key=lambda prompt: (prompt.library, prompt.name)))


def _asked_with(build: object, packages: Sequence[str]) -> Iterator[tuple[PromptLibrary, str]]:
    for node in nodes(build):
        if "prompts" not in node:
            continue
        _check_library(node["prompts"], packages)
        library: PromptLibrary = built(node["prompts"])
        for key, name in node.items():
            if name is not None and (key == "prompt" or key.endswith("_prompt")):
                yield library, name


def _check_library(build: object, packages: Sequence[str]) -> None:
    """Raise an error for a class that is not a prompt library: it might write files when built."""
    for node in nodes(build):
        target = str(node["_target_"])
        if target.split(".", maxsplit=1)[0] in OURS and target not in prompt_libraries():
            raise UsageError(
                f"prompts: _target_ {target!r} is not a library of prompts; choose "
                f"{either(sorted(prompt_libraries()))}, or a class of your own package"
            )
    check_targets("prompts", build, packages)
