"""Options of `remem table` and `remem tables`, and the stub and progress view for their rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from remem.reports.terminal.console import safe_console

if TYPE_CHECKING:
    from remem.reports.terminal.progress import ProgressView

Overrides = Annotated[
    list[str] | None, typer.Option(help="a Hydra override for every row; repeatable")
]
AllowStub = Annotated[
    bool, typer.Option(help="let the loopback stub answer in place of models; every row is marked")
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
    from remem.tables.paper.rows import OWN_PROMPTS

    return [*(OWN_PROMPTS if own_prompts else ()), *overrides]


@contextmanager
def stub_overrides(wanted: bool) -> Iterator[list[str]]:
    """Serve the stub if it is wanted, and yield the overrides that let it answer and embed."""
    if not wanted:
        yield []
        return
    from remem.serve.stub.stub import StubServer

    with StubServer() as server:
        yield [
            "llm=loopback-stub",
            f"llm.build.endpoint.base_url={server.base_url}",
            "embedder=loopback-stub",
            f"embedder.build.embedder.base_url={server.base_url}",
        ]


def show_rows(rows: int | None = None) -> "ProgressView":
    """Return the progress view of several rows; `rows` is None if their number is unknown."""
    from remem.reports.terminal.progress import ProgressView

    return ProgressView(safe_console(stderr=True), rows)
