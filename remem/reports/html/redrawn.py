"""Draw the pages of tables and sweeps in a results folder again, from the data in the pages.

The pages are not trusted: their HTML is never used, and a page is not read if it is a link that
leads out of the results folder.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from jinja2 import TemplateError

from remem.errors import UsageError
from remem.files.opened import leads_out
from remem.reports.html.page import read_page_data
from remem.reports.html.run_list import LEADS_OUT
from remem.reports.html.sweep_page import SweepPage, draw_sweep
from remem.reports.html.table_files import TablePage, draw_table

REPEAT = "repeat the command that wrote it"

DRAWN: Mapping[str, Callable[[Path], bytes]] = {
    "tables": lambda path: draw_table(read_page_data(TablePage, path)),
    "sweeps": lambda path: draw_sweep(read_page_data(SweepPage, path)),
}
"""The function that draws a page again, by its folder in the results."""
NOT_DRAWABLE = (LookupError, ArithmeticError, ValueError, TypeError, RuntimeError, TemplateError)
"""The errors that arise when the parts of the data of a page do not fit each other."""


def why_unread(path: Path, results: Path) -> str:
    """Return why a page cannot be read (no file, or outside the results); "" if it can."""
    if leads_out(path, results):
        return LEADS_OUT
    return "" if path.is_file() else "it is not a file"


def redrawn(path: Path, results: Path) -> bytes:
    """Return the page of a table or a sweep, drawn from its data.

    Raises:
        UsageError: The page cannot be read, or its data cannot be drawn.
    """
    if reason := why_unread(path, results):
        raise UsageError(reason)
    try:
        return DRAWN[path.relative_to(results).parts[0]](path)
    except NOT_DRAWABLE as error:
        reason = str(error) if isinstance(error, UsageError) else "its data cannot be drawn"
        raise UsageError(f"{reason}; {REPEAT}") from error
