"""Render a self-contained page that opens from disk: templates, style and script in one file.

Texts from data and models are escaped. The page only allows the script and style whose checksums it
lists, and no network requests.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from remem.files.whole_file import write_whole

IN_A_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""What could end a script element, or begin a comment in it; the rest is ASCII by then."""


def render(template: str, scripts: Sequence[str], data: object, **values: object) -> bytes:
    """Render a page.

    Args:
        template: The name of its template.
        scripts: The names of its scripts, which become one.
        data: What the scripts find in the element "data".
        values: What the template is given.
    """
    loader = PackageLoader("remem.reports.html")
    pages = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, *parts = (loader.get_source(pages, name)[0] for name in ("style.css", *scripts))
    code = "\n".join(parts)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_sum(style)}'; script-src '{_sum(code)}'"
    )
    text = pages.get_template(template).render(
        values, policy=policy, style=Markup(style), code=Markup(code), data=as_script(data)
    )
    # A lone surrogate, which a JSON reply may hold, has no place in a file.
    return text.encode("utf-8", "replace")


def as_script(data: object) -> Markup:
    r"""Write a value as JSON that no HTML can break out of.

    >>> print(as_script("</script>\u2028"))
    "\u003c/script\u003e\u2028"
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character, escape in IN_A_SCRIPT.items():
        text = text.replace(character, escape)
    return Markup(text)


def write_page(path: Path, page: bytes) -> None:
    """Write a page, and create its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, page)


def _sum(source: str) -> str:
    digest = hashlib.sha256(source.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
