"""`remem list`: everything that can be named; `remem doctor`: what this machine has."""

from pathlib import Path
from typing import Annotated, Any

import typer
from omegaconf import OmegaConf
from rich import box
from rich.table import Table
from rich.text import Text

from remem.conf_files import conf_folder
from remem.data_files.notes import datasets_folder
from remem.doctor import examine
from remem.instantiation import UsageError
from remem.nearest import did_you_mean
from remem.paper.tables import paper_folder
from remem.paper_tables.cases import CASES
from remem.paper_tables.table import paper_table_names
from remem.report.render import table_console
from remem.table_plan import table_names

TABLES = "table"
HIDDEN = ("paths", "prices")
MARKS = {"ok": "green", "absent": "yellow", "problem": "red"}


def list_names(
    group: Annotated[str, typer.Argument(help="one group of conf/ alone, such as method")] = "",
) -> None:
    """List everything that can be named: tables, and what each group of conf/ has.

    Example: remem list method
    """
    groups = {TABLES: _tables(), **_groups()}
    if group and group not in groups:
        near = did_you_mean(group, groups)
        raise UsageError(f"there is no group {group!r}, there are {', '.join(groups)}{near}")
    shown = Table("", "name", "what it is", box=box.SIMPLE_HEAD)
    for name, entries in groups.items():
        if group in ("", name):
            for number, (entry, said) in enumerate(entries.items()):
                shown.add_row("" if number else f"{name}=", entry, Text(said))
            shown.add_section()
    table_console().print(shown)


def doctor(
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Hydra overrides; llm= names a model to look at")
    ] = None,
) -> None:
    """Look at Python, extras, GPU, data, disk, key and endpoint, and say how to mend each.

    Example: remem doctor llm=gpt-4.1-mini-2025-04-14
    """
    findings = list(examine(overrides or [], datasets_folder()))
    shown = Table("", "what", "found", "to mend it", box=box.SIMPLE_HEAD)
    for one in findings:
        state = Text(one.state, style=MARKS[one.state])
        shown.add_row(state, one.what, Text(one.found), Text(one.mend))
    table_console().print(shown)
    problems = [one.what for one in findings if one.state == "problem"]
    if problems:
        raise RuntimeError(f"doctor found a problem with {', '.join(problems)}")


def _tables() -> dict[str, str]:
    own = dict.fromkeys(sorted(table_names([])), "rows and columns in conf/table")
    of_paper = dict.fromkeys(paper_table_names(paper_folder()), "a table of the paper")
    return {**of_paper, CASES: "the paper's worked examples", **own}


def _groups() -> dict[str, dict[str, str]]:
    folders = sorted(path for path in conf_folder().iterdir() if path.is_dir())
    return {
        folder.name: {path.stem: _said(path) for path in sorted(folder.glob("*.yaml"))}
        for folder in folders
        if folder.name not in (*HIDDEN, TABLES) and any(folder.glob("*.yaml"))
    }


def _said(path: Path) -> str:
    """Return the label of an entry, or the class it builds."""
    entry: Any = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    build = entry.get("build") or {}
    return str(entry.get("label") or build.get("_target_", "").rpartition(".")[2])
