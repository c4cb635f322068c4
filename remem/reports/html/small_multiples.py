"""Small charts of a sweep: the settings that differ between its jobs, and the scores of each."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from remem.config.settings import read_settings, score_headings
from remem.files.disk import write_whole
from remem.metrics.intervals import Interval
from remem.metrics.scores import MetricSummary, read_overall
from remem.reports.html.charts import Chart, PlottedMean, bar_chart, point_chart
from remem.reports.html.page import render, write_page
from remem.results.run import scores_name
from remem.run.store import read_manifest
from remem.run.sweep_jobs import Job
from remem.tables.notes import NAME as COSTS
from remem.tables.notes import NOTE, costs_csv
from remem.tables.sweep_table import SweepTable

Choices = Mapping[str, str]
"""The settings of a job, by key."""


@dataclass(frozen=True, slots=True)
class Point:
    """A finished job: its settings, and the main scores of its dataset."""

    choices: Choices
    dataset: str
    scores: Mapping[str, Interval]


def read_points(jobs: Sequence[Job]) -> list[Point]:
    """Read the scores of the finished jobs."""
    return [_point(job) for job in jobs if job.state == "done"]


def varied(points: Sequence[Point]) -> list[str]:
    """Return the keys whose values differ between jobs.

    Keys with the most values come first; with equally many values, numeric keys come first.
    """
    keys = {key: None for point in points for key in point.choices}
    values = {key: {point.choices.get(key, "") for point in points} for key in keys}

    def order(key: str) -> tuple[int, bool]:
        return -len(values[key]), any(_number(value) is None for value in values[key])

    return sorted((key for key in keys if len(values[key]) > 1), key=order)


def multiples(points: Sequence[Point]) -> list[Chart]:
    """Return the charts of a sweep.

    The key with the most values is the horizontal axis. There is one chart for each score and each
    combination of the other keys' values.
    """
    keys = varied(points)
    across, others = (keys[0], keys[1:]) if keys else ("", [])
    panels: defaultdict[tuple[str, str], list[Point]] = defaultdict(list)
    for score in dict.fromkeys(score for point in points for score in point.scores):
        for point in points:
            where = ", ".join(f"{key}={point.choices.get(key, '-')}" for key in others)
            if score in point.scores:
                panels[score, where].append(point)
    return [
        _chart(f"{score}{f' · {where}' if where else ''}", across, score, panel)
        for (score, where), panel in panels.items()
    ]


def _chart(title: str, across: str, score: str, panel: Sequence[Point]) -> Chart:
    named = [(point.choices.get(across, "-"), point.scores[score]) for point in panel]
    note = f"{', '.join(dict.fromkeys(point.dataset for point in panel))}."
    places = [_number(name) for name, _ in named]
    if any(place is None for place in places):
        bars = [PlottedMean(name, at, mean) for at, (name, mean) in enumerate(named)]
        return bar_chart(title, note, across or "the one job", bars)
    dots = [
        PlottedMean(name, place or 0.0, mean)
        for (name, mean), place in zip(named, places, strict=True)
    ]
    return point_chart(title, note, across, dots)


def _number(text: str) -> float | None:
    """Return a setting as a number if it is finite and not negative, else None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _point(job: Job) -> Point:
    folder, choices = Path(job.folder), dict(_choices(job.overrides))
    histories, limit = (_count(choices.get(key)) for key in ("run.histories", "run.limit"))
    written = folder / scores_name(histories, limit)
    overall = read_overall(written.read_bytes())
    settings = read_settings(read_manifest(folder).config)
    headings = score_headings(settings.score)
    shown = {name: headings.get(name, name) for name in settings.dataset.scores}
    return Point(choices, settings.dataset.name, dict(_scores(overall, shown)))


def _count(choice: str | None) -> str | None:
    return None if choice == "null" else choice


def _choices(overrides: Sequence[str]) -> Iterator[tuple[str, str]]:
    for override in overrides:
        key, _, value = override.partition("=")
        yield key.lstrip("+~"), value


def _scores(overall: MetricSummary, headings: Mapping[str, str]) -> Iterator[tuple[str, Interval]]:
    for name, heading in headings.items():
        interval = overall.means[name]
        if interval is not None:
            yield heading, interval


PAGE = "report.html"


def write_sweep_page(sweep: Path, table: SweepTable, jobs: Sequence[Job]) -> Path:
    """Write the page of a sweep and what its jobs took into its folder; return the page's path."""
    rows = [row for block in table.blocks for row in block.rows]
    folders = {row.job.number: row.folder for row in rows if row.folder is not None}
    costs = [block.costs for block in table.blocks if block.costs.columns]
    page = render(
        "sweep.html.j2",
        [],
        None,
        styles=["cards.css", "sweep.css"],
        table=table,
        name=sweep.name,
        jobs=jobs,
        reports={number: _report(folder, sweep) for number, folder in folders.items()},
        folders=folders,
        charts=multiples(read_points(jobs)),
        costs=costs,
        cost_note=NOTE,
    )
    write_page(sweep / PAGE, page)
    if costs:
        write_whole(sweep / COSTS, costs_csv(costs).encode())
    return sweep / PAGE


def _report(folder: Path, sweep: Path) -> str:
    """Return the address of a run's report as seen from the sweep's page, "" if there is none."""
    report = folder / PAGE
    return quote(os.path.relpath(report, sweep)) if report.exists() else ""
