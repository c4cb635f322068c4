"""Prompts of our own for small models, which follow examples better than rules.

If a prompt has no few-shot version, the usual prompt is used.
"""

from dataclasses import dataclass
from pathlib import Path

from remem.prompts.chosen import FILE_SUFFIX
from remem.prompts.library import PromptFile, PromptFolder, own_library


@dataclass(frozen=True, slots=True)
class FewShotLibrary:
    """A library that prefers prompts with examples to those of our own library."""

    few_shot: PromptFolder
    usual: PromptFolder

    def owner(self, name: str) -> str:
        """Return the name of our own library, because both libraries are ours."""
        return self.usual.owner(name)

    def load(self, name: str) -> PromptFile:
        """Read the version with examples of this prompt, or else the usual prompt."""
        has_one = (self.few_shot.folder / f"{name}{FILE_SUFFIX}").is_file()
        return (self.few_shot if has_one else self.usual).load(name)


def few_shot_library() -> FewShotLibrary:
    """Return the prompts for small models."""
    usual = own_library()
    return FewShotLibrary(PromptFolder(usual.name, Path(__file__).parent / "few_shot"), usual)
