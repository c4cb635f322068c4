"""CSV text that is safe to open in a spreadsheet: no cell is read as a formula."""

import re
from collections.abc import Iterable, Mapping

BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n")
"""Start characters of formulas in OWASP's list (CSV Injection); spreadsheets may skip a tab."""
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def inert_cell(text: str) -> str:
    """Escape a text so that a spreadsheet reads none of its lines as a formula.

    >>> [inert_cell(text) for text in ("=1+1", "Ann")]
    ["'=1+1", 'Ann']
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # csv does not quote a lone CR
    return f"'{text}" if text.startswith(BEGIN_FORMULAS) else text


def csv_text(lines: Iterable[Mapping[str, object]]) -> str:
    """Render rows as CSV; numbers are kept as they are, and texts are escaped with `inert_cell`."""
    import pandas as pd

    inert = [{name: _shown(value) for name, value in line.items()} for line in lines]
    return pd.DataFrame(inert).to_csv(index=False, lineterminator="\n")


def _shown(value: object) -> object:
    if not isinstance(value, str) or NUMBER.fullmatch(value):
        return value
    return inert_cell(value)
