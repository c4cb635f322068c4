"""Build the HTML with which a notebook shows a result: plain tables and lists of escaped text."""

from collections.abc import Iterable, Sequence
from html import escape


def html_rows(headings: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Write rows of text as an HTML table; every text is escaped.

    >>> html_rows(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    named = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table>{named}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(texts: Sequence[str]) -> str:
    """Write texts as an HTML list; return "" if there are none."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>" if texts else ""


def _cell(text: str) -> str:
    return f"<td>{escape(text)}</td>"
