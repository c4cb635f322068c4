"""The wordings of the eight Test of Time question types, stored in `texts/wording.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from remem.benchmarks.text_files import read_texts

FILE = Path(__file__).parent / "texts" / "wording.yaml"


@dataclass(frozen=True, slots=True)
class TotWording:
    """A question template, its `which` (start, after, last, ...) and the requested entity."""

    text: str
    which: str = ""
    asks: Literal["subject", "object"] = "subject"


@dataclass(frozen=True, slots=True)
class WrittenTemplate:
    """A template in the file, which stands for one wording per item of `which`."""

    text: str
    which: tuple[str, ...] = ("",)
    asks: Literal["subject", "object"] = "subject"


@cache
def wordings() -> Mapping[str, tuple[TotWording, ...]]:
    """Return all wordings of each question type."""
    written = read_texts(FILE, dict[str, tuple[WrittenTemplate, ...]])
    return {
        question_type: tuple(
            TotWording(template.text, which, template.asks)
            for template in templates
            for which in template.which
        )
        for question_type, templates in written.items()
    }
