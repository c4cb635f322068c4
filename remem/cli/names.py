"""The names that commands take: tables, the groups of conf and their choices, datasets and scores.

A wrong name is refused, with the nearest one as a suggestion.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from remem.config.conf_files import conf_choices, conf_groups
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError

Names = TypeVar("Names", str, list[str], list[str] | None)

TABLES = "table"
HIDDEN = ("paths", "prices")
NOT_OVERRIDES = (TABLES, "score")
"""Listed groups that are no override of a run; a score is added by +score=<name>."""
DESCRIPTION = ("#: ", "title: ")
LABEL = re.compile(r"(?:label|heading): (?P<label>[^#]+)")
REFERENCE = re.compile(r"\$\{(\w+)\.(?:name|label)\}")
SUFFIX = re.compile(r"\$\{oc\.select:\w+\.suffix,[^}]*\}")
"""What another group adds to a label; nothing by default."""


@dataclass(frozen=True, slots=True)
class DescribedChoice:
    """A name in a group: its label in tables, "" if it has none, and one sentence on it."""

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


def tables_of_paper() -> dict[str, str]:
    """Return the tables of the paper and its worked examples, each with a description."""
    from remem.paper.layout import CASES, paper_folder, paper_table_names

    folder = paper_folder()
    tables = {
        name: f"paper: {describe(folder / f'{name}.yaml')}" for name in paper_table_names(folder)
    }
    return {**tables, CASES: "paper: its worked examples"}


def table_by_number(table: str) -> str:
    """Return the name of the paper's table with this number, or the text itself."""
    from remem.paper.layout import paper_folder, read_tables

    if not table.isascii() or not table.isdigit():
        return table
    names = {str(paper.header.number): name for name, paper in read_tables(paper_folder()).items()}
    return names.get(table, table)


def all_tables() -> dict[str, str]:
    """Return every table with its description."""
    own = {path.stem: describe(path) for path in conf_choices(TABLES)}
    return {**tables_of_paper(), **own}


def group_names() -> list[str]:
    """Return the groups that can be listed."""
    return [TABLES, *(name for name in conf_groups() if name not in (*HIDDEN, TABLES))]


def choices_of(group: str) -> list[DescribedChoice]:
    """Return the choices of a group."""
    if group == TABLES:
        return [DescribedChoice(name, "", about) for name, about in all_tables().items()]
    return [
        DescribedChoice(path.stem, label_of(path), describe(path)) for path in conf_choices(group)
    ]


def descriptions(group: str) -> dict[str, str]:
    """Return the names in a group, each with its description."""
    return {choice.name: choice.about for choice in choices_of(group)}


def dataset_names() -> list[str]:
    """Return the datasets that have notes."""
    from remem.benchmarks.files.notes import datasets_folder

    return sorted(path.parent.name for path in datasets_folder().glob("*/sources.yaml"))


def convention_names() -> list[str]:
    """Return the conventions of conf/convention."""
    from remem.results import conventions

    return conventions.convention_names()


def prompt_sources() -> Collection[str]:
    """Return the sets of other people's prompts that can be downloaded."""
    from remem.benchmarks.files.fetched_prompts import SOURCES

    return SOURCES


def score_names() -> Collection[str]:
    """Return the scores of a question."""
    from remem.config.settings import our_scores
    from remem.metrics.question_scores import REFUSALS

    return (*REFUSALS, *(score.name for score in our_scores()))


def describe(path: Path) -> str:
    """Return the description of a file of conf: its line after "#: ", or else its title."""
    for line in path.read_text("utf-8").splitlines():
        for mark in DESCRIPTION:
            if line.startswith(mark):
                about = line.removeprefix(mark)
                return about.strip('"') if about.startswith('"') else about
    return ""


def label_of(path: Path) -> str:
    """Return the label or heading of a file of conf; the name of another part is in brackets."""
    lines = path.read_text("utf-8").splitlines()
    match = next(filter(None, map(LABEL.match, lines)), None)
    label = SUFFIX.sub("", match["label"].strip().strip('"')) if match else ""
    return REFERENCE.sub(r"<\1>", label)
