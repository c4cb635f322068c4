"""Prompts of others, standing in for ours: fetched by whoever wants them, never shipped, never run.

Their sums are verified whenever they are read; what no file stands in for stays our own prompt.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remem.benchmarks.files.audit import VerificationFailedError
from remem.benchmarks.files.notes import UNPINNED
from remem.benchmarks.files.prompt_recipes import FetchedMessage, files_of, messages_of, recipe_of
from remem.benchmarks.files.sums import expected_sum
from remem.prompts.library import Prompt, own_library
from remem.protocols import ChatMessage


@dataclass(frozen=True, slots=True)
class FetchedPrompt:
    """A prompt in the words of others, with our values in its placeholders."""

    name: str
    library: str
    sha256: str
    messages: tuple[FetchedMessage, ...]

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Fill in the values, as plain text; raise ValueError when one is missing."""
        return tuple(message.render(self.name, values) for message in self.messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedLibrary:
    """Prompts out of constants of Python files, which are read as data.

    `sums` are by file; where one is missing, the first fetch has recorded it. `recipes` are by the
    name of our prompt and say what stands in for it (remem.benchmarks.files.prompt_recipes).
    """

    name: str
    folder: str
    sums: Mapping[str, str]
    recipes: Mapping[str, object]

    def owner(self, name: str) -> str:
        """Return whose prompt stands in for ours, without reading it."""
        return self.name if name in self.recipes else own_library().owner(name)

    def load(self, name: str) -> Prompt:
        """Read what stands in for a prompt of ours, else ours.

        Raises:
            FileNotFoundError: It has not been fetched.
            VerificationFailedError: A file has changed since.
            ValueError: A file, or the recipe, is not of the shape that is expected.
        """
        if name not in self.recipes:
            return own_library().load(name)
        recipe = recipe_of(self.recipes[name], f"{self.name}: the recipe of {name}")
        contents = {file: self._verified(Path(self.folder) / file) for file in files_of(recipe)}
        return FetchedPrompt(
            name=Path(next(iter(contents))).stem,
            library=self.name,
            sha256=_sum_of(contents),
            messages=messages_of(
                recipe, lambda file: (contents[file], str(Path(self.folder) / file))
            ),
        )

    def _verified(self, path: Path) -> bytes:
        folder = path.parent
        pinned = self.sums.get(path.name, UNPINNED)
        expected = expected_sum(folder.parent, folder.name, path.name, pinned)
        if expected is None or not path.is_file():
            raise FileNotFoundError(
                f"{path} has not been downloaded and verified; run `remem fetch-prompts "
                f"{self.name}`"
            )
        content = path.read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != expected:
            raise VerificationFailedError(
                f"{path} has sha256 {found}, expected {expected}; move it away and run `remem "
                f"fetch-prompts {self.name}`"
            )
        return content


def _sum_of(contents: Mapping[str, bytes]) -> str:
    """Return the sum of a file; of several, that of their list of sums."""
    sums = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    if len(sums) == 1:
        return next(iter(sums.values()))
    listed = "".join(f"{found}  {file}\n" for file, found in sorted(sums.items()))
    return hashlib.sha256(listed.encode()).hexdigest()
