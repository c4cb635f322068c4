"""Options of `remem table` and `remem tables`, and the stub and progress view for their rows."""

from collections.abc import Iterator
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
