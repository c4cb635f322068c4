"""Copy run folders to W&B, by a command or automatically with logger=wandb.

The run folder stays the authoritative copy. If W&B fails, one line reports the error and the
command that sends the run later; the run itself is not affected.
"""

import logging
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.benchmarks.files.notes import licences_of
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.llm.endpoint import STUB
from remem.reports.terminal.console import safe_console
from remem.reports.wandb.client import Destination, JobType, send, why_wandb_is_offline
from remem.reports.wandb.live import LiveRun
from remem.reports.wandb.payload import (
    Payload,
    asked_a_stub,
    bundle_of,
    graph_of,
    records_of,
    report_of,
    run_payload,
)
from remem.reports.wandb.tables import SentSweep, table_payload
from remem.results.run import Run
from remem.tables.table import Table

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to send to W&B for a run in addition to its scores."""

    with_text: bool = False
    allow_stub: bool = False
    bundle: Path | None = None
    graph: bool = False


def read_payload(run: Run, wanted: Wanted) -> Payload:
    """Return the content to send to W&B for a run.

    Raises:
        UsageError: The stub answered the questions of the run, or the bundle contains texts and
            `with_text` is False.
    """
    if not wanted.allow_stub and asked_a_stub(run.manifest.config):
        raise UsageError(
            f"{run.folder} was answered by {STUB}, so its scores are not a result; "
            f"to send them anyway, add --allow-stub"
        )
    with_text = wanted.with_text
    parts = [
        records_of(run, with_text=with_text),
        report_of(run) if with_text else None,
        bundle_of(run, wanted.bundle, with_text=with_text) if wanted.bundle else None,
        graph_of(run) if wanted.graph else None,
    ]
    return run_payload(run, [part for part in parts if part is not None], with_text=with_text)


def push(run: Run, to: Destination, wanted: Wanted, live: LiveRun | None = None) -> Iterator[str]:
    """Send a run to W&B, or complete its live view there, and yield the lines to print."""
    if wanted.with_text:
        yield from licences_of(run.manifest.data_names)
    payload = read_payload(run, wanted)
    yield _sent(payload, to, live.complete(payload) if live else send(payload, to))


def push_sweep(sweep: SentSweep, to: Destination, wanted: Wanted) -> Iterator[str]:
    """Send the runs of a sweep and then its table to W&B, and yield the lines to print."""
    for run in sweep.runs:
        yield from push(run, to, wanted)
    yield _push_tables(sweep.payload, replace(to, job_type="sweep"))


def _push_tables(payload: Payload, to: Destination) -> str:
    return _sent(payload, to, send(payload, to))


def _sent(payload: Payload, to: Destination, where: str) -> str:
    if not to.offline:
        return f"W&B: {payload.name}: {where}"
    later = shlex.join(["wandb", "sync", where])
    return f"W&B: {payload.name}: offline ({to.offline}); to send it: {later}"


def live_run(config: RunConfig, group: str) -> LiveRun | None:
    """Return a view that shows a run in W&B while it answers, or None.

    There is no view if no logger is configured, if the run must not be sent, or if the run is
    timed, because reading and scoring its records would add to its time.
    """
    logger = config.settings.logger
    refused = not logger.allow_stub and asked_a_stub(config.resolved)
    if logger.name == "none" or refused or config.settings.bypasses_caches:
        return None
    return LiveRun(config, _destination(config, group, "run"))


def mirror(
    config: RunConfig,
    folders: Sequence[Path],
    group: str = "",
    *,
    live: LiveRun | None = None,
    table: Table | None = None,
) -> None:
    """Mirror runs if the configuration has a logger; report on stderr and never raise an exception.

    Args:
        config: The configuration with the logger settings.
        folders: The folders of the runs.
        group: The name of the table or sweep that the runs belong to.
        live: The view that has shown the run while it answered, if there is only one run.
        table: The table that the runs belong to, which is sent after them.
    """
    if config.settings.logger.name == "none":
        return
    console = safe_console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    left = list(folders)
    try:
        for line in _mirrored(config, left, group, live, table):
            console.print(line)
    except Exception as error:  # an error of W&B must not fail the run
        log.debug("W&B", exc_info=True)
        console.print(_not_mirrored(error, left, config))


def _mirrored(
    config: RunConfig, left: list[Path], group: str, live: LiveRun | None, table: Table | None
) -> Iterator[str]:
    """Mirror the runs in turn and yield messages; `left` keeps the folders still to be done."""
    logger = config.settings.logger
    to = _destination(config, group, "run" if table is None else "table")
    wanted = Wanted(with_text=logger.with_text, allow_stub=logger.allow_stub)
    packages = config.settings.run.packages
    while left:
        try:
            yield from push(Run.open(left[0], packages), to, wanted, live)
        except UsageError as error:  # skip only this run
            yield _not_mirrored(error, left[:1], config)
        del left[0]
    if table is not None:
        yield _push_tables(table_payload(table), to)


def _destination(config: RunConfig, group: str, job_type: JobType) -> Destination:
    logger = config.settings.logger
    return Destination(
        results=config.results,
        project=logger.project,
        entity=logger.entity,
        group=logger.group or group or None,
        job_type=job_type,
        offline=why_wandb_is_offline(os.environ, asked=logger.offline),
    )


def _not_mirrored(error: Exception, folders: Sequence[Path], config: RunConfig) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    if not folders:
        return f"remem: the table was not sent to W&B: {reason}; to send it, repeat this command"
    packages = (f"--package={name}" for name in config.settings.run.packages)
    command = shlex.join(["remem", "wandb", *map(str, folders), *packages])
    return f"remem: not sent to W&B: {reason}; the runs are complete; to send them later: {command}"
