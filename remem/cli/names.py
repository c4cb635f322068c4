"""The names that commands take: tables, the groups of conf and their choices, datasets and scores.

If a name is unknown, the error suggests a similar name.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from remem.config.conf_files import (
    OWN_SCORES,
    SCORES_FILE,
    conf_choices,
    conf_folder,
    conf_groups,
)
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.opened import read_text

Names = TypeVar("Names", str, list[str], list[str] | None)

TABLES = "table"
HIDDEN = ("paths", "prices")
NOT_OVERRIDES = (TABLES, OWN_SCORES)
"""Listed groups that are not overrides of a run; a score is added by +score=<name>."""
DESCRIPTION = ("#: ", "title: ")
LABEL = re.compile(r"(?:label|heading): (?P<label>[^#]+)")
SCORE = re.compile(
    r"^(?P<name>\w+):\n  about: (?P<about>.*)\n  heading: (?P<label>.*)$", re.MULTILINE
)
REFERENCE = re.compile(r"\$\{(\w+)\.(?:name|label)\}")
SUFFIX = re.compile(r"\$\{oc\.select:\w+\.suffix,[^}]*\}")
"""The text that another group adds to a label; none by default."""


@dataclass(frozen=True, slots=True)
class DescribedChoice:
    """A choice in a group, with its label in tables ("" for no label) and a short description."""

    name: str
    label: str
    about: str


def check_name(what: str, name: str, known: Collection[str]) -> None:
    """Raise UsageError if a name is unknown."""
    if name not in known:
        raise UsageError(
            f"unknown {what} {name!r}; choose {either(known)}{did_you_mean(name, known)}"
        )


def one_of(what: str, known: Callable[[], Collection[str]]) -> Callable[[Names], Names]:
    """Return a callback that checks one name or several; an empty name is allowed."""

    def check(names: Names) -> Names:
        for name in filter(None, [names] if isinstance(names, str) else names or []):
            check_name(what, name, known())
        return names

    return check


def paper_tables() -> list[str]:
    """Return the names of the tables of the paper."""
    from remem.paper.layout import paper_folder, paper_table_names

    return list(paper_table_names(paper_folder()))


def table_by_number(table: str) -> str:
    """Return the name of the paper's table with this number; return any other text unchanged."""
    from remem.paper.layout import paper_folder, read_tables

    if not table.isascii() or not table.isdigit():
        return table
    names = {str(paper.header.number): name for name, paper in read_tables(paper_folder()).items()}
    return names.get(table, table)


def all_tables() -> dict[str, str]:
    """Return every table with its description."""
    from remem.paper.layout import paper_folder

    of_paper = {
        name: f"paper: {describe(paper_folder() / f'{name}.yaml')}" for name in paper_tables()
    }
    own = {path.stem: describe(path) for path in conf_choices(TABLES)}
    return {**of_paper, **own}


def group_names() -> list[str]:
    """Return the groups that can be listed."""
    groups = sorted({*conf_groups(), OWN_SCORES} - {*HIDDEN, TABLES})
    return [TABLES, *groups]


def choices_of(group: str) -> list[DescribedChoice]:
    """Return the choices of a group."""
    if group == TABLES:
        return [DescribedChoice(name, "", about) for name, about in all_tables().items()]
    if group == OWN_SCORES:
        return [
            DescribedChoice(*(text.strip("'") for text in score.group("name", "label", "about")))
            for score in SCORE.finditer(read_text(conf_folder() / SCORES_FILE))
        ]
    return [
        DescribedChoice(path.stem, label_of(path), describe(path)) for path in conf_choices(group)
    ]


def descriptions(group: str) -> dict[str, str]:
    """Return the names in a group, each with its description."""
    return {choice.name: choice.about for choice in choices_of(group)}


def dataset_names() -> list[str]:
    """Return the names of the datasets in the folder `datasets`."""
    from remem.benchmarks.files.notes import datasets_folder

    return sorted(path.parent.name for path in datasets_folder().glob("*/sources.yaml"))


def convention_names() -> list[str]:
    """Return the conventions of conf/convention."""
    from remem.results import conventions

    return conventions.convention_names()


def prompt_sources() -> Collection[str]:
    """Return the names of other people's prompts that can be downloaded."""
    from remem.benchmarks.files.fetched_prompts import SOURCES

    return SOURCES


def score_names() -> Collection[str]:
    """Return the names of the scores that a question can have."""
    from remem.config.settings import our_scores
    from remem.metrics.question_scores import REFUSALS

    return (*REFUSALS, *(score.name for score in our_scores()))


def describe(path: Path) -> str:
    """Return the description of a file of conf: the text after its first "#: " or "title: "."""
    for line in read_text(path).splitlines():
        for mark in DESCRIPTION:
            if line.startswith(mark):
                about = line.removeprefix(mark)
                return about.strip('"') if about.startswith('"') else about
    return ""


def label_of(path: Path) -> str:
    """Return the label or heading in a file of conf; references to other parts become <part>."""
    lines = read_text(path).splitlines()
    match = next(filter(None, map(LABEL.match, lines)), None)
    label = SUFFIX.sub("", match["label"].strip().strip('"')) if match else ""
    return REFERENCE.sub(r"<\1>", label)
