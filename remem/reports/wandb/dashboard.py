"""A W&B workspace for mirrored runs, saved in W&B or written as JSON.

The workspace has bars of each score with the ends of its interval, the scores by category, the main
score against tokens, and the tables of questions.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.errors import TrackingError
from remem.files.whole_file import write_whole
from remem.reports.wandb.client import TABLE, Destination
from remem.reports.wandb.summary import ALL, key_part
from remem.results.run import Run

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
