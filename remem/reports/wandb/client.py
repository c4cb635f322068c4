"""Log points, summaries, tables and artifacts to W&B; no other module does this.

Code, console output, machine details and crash reports are not sent to W&B.
"""

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from netrc import NetrcParseError, netrc
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar
from urllib.parse import urlsplit

from remem.errors import TrackingError
from remem.reports.wandb.payload import Attachment, Payload

log = logging.getLogger(__name__)

JobType = Literal["run", "table", "sweep"]

PUBLIC_HOSTS = ("api.wandb.ai", "api.forge.coreweave.com")
"""Host names of the public server; older and newer versions of wandb store a login under either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A W&B project, with an optional group of runs in it.

    `offline` is the reason why nothing is sent; it is empty if runs are sent.
    """

    results: Path
    project: str
    entity: str | None = None
    group: str | None = None
    job_type: JobType = "run"
    offline: str = ""

    @property
    def folder(self) -> Path:
        """Return the folder of W&B's own files, `wandb/` in the results folder."""
        return self.results / "wandb"


def why_wandb_is_offline(environment: Mapping[str, str], *, asked: bool) -> str:
    """Return the reason why runs are not sent to W&B; "" if they are sent."""
    mode = environment.get("WANDB_MODE", "")
    if asked or mode == "offline":
        return "as asked"
    if mode == "online" or any(
        environment.get(name) for name in ("WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE")
    ):
        return ""
    return "" if _has_login(environment) else "no WANDB_API_KEY and no login"


def _has_login(environment: Mapping[str, str]) -> bool:
    """Return True if `wandb login` has stored a key for the server."""
    server = urlsplit(environment.get("WANDB_BASE_URL", "")).netloc
    hosts = PUBLIC_HOSTS if server in ("", *PUBLIC_HOSTS) else (server,)
    home = Path(environment["HOME"]) if "HOME" in environment else Path.home()
    named = [Path(environment["NETRC"])] if environment.get("NETRC") else []
    for path in (*named, home / ".netrc", home / "_netrc"):
        try:
            kept = netrc(path)
        except (OSError, NetrcParseError):
            continue
        return any(kept.authenticators(host) for host in hosts)
    return False


INIT_SECONDS = 30
FLUSH_SECONDS = 1.0
"""The last seconds of a killed run that may be missing in W&B's file; the default is 15."""
LONGEST_NAME = 128
"""Maximum length of the name of a group and of an id in W&B, in characters."""

Given = ParamSpec("Given")
Got = TypeVar("Got")


def _raising_tracking_error(work: Callable[Given, Got]) -> Callable[Given, Got]:
    """Wrap a function so that every exception of W&B becomes a TrackingError."""

    @wraps(work)
    def telling(*args: Given.args, **kwargs: Given.kwargs) -> Got:
        try:
            return work(*args, **kwargs)
        except (TrackingError, ImportError):
            raise
        except Exception as error:
            raise TrackingError(f"W&B: {type(error).__name__}: {error}") from error

    return telling


class OpenRun:
    """A run that is open in W&B; every method but `leave` may raise TrackingError."""

    def __init__(self, wandb: Any, run: Any, to: Destination) -> None:
        self._wandb = wandb
        self._run = run
        self._to = to

    @_raising_tracking_error
    def log_point(self, values: Mapping[str, float | int], step: int) -> None:
        """Add a point to the charts of the run, and write it to disk at once."""
        self._run.log(dict(values), step=step, commit=True)

    @_raising_tracking_error
    def complete(self, payload: Payload) -> str:
        """Log the complete run and close it.

        Returns:
            The URL of the run, or its local folder if the destination is offline.
        """
        exit_code = 1
        try:
            self._log(payload)
            exit_code = 0
        finally:
            self._run.finish(exit_code=exit_code)
        return str(self._run.settings.sync_dir if self._to.offline else self._run.url)

    def leave(self) -> None:
        """Close the run as failed; if it is started again, it continues in W&B."""
        self._run.finish(exit_code=1)

    def _log(self, payload: Payload) -> None:
        self._run.config.update(dict(payload.config), allow_val_change=True)
        self._run.log(
            {
                name: self._wandb.Table(
                    columns=list(table.columns), data=list(map(list, table.rows))
                )
                for name, table in payload.tables.items()
            }
        )
        self._run.summary.update(dict(payload.summary))
        for attachment in payload.attachments:
            self._run.log_artifact(_artifact(self._wandb, attachment))


@_raising_tracking_error
def open_run(payload: Payload, to: Destination) -> OpenRun:
    """Create a W&B run, or continue the W&B run with the id in the payload.

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
        id=payload.run_id[:LONGEST_NAME],
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
            x_transaction_log_flush_interval=FLUSH_SECONDS,
        ),
    )
    return OpenRun(wandb, run, to)


def send(payload: Payload, to: Destination) -> str:
    """Create or update a run; return its URL, or its local folder if the destination is offline.

    Raises:
        ImportError: The wandb package is not installed.
        TrackingError: W&B rejected the run or could not be reached.
    """
    return open_run(payload, to).complete(payload)


@_raising_tracking_error
def default_entity(to: Destination) -> str:
    """Return the entity of the destination; if it has none, the default entity of the login."""
    return str(to.entity or _package(to).Api().default_entity)


@_raising_tracking_error
def save_chart(
    name: str, specification: Mapping[str, object], to: Destination, entity: str
) -> None:
    """Save a custom chart for an entity's projects, unless there is one with the same name."""
    wandb = _package(to)
    try:
        wandb.Api().create_custom_chart(entity, name, name, "vega2", "private", dict(specification))
    except wandb.errors.UnsupportedError:
        raise
    except wandb.Error:  # W&B does not say why; a real fault also fails what is saved next
        log.debug("W&B", exc_info=True)


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
        raise ImportError(
            f"W&B is not installed ({error}): pip install '.[wandb]' in the checkout of remem"
        ) from error
    return wandb
