"""Terminal output of a report on judges."""

from collections.abc import Iterator

from rich.table import Table as RichTable
from rich.text import Text

from remem.apps.referee.judges.judge_report import JudgeReport
from remem.apps.referee.judges.judge_text import judge_tables


def show_judges(report: JudgeReport) -> Iterator[RichTable]:
    """Yield the tables of a report on judges."""
    for table in judge_tables(report):
        shown = RichTable(title=table.title, title_justify="left")
        for place, heading in enumerate(table.headings):
            if place < table.names:
                shown.add_column(heading, overflow="fold")
            else:
                shown.add_column(heading, justify="right")
        for row in table.rows:
            shown.add_row(*(Text(cell) for cell in row))
        yield shown
