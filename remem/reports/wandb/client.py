"""The only module that calls the wandb package: it logs a run, its summary, table and artifacts.

The package's own collection is switched off: code, console output, machine details and crash
reports.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from netrc import NetrcParseError, netrc
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar
from urllib.parse import urlsplit

from remem.errors import TrackingError
from remem.files.disk import write_whole
from remem.reports.wandb.payload import Attachment, Payload
from remem.reports.wandb.summary import ALL, key_part
from remem.results.run import Run

JobType = Literal["run", "table"]

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
    """Return the reason why runs are not sent to W&B, or "" if they are sent."""
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
TABLE = "questions"
LONGEST_NAME = 128
"""Maximum length of a group name in W&B, in characters."""

Given = ParamSpec("Given")
Got = TypeVar("Got")


def _raising_tracking_error(work: Callable[Given, Got]) -> Callable[Given, Got]:
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


@_raising_tracking_error
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


@_raising_tracking_error
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


SPECIFICATION = "dashboard.json"
TITLE = "remem"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the workspace shows of a dataset; the first of `scores` is the main score."""

    dataset: str
    scores: tuple[str, ...]
    categories: tuple[str, ...]


def shown_of(runs: Sequence[Run]) -> list[Shown]:
    """Return the scores and categories to show for each dataset of the runs."""
    shown: dict[str, Shown] = {}
    for run in runs:
        before = shown.get(run.config.dataset, Shown(run.config.dataset, (), ()))
        parts = (key_part(part.category or "") for part in run.summary.categories)
        shown[before.dataset] = Shown(
            before.dataset,
            tuple(dict.fromkeys((*before.scores, *run.shown_scores))),
            tuple(dict.fromkeys((*before.categories, *parts))),
        )
    return list(shown.values())


def write_dashboard(shown: Sequence[Shown], to: Destination) -> Path:
    """Write the workspace as JSON next to W&B's own files, and return its path."""
    to.folder.mkdir(parents=True, exist_ok=True)
    model = _workspace(shown, to.project, to.entity or "")._to_model()
    specification = model.model_dump(mode="json", by_alias=True)
    path = to.folder / SPECIFICATION
    write_whole(path, json.dumps(specification, indent=1).encode() + b"\n")
    return path


def save_dashboard(shown: Sequence[Shown], to: Destination, entity: str) -> str:
    """Save the workspace as a new view in the project, and return its URL.

    Raises:
        TrackingError: W&B rejected the view or could not be reached.
    """
    try:
        return str(_workspace(shown, to.project, entity).save().url)
    except ImportError:
        raise
    except Exception as error:
        raise TrackingError(f"W&B: {type(error).__name__}: {error}") from error


def _workspace(shown: Sequence[Shown], project: str, entity: str) -> Any:
    try:
        from wandb_workspaces import workspaces
        from wandb_workspaces.reports import v2 as reports
    except ImportError as error:
        raise ImportError(
            f"the package for W&B workspaces is not installed ({error}): pip install 'remem[wandb]'"
        ) from error
    sections = [
        workspaces.Section(name=panel.dataset, is_open=True, panels=_panels(reports, panel))
        for panel in shown
    ]
    table = reports.WeavePanelSummaryTable(table_name=TABLE)
    sections.append(workspaces.Section(name=TABLE, is_open=True, panels=[table]))
    return workspaces.Workspace(entity=entity, project=project, name=TITLE, sections=sections)


def _panels(reports: Any, shown: Shown) -> list[Any]:
    def metric(category: str, score: str) -> Any:
        return reports.SummaryMetric(f"{shown.dataset}/{category}/{score}")

    def ends(score: str) -> list[Any]:
        return [metric(ALL, name) for name in (f"{score}/ci_lo", score, f"{score}/ci_hi")]

    main = shown.scores[0]
    bars = [
        reports.BarPlot(title=f"{score} with its 95% interval", metrics=ends(score))
        for score in shown.scores
    ]
    by_category = reports.BarPlot(
        title=f"{main} by category",
        metrics=[metric(category, main) for category in shown.categories],
    )
    against = [
        reports.ScatterPlot(title=f"{main} against {title}", x=reports.SummaryMetric(name), y=y)
        for title, name in (
            ("tokens of models", "tokens/per_question"),
            ("tokens of evidence", "tokens/context_per_question"),
        )
        for y in (metric(ALL, main),)
    ]
    return [*bars, by_category, *against]
