"""The findings of the audit of the paper, as terminal tables."""

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from remem.paper.check import Check
from remem.paper.claims import Claims

HEADLINE = "headline gain"


def show(checks: Sequence[Check], claims: Claims, console: Console) -> None:
    """Print findings, headline gains, claims next to the measured values, and the verdict."""
    findings = [check for check in checks if not check.holds]
    console.print(_findings([check for check in findings if check.kind != HEADLINE]))
    console.print(_headlines([check for check in checks if check.kind == HEADLINE]))
    console.print(_measured(claims))
    console.print(_kinds(checks))
    console.print(f"{len(checks)} checks, {len(findings)} findings", highlight=False)


def _findings(checks: Sequence[Check]) -> Table:
    table = _table(
        "What does not add up", "check", "where", "printed", "what follows", "+-", "note"
    )
    for check in checks:
        cells = (check.place, check.printed, check.follows, check.tolerance, check.note)
        table.add_row(check.kind, *map(Text, cells))
    return table


def _headlines(checks: Sequence[Check]) -> Table:
    table = _table("The headline gains", "gain", "printed", "can it be had", "from the tables")
    for check in checks:
        answer = "yes" if check.holds else "no"
        said = Text(f"{check.follows}\n({check.note})")
        table.add_row(Text(check.place), check.printed, answer, said)
    return table


def _measured(claims: Claims) -> Table:
    table = _table("Said in the prose, and measured", "claim", "printed", "measured", "of what")
    for claim in claims.results:
        if claim.measured is not None:
            value = claim.measured.value or "not yet"
            said = Text(f"{claim.place}: {claim.about}")
            table.add_row(said, claim.printed or "(in words)", value, Text(claim.measured.of))
    return table


def _kinds(checks: Sequence[Check]) -> Table:
    table = _table("All checks", "check", "made", "findings")
    made = Counter(check.kind for check in checks)
    findings = Counter(check.kind for check in checks if not check.holds)
    for kind, count in made.items():
        table.add_row(kind, str(count), str(findings[kind]))
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
