"""Options of `remem table` and `remem tables`, and the stub and progress bars for their rows."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from remem.reports.terminal.console import safe_console

if TYPE_CHECKING:
    from remem.run.run_account import OnProgress


Progress = AbstractContextManager["OnProgress"]

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
    from remem.serve.stub.stub import StubServer

    if not wanted:
        yield []
        return
    with StubServer() as server:
        yield [
            "llm=loopback-stub",
            f"llm.build.endpoint.base_url={server.base_url}",
            "embedder=loopback-stub",
            f"embedder.build.embedder.base_url={server.base_url}",
        ]


def numbered_progress(total: int | None = None) -> Callable[[str], Progress]:
    """Return the function that shows a numbered progress bar for each row."""
    from remem.reports.terminal.progress import show_progress

    console, shown = safe_console(stderr=True), count(1)

    def progress(label: str) -> Progress:
        of = "" if total is None else f"/{total}"
        return show_progress(console, f"[{next(shown)}{of}] {label}")

    return progress
