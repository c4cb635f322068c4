"""The only module that talks to W&B: one run, its summary, its table and its artifacts.

The package is told to collect nothing by itself: no code, no output, no machine, no crash reports.
"""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from remem.reports.wandb.destination import Destination
from remem.reports.wandb.payload import Attachment, Payload

INIT_SECONDS = 30
TABLE = "questions"
LONGEST_NAME = 128
"""So much W&B takes of the name of a group."""

Given = ParamSpec("Given")
Got = TypeVar("Got")


class TrackingError(RuntimeError):
    """W&B did not take what it was given."""


def _told(work: Callable[Given, Got]) -> Callable[Given, Got]:
    """Let whatever W&B raises be one kind of error."""

    @wraps(work)
    def telling(*args: Given.args, **kwargs: Given.kwargs) -> Got:
        try:
            return work(*args, **kwargs)
        except (TrackingError, ImportError):
            raise
        except Exception as error:
            raise TrackingError(f"W&B: {type(error).__name__}: {error}") from error

    return telling


@_told
def send(payload: Payload, to: Destination) -> str:
    """Write or update a run, and return its address, or the folder where it waits to be sent.

    Raises:
        ImportError: The package is not installed.
        TrackingError: W&B did not take it.
    """
    wandb = _package(to)
    run = wandb.init(
        project=to.project,
        entity=to.entity,
        group=to.group and to.group[:LONGEST_NAME],
        job_type=to.job_type,
        id=payload.run_id,
        name=payload.name,
        tags=list(payload.tags),
        config=dict(payload.config),
        resume="allow",
        dir=str(to.results),
        mode="offline" if to.offline else None,
        settings=wandb.Settings(
            console="off",
            silent=True,
            save_code=False,
            disable_git=True,
            disable_job_creation=True,
            host="-",
            init_timeout=INIT_SECONDS,
            x_disable_meta=True,
            x_disable_stats=True,
            x_disable_machine_info=True,
            x_save_requirements=False,
        ),
    )
    exit_code = 1
    try:
        _log(wandb, run, payload)
        exit_code = 0
    finally:
        run.finish(exit_code=exit_code)
    return str(run.settings.sync_dir) if to.offline else str(run.url)


@_told
def default_entity(to: Destination) -> str:
    """Ask W&B whose projects are meant where no entity is named."""
    return str(to.entity or _package(to).Api().default_entity)


def _log(wandb: Any, run: Any, payload: Payload) -> None:
    rows = [list(row) for row in payload.table.rows]
    run.log({TABLE: wandb.Table(columns=list(payload.table.columns), data=rows)})
    run.summary.update(dict(payload.summary))
    for attachment in payload.attachments:
        run.log_artifact(_artifact(wandb, attachment))


def _artifact(wandb: Any, attachment: Attachment) -> Any:
    artifact = wandb.Artifact(attachment.name, type=attachment.kind)
    for name, content in attachment.files.items():
        if isinstance(content, bytes):
            with artifact.new_file(name, mode="wb") as file:
                file.write(content)
        else:
            artifact.add_file(str(content), name=name)
    return artifact


def _package(to: Destination) -> Any:
    """Import the package, its files sent to the folder of the results."""
    to.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    os.environ.setdefault("WANDB_DATA_DIR", str(to.folder.absolute() / "data"))
    os.environ.setdefault("WANDB_CACHE_DIR", str(to.folder.absolute() / "cache"))
    try:
        import wandb
    except ImportError as error:
        raise ImportError(f"W&B is not installed ({error}): pip install 'remem[wandb]'") from error
    return wandb
