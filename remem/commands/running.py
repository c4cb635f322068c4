"""`remem run`, `table`, `live-check`: what answers questions; `estimate`: what that would take."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from omegaconf import DictConfig
from rich.console import Console

from remem.config import compose_config, run_config
from remem.estimate import estimate as rehearse
from remem.experiment import OnProgress
from remem.live_check import check_ready, compose_check, show_check
from remem.live_check import live_check as run_check
from remem.report.progress import show_progress
from remem.report.render import for_terminal, table_console, write_files
from remem.report.stage_usage import show_usage
from remem.reproduce import reproduce
from remem.run import QuestionsInErrorError
from remem.run import main as run_main
from remem.serve.stub import StubServer
from remem.table_plan import read_plan, with_rows


def run(context: typer.Context) -> None:
    """Run one configuration, or a sweep with -m.

    Example: remem run dataset=generated_tot method=remem_s reader=symbolic
    """
    sys.argv = ["remem run", *context.args]
    # Hydra then raises what a job raised, and main() turns it into an exit code.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    run_main()


def table(
    name: Annotated[str, typer.Argument(help="a table of conf/table")] = "offline",
    override: Annotated[
        list[str] | None, typer.Option(help="a Hydra override for every row, repeatable")
    ] = None,
    rows: Annotated[
        str, typer.Option(help="methods whose rows are kept; +<method> adds a row to each block")
    ] = "",
    config_dir: Annotated[
        Path | None, typer.Option(help="a folder with method/, table/ ... of your own")
    ] = None,
    allow_stub: Annotated[
        bool, typer.Option(help="let the loopback stub answer for the models, every row marked")
    ] = False,
) -> None:
    """Run the rows of a table that are missing, show it and write it as files.

    Example: remem table offline --rows bm25_messages,+my_memory --config-dir conf
    """
    overrides = override or []
    if config_dir is not None:
        overrides = [*overrides, f"hydra.searchpath=[file://{config_dir.absolute()}]"]
    plan = read_plan(name, [config_dir] if config_dir else [])
    if rows:
        plan = with_rows(plan, rows.split(","))
    console = Console(stderr=True)
    shown = 0

    def progress(label: str) -> AbstractContextManager[OnProgress]:
        nonlocal shown
        shown += 1
        return show_progress(console, f"[{shown}/{plan.row_count}] {label}")

    with ExitStack() as stack:
        stubbed = stack.enter_context(stub_overrides()) if allow_stub else []
        made = reproduce(plan, [*overrides, *stubbed], progress, allow_stub=allow_stub)
    paths = write_files(made.table, made.results / "tables" / made.table.name)
    out = table_console()
    out.print(for_terminal(made.table, out))
    out.print("Written: " + ", ".join(map(str, paths)), soft_wrap=True, markup=False)
    if made.errors:
        raise QuestionsInErrorError(
            f"{made.errors} questions ended in an error; the same command asks them again"
        )


@contextmanager
def stub_overrides() -> Iterator[list[str]]:
    """Serve the stub, and yield the overrides that let it answer and embed."""
    with StubServer() as server:
        yield [
            "llm=loopback-stub",
            f"llm.build.endpoint.base_url={server.base_url}",
            "embedder=loopback-stub",
            f"embedder.build.embedder.base_url={server.base_url}",
        ]


def estimate(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
) -> None:
    """Say what a run would take in calls, tokens and dollars; nothing is sent.

    Example: remem estimate dataset=locomo extractor=llm planner=llm reader=direct llm=<a model>
    """
    _show_estimate(compose_config(overrides or []))


def live_check(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
) -> None:
    """Ask a live model twenty questions on three sessions: whether the line works, for cents.

    Example: OPENAI_API_KEY=... REMEM_DATA=/data/memory remem live-check
    """
    composed = compose_check(overrides or [])
    config = run_config(composed)
    check_ready(config)
    _show_estimate(composed)
    with show_progress(Console(stderr=True), f"live check with {config.llm}") as on_progress:
        found = run_check(config, on_progress)
    table_console().print(show_check(found))
    typer.echo(f"The records: {found.result.folder}")
    if found.result.errors:
        raise QuestionsInErrorError(
            f"{found.result.errors} questions ended in an error; the same command asks them again"
        )


def _show_estimate(composed: DictConfig) -> None:
    config = run_config(composed)
    with show_progress(Console(stderr=True), f"rehearsal of {config.label}") as on_progress:
        found = rehearse(composed, on_progress)
    out = table_console()
    out.print(show_usage(f"{config.label} on {config.dataset} with {config.llm}", found.stages))
    typer.echo(
        f"Estimated: {found.questions} questions on {found.histories} histories were rehearsed "
        f"with made-up replies of the paper's size; tokens are characters / 4. What the call "
        f"store already holds costs nothing."
    )
