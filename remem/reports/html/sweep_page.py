"""The page of a sweep: the table of its jobs, a chart for each score, the command of each job."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from remem.files.whole_file import write_whole
from remem.reports.html.page import render, write_page
from remem.reports.html.small_multiples import multiples, read_points
from remem.run.sweep_jobs import Job
from remem.tables.costs import NAME as COSTS
from remem.tables.costs import NOTE, costs_csv
from remem.tables.sweep_table import SweepTable

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
