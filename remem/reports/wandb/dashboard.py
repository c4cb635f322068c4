"""The W&B workspace of runs and sweeps, saved in the project or written as a specification.

W&B has no built-in chart with intervals, so `INTERVALS` is saved in the project as a custom chart,
to which the panels refer.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.errors import TrackingError
from remem.files.disk import write_whole
from remem.reports.wandb.client import Destination, save_chart
from remem.reports.wandb.payload import QUESTION_TABLE, SCORE_TABLE
from remem.reports.wandb.summary import ALL, key_part
from remem.reports.wandb.tables import METHOD, SweptTable
from remem.results.run import Run

SPECIFICATION, CHART = "dashboard.json", "intervals.vega.json"
TITLE = "remem"
LINES = "wandb/lineseries/v0"
"""W&B's own custom chart of several lines."""
INTERVALS = {
    "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
    "title": "${string:title}",
    "data": {"name": "wandb"},
    "transform": [{"filter": "datum['${field:score}'] === '${string:score}'"}],
    "encoding": {"y": {"field": "${field:run}", "type": "nominal", "title": None}},
    "layer": [
        {
            "mark": {"type": "rule", "strokeWidth": 3},
            "encoding": {
                "x": {"field": "${field:low}", "type": "quantitative", "title": "mean, 95%"},
                "x2": {"field": "${field:high}"},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 80},
            "encoding": {"x": {"field": "${field:mean}", "type": "quantitative"}},
        },
    ],
}
"""A Vega-Lite chart of one score: a point for the mean of each run, on a line of its interval."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The scores and categories to show for a dataset; the first score is the main score."""

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


def write_dashboard(shown: Sequence[Shown], swept: Sequence[SweptTable], to: Destination) -> Path:
    """Write the workspace and its chart as JSON next to W&B's own files; return its path."""
    to.folder.mkdir(parents=True, exist_ok=True)
    model = _workspace(shown, swept, to.project, to.entity or "")._to_model()
    specification = model.model_dump(mode="json", by_alias=True)
    path = to.folder / SPECIFICATION
    for place, content in ((path, specification), (path.with_name(CHART), INTERVALS)):
        write_whole(place, json.dumps(content, indent=1).encode() + b"\n")
    return path


def save_dashboard(
    shown: Sequence[Shown], swept: Sequence[SweptTable], to: Destination, entity: str
) -> str:
    """Save the workspace as a new view in the project, and return its URL.

    Raises:
        TrackingError: W&B rejected the view or could not be reached.
    """
    save_chart(_chart_name(), INTERVALS, to, entity)
    try:
        return str(_workspace(shown, swept, to.project, entity).save().url)
    except ImportError:
        raise
    except Exception as error:
        raise TrackingError(f"W&B: {type(error).__name__}: {error}") from error


def _chart_name() -> str:
    """Return a name that depends on the chart's content, so older dashboards keep their charts."""
    digits = hashlib.sha256(json.dumps(INTERVALS).encode()).hexdigest()[:8]
    return f"remem-intervals-{digits}"


def _workspace(
    shown: Sequence[Shown], swept: Sequence[SweptTable], project: str, entity: str
) -> Any:
    try:
        from wandb_workspaces import workspaces
        from wandb_workspaces.reports import v2 as reports
    except ImportError as error:
        raise ImportError(
            f"the package for W&B workspaces is not installed ({error}): pip install '.[wandb]' in "
            f"the checkout of remem"
        ) from error
    panels = {
        **{of_sweep.name: _sweep_panels(reports, of_sweep) for of_sweep in swept},
        **{
            part.dataset: _panels(reports, part, "/".join(filter(None, (entity, _chart_name()))))
            for part in shown
        },
        QUESTION_TABLE: [reports.WeavePanelSummaryTable(table_name=QUESTION_TABLE)],
    }
    sections = [
        workspaces.Section(name=name, is_open=True, panels=own) for name, own in panels.items()
    ]
    return workspaces.Workspace(entity=entity, project=project, name=TITLE, sections=sections)


def _sweep_panels(reports: Any, swept: SweptTable) -> list[Any]:
    """Return a chart for each score, with a line for each method, and the table of the sweep."""
    charts = [
        _custom_chart(
            reports,
            swept.name,
            LINES,
            {"step": swept.across, "lineKey": METHOD, "lineVal": score},
            {"title": f"{score} by {swept.across}", "xname": swept.across},
        )
        for score in swept.scores
        if swept.across
    ]
    return [*charts, reports.WeavePanelSummaryTable(table_name=swept.name)]


def _custom_chart(
    reports: Any, table: str, chart: str, fields: dict[str, str], strings: dict[str, str]
) -> Any:
    """Return a custom chart of the rows of one table, from all runs that are shown."""
    return reports.CustomChart(
        query={"summaryTable": {"tableKey": table}},
        chart_name=chart,
        chart_fields=fields,
        chart_strings=strings,
    )


def _panels(reports: Any, shown: Shown, chart: str) -> list[Any]:
    def name(category: str, score: str) -> str:
        return f"{shown.dataset}/{category}/{score}"

    main = shown.scores[0]
    columns = {column: column for column in ("run", "score", "mean", "low", "high")}
    intervals = [
        _custom_chart(
            reports,
            SCORE_TABLE,
            chart,
            columns,
            {"score": name(ALL, score), "title": f"{score} with its 95% interval"},
        )
        for score in shown.scores
    ]
    so_far = [
        reports.LinePlot(title=f"{score} so far", x="Step", y=[name(ALL, score)], title_x="answers")
        for score in shown.scores
    ]
    by_category = reports.BarPlot(
        title=f"{main} by category",
        metrics=[reports.SummaryMetric(name(category, main)) for category in shown.categories],
    )
    against = [
        reports.ScatterPlot(
            title=f"{main} against {title}",
            x=reports.SummaryMetric(tokens),
            y=reports.SummaryMetric(name(ALL, main)),
        )
        for title, tokens in (
            ("tokens of models", "tokens/per_question"),
            ("tokens of evidence", "tokens/context_per_question"),
        )
    ]
    return [*intervals, *so_far, by_category, *against]
