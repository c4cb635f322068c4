"""Render a self-contained page that opens from disk, with its style and script in the file.

Texts from data and models are escaped. A page allows only the scripts and styles whose checksums it
lists, and no network requests, except that a served page may fetch data from its own server. A page
can contain its source data, so that it can be drawn again without trusting its HTML.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import ValidationError

from remem.errors import UsageError
from remem.files.adapters import adapter, first_fault, parsed
from remem.files.disk import write_whole
from remem.files.json_text import json_value
from remem.files.opened import opened, read_file
from remem.files.shipped import app_folders

FETCHES = "; connect-src 'self'"
POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
DATA = b'<script type="application/json" id="data">'
MOST_BYTES = 16 * 2**20
"""The size in bytes of the largest page that is drawn again."""
MOST_DATA_VALUES = 300_000
"""The most values in the data of such a page; a table of 1,000 rows and 10 columns has 240,000."""
MOST_DRAWN = 64 * 2**20
"""The most characters of such a page as it is drawn: one long label may explain many cells."""
TITLE, MOST_BEFORE_TITLE = re.compile(r"<title>([^<]*)</title>"), 4096
"""A title, and the number of characters in which it is searched: the style sheet follows it."""
Kind = TypeVar("Kind")
IN_A_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""Characters that could end a script element or start a comment in it, with their escapes."""


def render(
    template: str,
    scripts: Sequence[str],
    data: object,
    *,
    styles: Sequence[str] = (),
    fetches: bool = False,
    most: int | None = None,
    **values: object,
) -> bytes:
    """Return a rendered page as UTF-8.

    Args:
        template: The name of the template.
        scripts: The names of the scripts, which are joined into one.
        data: The value that scripts read from the element with the id "data".
        styles: The names of style sheets that follow the common ones.
        fetches: Whether the scripts may fetch data from the server of the page.
        most: The maximum number of characters; None for no limit.
        values: The variables of the template.

    Raises:
        UsageError: The page has more than `most` characters.
    """
    style = "".join(map(_source, ("style.css", "charts.css", *styles)))
    code = "\n".join(map(_source, scripts))
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_sum(style)}'; script-src '{_sum(code)}'"
        f"{FETCHES if fetches else ''}"
    )
    shared = {"policy": policy, "style": Markup(style), "code": Markup(code)}
    pieces = _pages().get_template(template).generate(values, **shared, data=as_script(data))
    # A JSON reply may contain a lone surrogate, which UTF-8 cannot encode.
    return "".join(_at_most(pieces, most)).encode("utf-8", "replace")


def _at_most(pieces: Iterable[str], most: int | None) -> Iterator[str]:
    count = 0
    for piece in pieces:
        count += len(piece)
        if most is not None and count > most:
            raise UsageError(f"its page would have more than {most:,} characters, the maximum")
        yield piece


def as_script(data: object) -> Markup:
    r"""Return a value as JSON that is safe inside an HTML script element.

    >>> print(as_script("</script>\u2028"))
    "\u003c/script\u003e\u2028"
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character, escape in IN_A_SCRIPT.items():
        text = text.replace(character, escape)
    return Markup(text)


def policy_of(page: bytes) -> str:
    """Return the content security policy of a page that `render` returned.

    >>> policy_of(b'<meta http-equiv="Content-Security-Policy" content="img-src &#39;none&#39;">')
    "img-src 'none'"
    """
    policy = POLICY.search(page)
    return html.unescape(policy[1].decode()) if policy else "default-src 'none'"


def page_data(kind: type[Any], value: object) -> object:
    """Return the source data of a page as the JSON value that `read_page_data` reads."""
    return json_value(adapter(kind).dump_json(value))


def read_page_data(kind: type[Kind], path: Path) -> Kind:
    """Return the source data of a page, which may be untrusted.

    Raises:
        UsageError: The page is too large, or has no such data.
    """
    try:
        page = read_file(path, MOST_BYTES)
    except ValueError as error:
        raise UsageError(str(error)) from error
    content = page.partition(DATA)[2].partition(b"</script>")[0]
    try:
        return parsed(kind, content, most=MOST_DATA_VALUES)
    except ValidationError as error:
        raise UsageError(
            f"it has no data that this version of remem can draw ({first_fault(error)})"
        ) from error


def write_page(path: Path, page: bytes) -> None:
    """Write a page to a file, and create the folder of the file if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, page)


def page_title(path: Path) -> str:
    """Return the title of a written page; "" if it has none near its beginning."""
    with opened(path) as file:
        title = TITLE.search(file.read(MOST_BEFORE_TITLE).decode(errors="replace"))
    return html.unescape(title[1]).strip() if title else ""


@cache  # its templates are compiled once
def _pages() -> Environment:
    folders = (Path(__file__).parent, *app_folders())
    return Environment(
        loader=FileSystemLoader([folder / "templates" for folder in folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _source(name: str) -> str:
    loader = _pages().loader
    assert loader is not None
    return loader.get_source(_pages(), name)[0]


def _sum(source: str) -> str:
    digest = hashlib.sha256(source.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
