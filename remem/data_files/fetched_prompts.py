"""Prompts of others, standing in for ours: fetched by whoever wants them, never shipped, never run.

Their sums are verified whenever they are read; what no file stands in for stays our own prompt.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from remem.data_files.audit import VerificationFailedError
from remem.data_files.notes import UNPINNED
from remem.data_files.sums import expected_sum
from remem.prompts.library import Prompt, filled, own_library
from remem.prompts.placeholders import Syntax, placeholders, substituted
from remem.prompts.python_constants import read_constant
from remem.protocols import ChatMessage


@dataclass(frozen=True, slots=True)
class FetchedPrompt:
    """A prompt in the words of others; `slots` say what of ours goes into each placeholder."""

    name: str
    library: str
    sha256: str
    messages: tuple[ChatMessage, ...]
    syntax: Syntax
    slots: Mapping[str, str]

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Fill in the values, as plain text; raise ValueError when one is lacking."""
        slots = {slot: filled(self.name, text, values) for slot, text in self.slots.items()}
        return tuple(
            ChatMessage(one.role, substituted(one.content, slots, self.syntax))
            for one in self.messages
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedLibrary:
    """Prompts out of Python files, each a constant: a text, or messages with role and content.

    `sums` are by file; where one is lacking, the first fetch has recorded it. `files` and `slots`
    are by the name of our prompt: what stands in for it, and what goes into its placeholders.
    """

    name: str
    folder: str
    sums: Mapping[str, str]
    constant: str
    syntax: Syntax
    files: Mapping[str, str]
    slots: Mapping[str, Mapping[str, str]]

    def load(self, name: str) -> Prompt:
        """Read what stands in for a prompt of ours, else ours.

        Raises:
            FileNotFoundError: It has not been fetched.
            VerificationFailedError: The file has changed since.
            ValueError: The file is not of the shape that is expected.
        """
        if name not in self.files:
            return own_library().load(name)
        file = self.files[name]
        path = Path(self.folder) / file
        content = self._verified(path)
        messages = _messages(read_constant(content, str(path), self.constant), str(path))
        _check_slots(messages, self.syntax, self.slots[name], str(path))
        return FetchedPrompt(
            name=Path(file).stem,
            library=self.name,
            sha256=hashlib.sha256(content).hexdigest(),
            messages=messages,
            syntax=self.syntax,
            slots=self.slots[name],
        )

    def _verified(self, path: Path) -> bytes:
        folder = path.parent
        pinned = self.sums.get(path.name, UNPINNED)
        expected = expected_sum(folder.parent, folder.name, path.name, pinned)
        if expected is None or not path.is_file():
            raise FileNotFoundError(
                f"{path} has not been fetched and verified: run `remem fetch-prompts {self.name}`"
            )
        content = path.read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != expected:
            raise VerificationFailedError(
                f"{path} has sha256 {found}, expected {expected}: move it away and run "
                f"`remem fetch-prompts {self.name}`"
            )
        return content


def _messages(constant: Any, source: str) -> tuple[ChatMessage, ...]:
    listed = [{"role": "user", "content": constant}] if isinstance(constant, str) else constant
    try:
        return TypeAdapter(tuple[ChatMessage, ...]).validate_python(listed)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"{source} holds no messages with role and content: {where}: {first['msg']}"
        ) from error


def _check_slots(
    messages: tuple[ChatMessage, ...], syntax: Syntax, slots: Mapping[str, str], source: str
) -> None:
    """See that all we have to say has a place, and that nothing else is asked for."""
    try:
        found = {name for one in messages for name in placeholders(one.content, syntax)}
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
    if found != slots.keys():
        raise ValueError(f"{source} has the placeholders {sorted(found)}, expected {sorted(slots)}")
