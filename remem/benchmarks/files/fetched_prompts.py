"""Replace our prompts with prompts of other projects, which the user downloads.

remem does not contain these prompts. Their checksums are verified whenever they are read, and the
Python files that define them are never run. If a prompt has no replacement, our own is used.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from omegaconf import OmegaConf
from rich.console import Console

from remem.benchmarks.files.fetch import fetch_sets
from remem.benchmarks.files.notes import UNPINNED, DatasetNotes, expected_sum
from remem.benchmarks.files.prompt_recipes import FetchedMessage, files_of, messages_of, recipe_of
from remem.config.run_config import compose_config
from remem.config.suggestions import either
from remem.errors import UsageError, VerificationFailedError
from remem.files.opened import read_file
from remem.prompts.library import Prompt, own_library
from remem.protocols import ChatMessage


@dataclass(frozen=True, slots=True)
class FetchedPrompt:
    """A prompt of another project, with our values in its placeholders."""

    name: str
    library: str
    sha256: str
    messages: tuple[FetchedMessage, ...]

    def render(self, **values: object) -> tuple[ChatMessage, ...]:
        """Return the messages that are sent for these values, with the values filled in.

        Raises:
            ValueError: A value is missing, or no message is sent for these values.
        """
        sent = [message for message in self.messages if message.is_sent(values)]
        if not sent:
            names = sorted({name for message in self.messages for name in message.when})
            given = {name: values.get(name) for name in names}
            raise ValueError(
                f"prompt {self.name} of {self.library} has no message for the values {given}"
            )
        return tuple(message.render(self.name, values) for message in sent)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedLibrary:
    """Prompts from constants in Python files, which are parsed but never run.

    `sums` has the known checksums. For other files, the checksum of the first download is recorded.
    `recipes` maps the name of our prompt to the recipe of its replacement
    (remem.benchmarks.files.prompt_recipes).
    """

    name: str
    folder: str
    sums: Mapping[str, str]
    recipes: Mapping[str, object]

    def owner(self, name: str) -> str:
        """Return the name of the library that has a prompt, without reading the prompt."""
        return self.name if name in self.recipes else own_library().owner(name)

    def load(self, name: str) -> Prompt:
        """Return the replacement of our prompt, or our prompt if there is none.

        Raises:
            FileNotFoundError: The file has not been downloaded.
            VerificationFailedError: A file has changed since its download.
            ValueError: A file or the recipe does not have the expected structure.
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
                f"{path} has not been downloaded and verified; run `remem data prompts {self.name}`"
            )
        content = read_file(path)
        sum_of_file = hashlib.sha256(content).hexdigest()
        if sum_of_file != expected:
            raise VerificationFailedError(
                f"{path} has sha256 {sum_of_file}, expected {expected}; move it away and run "
                f"`remem data prompts {self.name}`"
            )
        return content


def _sum_of(contents: Mapping[str, bytes]) -> str:
    """Return the checksum of a file, or the checksum of the list of checksums of several files."""
    sums = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    if len(sums) == 1:
        return next(iter(sums.values()))
    listed = "".join(f"{sum_of_file}  {file}\n" for file, sum_of_file in sorted(sums.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


SOURCES = {
    "released": ("prompts", "released"),
    "mem0-judge": ("judge", "mem0"),
    "beam-judge": ("judge", "beam_official"),
    "longmemeval-judge": ("judge", "longmemeval_official"),
    "locomo-plus-judge": ("judge", "locomo_plus_official"),
    "personamem": ("prompts", "personamem"),
}
"""By name of the prompts, the group and option of conf/ whose `source` has their address."""


def fetch_prompts(name: str, overrides: Sequence[str], console: Console) -> None:
    """Download these prompts if they are missing; verify those that exist.

    Raises:
        FetchError: A file is missing, or has the wrong checksum (WrongFileError).
    """
    if name not in SOURCES:
        raise UsageError(f"unknown prompts {name!r}; choose {either(SOURCES)}")
    group, option = SOURCES[name]
    chosen = compose_config([f"{group}={option}", *overrides])[group].source
    source: Any = OmegaConf.to_container(chosen, resolve=True)
    folder = Path(source["folder"])
    notes = [_notes(folder, source["sums"], **origin) for origin in source["origins"].values()]
    console.print(f"use these prompts with {group}={option}", markup=False, highlight=False)
    fetch_sets(notes, folder.parent, console)


def _notes(
    folder: Path, sums: Mapping[str, str], licence: str, address: str, files: Sequence[str]
) -> DatasetNotes:
    """Return the notes on the files of one origin; all origins share a folder."""
    names = {PurePosixPath(file).name: file for file in files}
    return DatasetNotes(
        name=folder.name,
        licence=licence,
        note=f"from {address}",
        sums={name: sums.get(name, UNPINNED) for name in names},
        urls={name: f"{address}/{file}" for name, file in names.items()},
        loadings=(),
    )
