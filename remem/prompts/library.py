"""Prompts that are rendered into chat messages; ours are text files, named by version.

A file has one part per message; each part starts with a line such as `=== system ===`. The parts
are split before values are filled in, so that no value, such as a chat message, can start a new
part.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from remem.files.opened import read_file
from remem.protocols import ChatMessage

if TYPE_CHECKING:
    from jinja2 import Template


def bounded(
    schema: Mapping[str, Any], most: int, named: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return the schema with every free text limited to `most` characters.

    `named` maps the names of some properties to other limits. Limits must be low, because a grammar
    expresses a limit as repetitions of a character, and llama.cpp refuses 2,000 repetitions.

    >>> bounded({"type": "array", "items": {"type": "string"}}, 80)
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 80}}
    """
    named = named or {}
    ended = dict(schema)
    if "properties" in ended:
        ended["properties"] = {
            name: bounded(part, named.get(name, most), named)
            for name, part in ended["properties"].items()
        }
    if "anyOf" in ended:
        ended["anyOf"] = [bounded(part, most, named) for part in ended["anyOf"]]
    if "items" in ended:
        ended["items"] = bounded(ended["items"], most, named)
    if "string" in ended.get("type", ()) and "enum" not in ended:
        ended["maxLength"] = most
    return ended


Role = Literal["system", "user", "assistant"]

_PART = re.compile(rf"^=== ({'|'.join(get_args(Role))}) ===\n", re.MULTILINE)
OF_EXPRESSIONS = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
)
"""Errors that an expression in a prompt may raise, such as {{ 1 / 0 }}."""
_NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")


class Prompt(Protocol):
    """A prompt template."""

    @property
    def name(self) -> str:
        """Return the name of the file without its extension."""
        ...

    @property
    def library(self) -> str:
        """Return the name of the library of the prompt."""
        ...

    @property
    def sha256(self) -> str:
        """Return the sha256 of the file."""
        ...

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Fill in the values as plain text; raise ValueError if a value is missing."""
        ...


class PromptLibrary(Protocol):
    """A source of prompts."""

    def owner(self, name: str) -> str:
        """Return the source of the prompt with this name, without reading it."""
        ...

    def load(self, name: str) -> Prompt:
        """Read a prompt by name, such as "gist_extraction.chat.v1"."""
        ...


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt read from a file."""

    name: str
    text: str
    sha256: str
    library: str

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Fill in the values as plain text; raise ValueError if a value is missing.

        >>> text = "=== user ===" + chr(10) + "Hi {{ who }}!"
        >>> PromptFile("greeting.v1", text, "", "own").render(who="<A>")[0].content
        'Hi <A>!'
        """
        before, *parts = _PART.split(self.text)
        if before.strip() or not parts:
            raise ValueError(f"prompt {self.name} does not begin with the line `=== system ===`")
        return tuple(
            ChatMessage(role, filled(self.name, body, values))
            for role, body in zip(_roles(parts[::2]), parts[1::2], strict=True)
        )


def filled(prompt: str, text: str, values: Mapping[str, object]) -> str:
    """Fill values into a text with Jinja placeholders; `prompt` is the name used in errors."""
    from jinja2 import TemplateError

    try:
        return _compiled(text).render(values).strip()
    except (TemplateError, *OF_EXPRESSIONS) as error:
        raise ValueError(f"prompt {prompt} cannot be rendered: {error}") from error


@cache
def _compiled(text: str) -> "Template":
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=DictLoader({}),  # a prompt includes no other
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string(text)


@dataclass(frozen=True, slots=True)
class PromptFolder:
    """A folder of prompts; `name` is what records call it: "own", or the source of the prompts."""

    name: str
    folder: Path

    def owner(self, name: str) -> str:
        """Return the name of this library for every prompt."""
        return self.name

    def load(self, name: str) -> PromptFile:
        """Read a prompt, such as "gist_extraction.chat.v1"."""
        path = self.folder / f"{name}.txt"
        if not _NAME.fullmatch(name) or not path.is_file():
            there = ", ".join(sorted(file.stem for file in self.folder.glob("*.txt")))
            raise FileNotFoundError(
                f"no prompt {name!r} in the library {self.name!r} at {self.folder}; "
                f"there are: {there or 'none'}"
            )
        content = read_file(path)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not text in UTF-8 ({error}); save it as UTF-8") from error
        return PromptFile(name, text, hashlib.sha256(content).hexdigest(), self.name)


def own_library() -> PromptFolder:
    """Return the prompts that come with this package."""
    return PromptFolder("own", Path(__file__).parent)


def load(name: str) -> PromptFile:
    """Read one of our own prompts."""
    return own_library().load(name)


def _roles(names: list[str]) -> list[Role]:
    return [role for name in names for role in get_args(Role) if role == name]
