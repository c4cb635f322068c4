"""What a sweep ends with: its failures with their commands, and a page of small multiples."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from remem.reports.html.chart import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH
from remem.reports.html.page import render, write_page
from remem.reports.html.small_multiples import multiples, read_points
from remem.run.sweep_jobs import Job

PAGE = "report.html"


def write_report(sweep: Path, jobs: Sequence[Job]) -> Path:
    """Write the page of a sweep into its folder."""
    page = render(
        "sweep.html.j2",
        [],
        None,
        name=sweep.name,
        jobs=jobs,
        charts=multiples(read_points(jobs)),
        frame=(WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM),
    )
    write_page(sweep / PAGE, page)
    return sweep / PAGE


def ending(jobs: Sequence[Job]) -> Iterator[str]:
    """Say how many jobs are done, and of each other one why and what runs it again."""
    done = sum(job.state == "done" for job in jobs)
    yield f"{done} of {len(jobs)} jobs are done"
    for job in jobs:
        if job.state != "done":
            yield f"{job.command}\n  {job.error or 'started but did not finish'}"
