"""Recipes that assemble a prompt of another project from constants in its Python files.

A recipe is a list of turns. A turn is one message with a role, or a whole chat. Turns can be
repeated for each item of a list, for example for each demonstration. A turn with a condition is
sent only if our values match, for example for one kind of question. The files are parsed but never
run.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from remem.prompts.library import Role, filled
from remem.prompts.placeholders import Syntax, placeholders, substituted
from remem.prompts.python_constants import read_constant, read_fstring, read_items
from remem.protocols import ChatMessage

Reads = Callable[[str], tuple[bytes, str]]
"""Returns the content of a file, and its name for error messages."""
ALONE = "{{ theirs }}"
"""The template that sends a constant of the other project with nothing around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A constant that is inserted into a placeholder unchanged."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    file: str
    constant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FromItem:
    """The text for a placeholder in a repeated turn: the value under the key `item`."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A prompt constant of another project: one message if `role` is set, else a whole chat.

    `slots` maps each placeholder of the constant to its content: a text with Jinja placeholders for
    our values, or a text from the other project. `within` is the Jinja template of the text that is
    sent; in it, `theirs` stands for the constant. The turn is sent only if our values equal those
    in `when`.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    file: str
    constant: str
    role: Role | None = None
    syntax: Syntax | Literal["fstring"] = "plain"
    slots: Mapping[str, str | Quoted | FromItem] = field(default_factory=dict)
    within: str = ALONE
    when: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """Turns that are repeated for each dict in a list."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    each: Quoted
    turns: tuple[Turn, ...]


Recipe = tuple[Turn | Repeated, ...]


@dataclass(frozen=True, slots=True)
class FetchedMessage:
    """A message of another project; our templates or its own texts fill the placeholders."""

    message: ChatMessage
    syntax: Syntax
    ours: Mapping[str, str]
    theirs: Mapping[str, str]
    within: str
    when: Mapping[str, str]

    def is_sent(self, values: Mapping[str, object]) -> bool:
        """Return whether the message is sent for these values."""
        return all(values.get(name) == value for name, value in self.when.items())

    def render(self, prompt: str, values: Mapping[str, object]) -> ChatMessage:
        """Return the message with the values filled in; raise ValueError if a value is missing."""
        ours = {slot: filled(prompt, text, values) for slot, text in self.ours.items()}
        text = substituted(self.message.content, {**self.theirs, **ours}, self.syntax)
        if self.within != ALONE:
            text = filled(prompt, self.within, {**values, "theirs": text})
        return replace(self.message, content=text)


def recipe_of(configured: object, source: str) -> Recipe:
    """Parse a recipe from a configuration; `source` names it in error messages.

    Raises:
        ValueError: The recipe does not have the expected structure.
    """
    try:
        return _recipes().validate_python(configured)
    except ValidationError as error:
        raise ValueError(f"{source}: {_first_problem(error)}") from error


def files_of(recipe: Recipe) -> tuple[str, ...]:
    """Return the distinct files that a recipe reads, in the order of the recipe."""
    return tuple(dict.fromkeys(_files(recipe)))


def messages_of(recipe: Recipe, reads: Reads) -> tuple[FetchedMessage, ...]:
    """Return the messages of a prompt.

    Raises:
        ValueError: A file does not have the structure that the recipe expects.
    """
    return tuple(
        message
        for part in recipe
        for turn, item in _turns(part, reads)
        for message in _messages(turn, item, reads)
    )


def _turns(part: Turn | Repeated, reads: Reads) -> Iterator[tuple[Turn, Mapping[str, str]]]:
    if isinstance(part, Turn):
        yield part, {}
        return
    values = [value for turn in part.turns for value in turn.slots.values()]
    keys = [value.item for value in values if isinstance(value, FromItem)]
    for item in read_items(*reads(part.each.file), part.each.constant, keys):
        yield from ((turn, item) for turn in part.turns)


def _messages(turn: Turn, item: Mapping[str, str], reads: Reads) -> Iterator[FetchedMessage]:
    syntax: Syntax = "braces" if turn.syntax == "fstring" else turn.syntax
    chat = _chat(turn, reads)
    _check_slots(chat, syntax, turn.slots, reads(turn.file)[1])
    ours = {name: value for name, value in turn.slots.items() if isinstance(value, str)}
    theirs = {
        name: _text_of_theirs(value, item, reads)
        for name, value in turn.slots.items()
        if not isinstance(value, str)
    }
    yield from (
        FetchedMessage(message, syntax, ours, theirs, turn.within, turn.when) for message in chat
    )


def _chat(turn: Turn, reads: Reads) -> tuple[ChatMessage, ...]:
    content, source = reads(turn.file)
    read = read_fstring if turn.syntax == "fstring" else read_constant
    turns: Any = read(content, source, turn.constant)
    if turn.role is not None or isinstance(turns, str):
        turns = [{"role": turn.role or "user", "content": turns}]
    try:
        return TypeAdapter(tuple[ChatMessage, ...]).validate_python(turns)
    except ValidationError as error:
        raise ValueError(
            f"{source} has no messages with role and content: {_first_problem(error)}"
        ) from error


def _check_slots(
    chat: tuple[ChatMessage, ...], syntax: Syntax, slots: Mapping[str, object], source: str
) -> None:
    """Raise ValueError unless the placeholders of the chat are exactly those of the slots."""
    try:
        named_slots = {
            name for chat_message in chat for name in placeholders(chat_message.content, syntax)
        }
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    if named_slots != slots.keys():
        raise ValueError(
            f"{source} has the placeholders {sorted(named_slots)}, expected {sorted(slots)}"
        )


def _text_of_theirs(value: Quoted | FromItem, item: Mapping[str, str], reads: Reads) -> str:
    if isinstance(value, FromItem):
        return item[value.item]
    content, source = reads(value.file)
    constant = read_constant(content, source, value.constant)
    if not isinstance(constant, str):
        raise ValueError(f"{source}: {value.constant} is not a text")
    return constant


def _files(recipe: Recipe) -> Iterator[str]:
    for part in recipe:
        if isinstance(part, Repeated):
            yield part.each.file
        for turn in part.turns if isinstance(part, Repeated) else (part,):
            yield turn.file
            yield from (slot.file for slot in turn.slots.values() if isinstance(slot, Quoted))


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


@cache
def _recipes() -> TypeAdapter[Recipe]:
    return TypeAdapter(Recipe)
