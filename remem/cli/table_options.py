"""Options of `remem table` and `remem tables`, and the progress view for their rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.config.config_dir import GRANTED, TRUST, grants
from remem.errors import UsageError
from remem.reports.terminal.console import safe_console

if TYPE_CHECKING:
    from remem.reports.terminal.progress import ProgressView


def _existing(folder: Path | None) -> Path | None:
    from remem.config.config_dir import existing_folder

    return existing_folder(folder)


Rows = Annotated[
    str, typer.Option(help="methods whose rows to keep; +<method> adds a row to each block")
]
ConfigDir = Annotated[
    Path | None,
    typer.Option(
        help="a folder with method/, table/ ...; its files may set plain values only",
        callback=_existing,
    ),
]
TrustConfig = Annotated[
    Path | None, typer.Option(help=f"the same, for a folder that you trust: {GRANTED}")
]
Rehearse = Annotated[
    bool,
    typer.Option(
        help="rehearse the same command at no cost, in results/rehearsal: the loopback stub "
        "answers, 2% of the calls fail at their first try, and every row is marked"
    ),
]
AllowPartial = Annotated[
    bool, typer.Option(help="write a table even if questions failed; cells then say n/N")
]
Models = Annotated[
    bool,
    typer.Option(
        help="for a table of the paper: also run the rows that need a model, and pay for them"
    ),
]
OwnPrompts = Annotated[
    bool,
    typer.Option(help="for a table of the paper: our prompts and judge, not the released ones"),
]
Plan = Annotated[
    bool,
    typer.Option(help="for a table of the paper: show what its rows would take and need, and end"),
]
Dollars = Annotated[
    float | None,
    typer.Option(
        "--budget", help="dollars that the rows with a model, their judges and checks may spend"
    ),
]


def paper_changes(overrides: Sequence[str], *, own_prompts: bool) -> list[str]:
    """Return the user's overrides for a table of the paper, after those of our prompts."""
    if not own_prompts:
        return list(overrides)
    from remem.tables.paper.rows import OWN_PROMPTS

    return [*OWN_PROMPTS, *overrides]


def show_rows(rows: int | None = None) -> "ProgressView":
    """Return the progress view of several rows; `rows` is None if their number is unknown."""
    from remem.reports.terminal.progress import ProgressView

    return ProgressView(safe_console(stderr=True), rows)


def with_folders(
    overrides: Sequence[str], config_dir: Path | None, trust_config: Path | None
) -> list[str]:
    """Append the folders of files of the user, and say what a trusted one may do."""
    if config_dir is not None and trust_config is not None:
        raise UsageError(f"--config-dir and {TRUST} exclude each other: choose one")
    if config_dir is not None:
        return [*overrides, f"hydra.searchpath=[file://{config_dir.absolute()}]"]
    if trust_config is None:
        return list(overrides)
    trusting = [*overrides, f"{TRUST}={trust_config.absolute()}"]
    safe_console(stderr=True, soft_wrap=True).print(f"remem: {grants(trusting)}", markup=False)
    return trusting
