"""Find the prompt that a configuration names, and the checksums of prompts."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from remem.prompts.library import Prompt, PromptFolder, PromptLibrary

FILE_SUFFIX = ".txt"


def chosen_prompt(library: PromptLibrary, name: str) -> Prompt:
    """Read a prompt by its name in the library, or by the path of a .txt file."""
    if not name.endswith(FILE_SUFFIX):
        return library.load(name)
    path = Path(name)
    return PromptFolder(path.name, path.parent).load(path.stem)


def prompt_owner(library: PromptLibrary, name: str) -> str:
    """Return the source of a prompt without reading it."""
    return Path(name).name if name.endswith(FILE_SUFFIX) else library.owner(name)


@dataclass(frozen=True, slots=True)
class PromptName:
    """A prompt's name (of our own prompt that it replaces, if any) and its source."""

    library: str
    name: str


@dataclass(frozen=True, slots=True)
class PromptSum:
    """The identity of a prompt: its source, its name and its sha256."""

    library: str
    name: str
    sha256: str


def prompt_sum(library: PromptLibrary, name: str) -> PromptSum:
    """Return the identity of a prompt."""
    found = chosen_prompt(library, name)
    return PromptSum(found.library, found.name, found.sha256)


def prompt_origin(sums: Collection[PromptSum]) -> str:
    """Return the origin of prompts: "none", "own", or other libraries with their checksums.

    >>> released = PromptSum("released", "a", "12" * 32)
    >>> prompt_origin([PromptSum("own", "planner.v1", "0" * 64), released])
    'own(planner.v1)+released:121212121212'
    """
    own = sorted({prompt.name for prompt in sums if prompt.library == "own"})
    others = sorted(
        {f"{prompt.library}:{prompt.sha256[:12]}" for prompt in sums if prompt.library != "own"}
    )
    if not others:
        return "own" if own else "none"
    return "+".join((*([f"own({', '.join(own)})"] if own else []), *others))
