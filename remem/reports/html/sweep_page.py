"""The page of a sweep: its table, a chart for each score, and its jobs' costs and commands."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from remem.files.disk import write_whole
from remem.reports.html.charts import MOST_LINES, Chart, PlottedMean, line_chart, row_chart
from remem.reports.html.page import MOST_DRAWN, page_data, render, write_page
from remem.run.sweep_jobs import Job, choices, job_labels, short_keys, varied_keys
from remem.tables.notes import NAME as COSTS
from remem.tables.notes import NOTE, BlockCosts, costs_csv
from remem.tables.sweep_table import SweepBlock, SweepRow, SweepTable

PAGE = "report.html"

Address = Annotated[str, Field(pattern=r"\A\.\./")]
"""An address that leads to no other site, whoever has written it."""


@dataclass(frozen=True, slots=True)
class SweepPage:
    """The content of a sweep's page; `reports` and `folders` have an entry for each job."""

    name: str
    table: SweepTable
    jobs: tuple[Job, ...]
    charts: tuple[Chart, ...]
    reports: Mapping[int, Address]
    folders: Mapping[int, str]

    @property
    def costs(self) -> list[BlockCosts]:
        """The costs of the jobs of each block."""
        return [block.costs for block in self.table.blocks if block.costs.columns]


def write_sweep_page(sweep: Path, table: SweepTable, jobs: Sequence[Job]) -> Path:
    """Write the page and the costs of a sweep into its folder; return the page's path."""
    rows = [row for block in table.blocks for row in block.rows]
    folders = {row.job.number: row.folder for row in rows if row.folder is not None}
    page = SweepPage(
        name=sweep.name,
        table=table,
        jobs=tuple(jobs),
        charts=tuple(chart for block in table.blocks for chart in sweep_charts(block)),
        reports={number: _report(folder, sweep) for number, folder in folders.items()},
        folders={number: str(folder) for number, folder in folders.items()},
    )
    write_page(sweep / PAGE, draw_sweep(page))
    if page.costs:
        write_whole(sweep / COSTS, costs_csv(page.costs).encode())
    return sweep / PAGE


def draw_sweep(page: SweepPage) -> bytes:
    """Return the page of a sweep as HTML."""
    return render(
        "sweep.html.j2",
        ["links.js"],
        page_data(SweepPage, page),
        most=MOST_DRAWN,
        styles=["cards.css", "links.css", "sweep.css"],
        page=page,
        costs=page.costs,
        cost_note=NOTE,
    )


def sweep_charts(block: SweepBlock) -> Iterator[Chart]:
    """Yield a chart for each score of the finished jobs.

    If the sweep varies a numeric setting, the horizontal axis shows this setting, and each
    combination of the other settings is a line. Without such a setting, or with too many lines to
    tell apart, the chart has a row for each job.
    """
    done = [row for row in block.rows if row.job.state == "done"]
    keys = varied_keys([row.job for row in done])
    across = _number_key(done, keys)
    lines = _lines(done, [key for key in keys if key != across])
    for at, heading in enumerate(block.headings):
        title = f"{heading}, {block.title}" if block.title else heading
        rows = [row for row in done if row.cells[at] is not None]
        if across and rows and len(lines) <= MOST_LINES:
            means = {name: list(_means(line, at, across)) for name, line in lines.items()}
            yield line_chart(title, short_keys(keys)[across], means)
        elif rows:
            yield row_chart(title, list(_means(rows, at)))


def _number_key(rows: Sequence[SweepRow], keys: Sequence[str]) -> str:
    """Return the key with the most values, all of them numbers; "" if there is no such key."""
    values = {key: {choices(row.job).get(key, "") for row in rows} for key in keys}
    numbers = [key for key in keys if all(_number(value) is not None for value in values[key])]
    return max(numbers, key=lambda key: len(values[key]), default="")


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _lines(rows: Sequence[SweepRow], keys: Sequence[str]) -> Mapping[str, list[SweepRow]]:
    """Group the rows by their values of these keys; return each group under its label."""
    groups: defaultdict[tuple[str | None, ...], list[SweepRow]] = defaultdict(list)
    for row in rows:
        groups[tuple(choices(row.job).get(key) for key in keys)].append(row)
    labels = job_labels([group[0].job for group in groups.values()], keys) if keys else [""]
    return dict(zip(labels, groups.values(), strict=False))


def _means(rows: Sequence[SweepRow], at: int, across: str = "") -> Iterator[PlottedMean]:
    for row in rows:
        cell = row.cells[at]
        if cell is not None:
            place = _number(choices(row.job)[across]) if across else None
            yield PlottedMean(row.label, place or 0.0, cell.mean)


def _report(folder: Path, sweep: Path) -> str:
    """Return the address of a run's report as seen from the sweep's page."""
    return quote(os.path.relpath(folder / PAGE, sweep))
