"""Check and complete the names in arguments, and suggest the nearest name for a wrong one."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from remem.config.conf_files import conf_choices, conf_groups
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError

Named = TypeVar("Named", str, list[str], list[str] | None)

Packages = Annotated[
    list[str] | None,
    typer.Option("--package", help="a package of your own whose classes may be used; repeatable"),
]
"""Further packages whose classes an untrusted run or bundle may build."""

TABLES = "table"
HIDDEN = ("paths", "prices")
NOT_OVERRIDES = (TABLES, "score")
"""Listed groups that are no override of a run; a score is added by +score=<name>."""
ABOUT = ("#: ", "title: ")
LABEL = re.compile(r"(?:label|heading): (?P<label>[^#]+)")
REFERENCE = re.compile(r"\$\{(\w+)\.(?:name|label)\}")
SUFFIX = re.compile(r"\$\{oc\.select:\w+\.suffix,[^}]*\}")
"""What another group adds to a label; nothing by default."""


def check_name(what: str, name: str, known: Collection[str]) -> None:
    """Raise UsageError if a name is unknown."""
    if name not in known:
        raise UsageError(
            f"unknown {what} {name!r}; choose {either(known)}{did_you_mean(name, known)}"
        )


def one_of(what: str, known: Callable[[], Collection[str]]) -> Callable[[Named], Named]:
    """Return a callback that checks one name or several; an empty name is allowed."""

    def checked(named: Named) -> Named:
        names = [named] if isinstance(named, str) else named or []
        for name in filter(None, names):
            check_name(what, name, known())
        return named

    return checked


def tables_of_paper() -> dict[str, str]:
    """Return the tables of the paper and its worked examples, each with a description."""
    from remem.paper.tables import CASES, paper_folder, paper_table_names

    folder = paper_folder()
    tables = {
        name: f"paper: {described(folder / f'{name}.yaml')}" for name in paper_table_names(folder)
    }
    return {**tables, CASES: "paper: its worked examples"}


def named_by_number(table: str) -> str:
    """Return the name of the paper's table with this number, or the text itself."""
    from remem.paper.tables import paper_folder, read_tables

    if not table.isascii() or not table.isdigit():
        return table
    names = {str(paper.header.number): name for name, paper in read_tables(paper_folder()).items()}
    return names.get(table, table)


def tables() -> dict[str, str]:
    """Return every table with its description."""
    own = {path.stem: described(path) for path in conf_choices(TABLES)}
    return {**tables_of_paper(), **own}


def group_names() -> list[str]:
    """Return the groups that can be listed."""
    return [TABLES, *(name for name in conf_groups() if name not in (*HIDDEN, TABLES))]


@dataclass(frozen=True, slots=True)
class Choice:
    """A name in a group: its label in tables, "" if it has none, and one sentence on it."""

    name: str
    label: str
    about: str


def listed(group: str) -> list[Choice]:
    """Return the choices of a group."""
    if group == TABLES:
        return [Choice(name, "", about) for name, about in tables().items()]
    return [Choice(path.stem, labelled(path), described(path)) for path in conf_choices(group)]


def choices(group: str) -> dict[str, str]:
    """Return the names in a group, each with its description."""
    return {choice.name: choice.about for choice in listed(group)}


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
    from remem.benchmarks.files.fetch_prompts import SOURCES

    return SOURCES


def score_names() -> Collection[str]:
    """Return the scores of a question."""
    from remem.config.scores import our_scores
    from remem.metrics.question_scores import REFUSALS

    return (*REFUSALS, *(score.name for score in our_scores()))


def check_run(folder: Path) -> Path:
    """Raise UsageError if a folder is not a run, and name the nearest run."""
    from remem.run.store import RECORDS

    if (folder / RECORDS).is_file():
        return folder
    if folder.is_dir():
        below = next(
            (path for at in ("*", "*/*", "*/*/*") for path in folder.glob(f"{at}/{RECORDS}")), None
        )
        found, near = f"has no {RECORDS}", f"; did you mean {str(below.parent)!r}?" if below else ""
    else:
        siblings = folder.parent.iterdir() if folder.parent.is_dir() else ()
        near = did_you_mean(folder.name, [path.name for path in siblings])
        found = "does not exist"
    raise UsageError(
        f"{folder} is not a run: it {found}; expected a folder that remem run printed, such as "
        f"results/runs/<dataset>/<method>/<models>{near}"
    )


def check_runs(folders: list[Path]) -> list[Path]:
    """Raise UsageError if a folder is not a run."""
    return [check_run(folder) for folder in folders]


Run = Annotated[Path, typer.Argument(help="folder of a run", callback=check_run)]
Runs = Annotated[list[Path], typer.Argument(help="folders of runs", callback=check_runs)]
ScoreDir = Annotated[
    Path | None,
    typer.Option("--config-dir", help="a folder with scores of yours: score/<name>.yaml"),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        help="a score; repeatable",
        autocompletion=score_names,
    ),
]


def described(path: Path) -> str:
    """Return the description of a file of conf: its line after "#: ", or else its title."""
    for line in path.read_text("utf-8").splitlines():
        for mark in ABOUT:
            if line.startswith(mark):
                about = line.removeprefix(mark)
                return about.strip('"') if about.startswith('"') else about
    return ""


def labelled(path: Path) -> str:
    """Return the label or heading of a file of conf; the name of another part is in brackets."""
    found = next(filter(None, map(LABEL.match, path.read_text("utf-8").splitlines())), None)
    label = SUFFIX.sub("", found["label"].strip().strip('"')) if found else ""
    return REFERENCE.sub(r"<\1>", label)
