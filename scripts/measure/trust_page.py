"""Replace figures on a Markdown page between comments that name them."""

import re
from collections.abc import Mapping

from measure.trust import Measured

FIGURE = re.compile(r"(<!-- figure (?P<name>[\w ]+?) -->)(?P<shown>.*?)(<!-- / -->)")
PARTS = re.compile(r"(<!-- parts -->\n)(.*?)(<!-- end of parts -->)", re.DOTALL)
MISSING = "not measured"


def filled(page: str, measured: Mapping[str, Measured]) -> str:
    """Return the page with these figures; missing figures are marked."""
    figures = {name: value for area in measured.values() for name, value in area.figures.items()}

    def shown(found: re.Match[str]) -> str:
        value = figures.get(found["name"])
        return f"{found[1]}{MISSING if value is None else f'{value:,.15g}'}{found[4]}"

    with_figures = FIGURE.sub(shown, page)
    return PARTS.sub(lambda found: found[1] + _parts(measured) + found[3], with_figures)


def figures_on(page: str) -> set[str]:
    """Return the names of the figures on a page."""
    return {found["name"] for found in FIGURE.finditer(page)}


def _parts(measured: Mapping[str, Measured]) -> str:
    rows = [
        f"| {name} | `{area.command}` | {area.date} | {area.seconds:,} s | "
        f"{'quick' if area.quick else 'full'} |"
        for name, area in sorted(measured.items())
    ]
    head = ["| part | command | measured on | took | size |", "|---|---|---|--:|---|"]
    return "".join(f"{line}\n" for line in [*head, *rows])
