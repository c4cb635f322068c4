"""Prompts that stand in for the released ones in a rehearsal, at their length."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from remem.prompts.library import Prompt, own_library
from remem.protocols import ChatMessage

SENTENCE = "This text stands in for a released prompt that has not been fetched. "


@dataclass(frozen=True, slots=True)
class StandIn:
    """One of our prompts whose instructions are replaced by a text without a meaning."""

    own: Prompt
    library: str
    characters: int

    @property
    def name(self) -> str:
        """Return the name of our prompt."""
        return self.own.name

    @property
    def sha256(self) -> str:
        """Return the sha256 of our prompt and the length."""
        return hashlib.sha256(f"{self.own.sha256} {self.characters}".encode()).hexdigest()

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Return our messages for these values, with the text as the first one."""
        first, *others = self.own.render(**values)
        text = (SENTENCE * (self.characters // len(SENTENCE) + 1))[: self.characters]
        return (replace(first, content=text), *others)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInLibrary:
    """Stand-ins for the prompts in `characters`, which has their lengths; the others are ours."""

    name: str
    characters: Mapping[str, int]

    def owner(self, name: str) -> str:
        """Return the name of the library that a prompt comes from."""
        return self.name if name in self.characters else own_library().owner(name)

    def load(self, name: str) -> Prompt:
        """Return the stand-in of a prompt, or our prompt if its length is not known."""
        own = own_library().load(name)
        if name not in self.characters:
            return own
        return StandIn(own, self.name, self.characters[name])
