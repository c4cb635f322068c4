"""End of a sweep: the list of failed jobs with their commands, and the HTML page of all jobs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from remem.reports.html.chart import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH
from remem.reports.html.page import render, write_page
from remem.reports.html.small_multiples import multiples, read_points
from remem.run.sweep_jobs import Job

PAGE = "report.html"


def write_report(sweep: Path, jobs: Sequence[Job]) -> Path:
    """Write the HTML page of a sweep into its folder, and return the path of the page."""
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
    """Yield the number of finished jobs, then the command and the error of each unfinished job."""
    done = sum(job.state == "done" for job in jobs)
    yield f"{done} of {len(jobs)} jobs are done"
    for job in jobs:
        if job.state != "done":
            yield f"{job.command}\n  {job.error or 'started but did not finish'}"
