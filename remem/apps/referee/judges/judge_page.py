"""The page of a report on judges: its tables, without any text of the data."""

from pathlib import Path

from remem.apps.referee.judges.judge_report import JudgeReport
from remem.apps.referee.judges.judge_text import judge_notes, judge_tables
from remem.reports.html.page import render, write_page


def write_judge_page(report: JudgeReport, target: Path) -> None:
    """Write the page of a report on judges."""
    page = render(
        "judges.html.j2",
        [],
        None,
        title=f"The judges of {report.dataset}",
        tables=judge_tables(report),
        notes=judge_notes(report),
    )
    write_page(target, page)
