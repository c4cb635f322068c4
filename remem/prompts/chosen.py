"""Find the prompt that a configuration names, and the checksums of prompts."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from remem.prompts.library import Prompt, PromptFile, PromptFolder, PromptLibrary, own_library
from remem.protocols import ChatMessage


@dataclass(frozen=True, slots=True)
class FewShotLibrary:
    """Our prompts for small models, in the version with few-shot examples if there is one."""

    few_shot: PromptFolder
    usual: PromptFolder

    def owner(self, name: str) -> str:
        """Return the name of our library; prompts with and without examples belong to it."""
        return self.usual.owner(name)

    def load(self, name: str) -> PromptFile:
        """Read the version of a prompt with examples; if there is none, read the usual version."""
        has_one = (self.few_shot.folder / f"{name}{FILE_SUFFIX}").is_file()
        return (self.few_shot if has_one else self.usual).load(name)


def few_shot_library() -> FewShotLibrary:
    """Return the library of prompts for small models."""
    usual = own_library()
    return FewShotLibrary(PromptFolder(usual.name, Path(__file__).parent / "few_shot"), usual)


SENTENCE = "This text stands in for a released prompt that has not been fetched. "


@dataclass(frozen=True, slots=True)
class StandIn:
    """One of our prompts, with its instructions replaced by meaningless text."""

    own: Prompt
    library: str
    characters: int

    @property
    def name(self) -> str:
        """Return the name of our prompt."""
        return self.own.name

    @property
    def sha256(self) -> str:
        """Return a hash of our prompt's sha256 and the length of the meaningless text."""
        return hashlib.sha256(f"{self.own.sha256} {self.characters}".encode()).hexdigest()

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Return the messages of our prompt, with the first one replaced by meaningless text."""
        first, *others = self.own.render(**values)
        text = (SENTENCE * (self.characters // len(SENTENCE) + 1))[: self.characters]
        return (replace(first, content=text), *others)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInLibrary:
    """Our prompts, except that a `StandIn` replaces each prompt that `characters` lists."""

    name: str
    characters: Mapping[str, int]

    def owner(self, name: str) -> str:
        """Return the name of the library that a prompt comes from."""
        return self.name if name in self.characters else own_library().owner(name)

    def load(self, name: str) -> Prompt:
        """Return the stand-in of a prompt, or our prompt if `characters` has no length for it."""
        own = own_library().load(name)
        if name not in self.characters:
            return own
        return StandIn(own, self.name, self.characters[name])


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
    """A prompt's source and name; other sources' versions of our prompts keep our names."""

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
    prompt = chosen_prompt(library, name)
    return PromptSum(prompt.library, prompt.name, prompt.sha256)


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
