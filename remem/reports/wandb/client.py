"""The only module that calls the wandb package: it logs a run, its summary, table and artifacts.

The package's own collection is switched off: code, console output, machine details and crash
reports.
"""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from remem.errors import TrackingError
from remem.reports.wandb.destination import Destination
from remem.reports.wandb.payload import Attachment, Payload

INIT_SECONDS = 30
TABLE = "questions"
LONGEST_NAME = 128
"""Maximum length of a group name in W&B, in characters."""

Given = ParamSpec("Given")
Got = TypeVar("Got")


def _told(work: Callable[Given, Got]) -> Callable[Given, Got]:
    """Return the function with every exception of W&B turned into a TrackingError."""

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
    """Create or update a run; return its URL, or its local folder if the destination is offline.

    Raises:
        ImportError: The wandb package is not installed.
        TrackingError: W&B rejected the run or could not be reached.
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
    """Return the entity of the destination, or the default entity of the login."""
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
    """Import the wandb package, with its files directed to the results folder."""
    to.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    os.environ.setdefault("WANDB_DATA_DIR", str(to.folder.absolute() / "data"))
    os.environ.setdefault("WANDB_CACHE_DIR", str(to.folder.absolute() / "cache"))
    try:
        import wandb
    except ImportError as error:
        raise ImportError(f"W&B is not installed ({error}): pip install 'remem[wandb]'") from error
    return wandb
