"""`remem wandb-push`: copy finished runs to W&B."""

import os
from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Packages, Runs
from remem.reports.terminal.console import say


def wandb_push(  # noqa: PLR0917  each is an option of the command line
    runs: Runs,
    project: Annotated[str, typer.Option(help="project in W&B")] = "remem",
    entity: Annotated[
        str | None,
        typer.Option(help="user or team that owns the project; your default one by default"),
    ] = None,
    group: Annotated[str | None, typer.Option(help="name of a group for the runs")] = None,
    offline: Annotated[
        bool, typer.Option(help="write the runs to disk only; also the case without a key")
    ] = False,
    with_text: Annotated[
        bool, typer.Option(help="also send questions, golds and answers; check the licences first")
    ] = False,
    bundle: Annotated[
        Path | None, typer.Option(help="a bundle of these runs, to send with them")
    ] = None,
    graph: Annotated[
        bool, typer.Option(help="also send the properties of the stored memory graphs")
    ] = False,
    dashboard: Annotated[
        bool,
        typer.Option(help="create a W&B workspace for the runs; offline, write its specification"),
    ] = False,
    allow_stub: Annotated[
        bool, typer.Option(help="allow runs answered by the loopback stub")
    ] = False,
    package: Packages = None,
) -> None:
    """Copy finished runs to W&B; pushing again updates them.

    Sent are the scores, a row for each question, and the records.

    Example: remem wandb-push results/runs/locomo/A results/runs/locomo/B --group table1
    """
    from remem.reports.wandb.client import default_entity
    from remem.reports.wandb.dashboard import save_dashboard, shown_of, write_dashboard
    from remem.reports.wandb.destination import Destination, why_offline
    from remem.reports.wandb.mirror import Wanted, push
    from remem.results.run import Run

    read = [Run.open(folder, package or ()) for folder in runs]
    to = Destination(
        results=read[0].config.results,
        project=project,
        entity=entity,
        group=group,
        offline=why_offline(os.environ, asked=offline),
    )
    wanted = Wanted(with_text=with_text, allow_stub=allow_stub, bundle=bundle, graph=graph)
    for run in read:
        for line in push(run, to, wanted):
            say(line)
    if dashboard and to.offline:
        say(f"Written: {write_dashboard(shown_of(read), to)}")
    elif dashboard:
        say(f"W&B: {save_dashboard(shown_of(read), to, default_entity(to))}")
