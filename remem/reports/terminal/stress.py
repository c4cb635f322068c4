"""Terminal table with the share of generated wrong answers that a judge accepts."""

from rich.table import Table as RichTable

from remem.judge.stress import SPECIFIC, VAGUE, Kind, StressResult
from remem.metrics.proportion import Share, share


def show_stress(result: StressResult) -> RichTable:
    """Return a table of accepted wrong answers per kind: the share in percent, with interval."""
    table = RichTable(title="Wrong answers that the judge accepts", title_justify="left")
    table.add_column("answers")
    for heading in ("n", "accepted", "share", "95% interval"):
        table.add_column(heading, justify="right")
    for title, kinds in (("specific", SPECIFIC), ("vague", VAGUE)):
        given = {kind: result.accepted[kind] for kind in kinds if kind in result.accepted}
        if given:
            _add_row(table, title, _together(given))
            for kind, one in given.items():
                _add_row(table, f"  {kind}", one)
    return table


def _together(given: dict[Kind, Share]) -> Share:
    return share(sum(one.count for one in given.values()), sum(one.n for one in given.values()))


def _add_row(table: RichTable, title: str, one: Share) -> None:
    bounds = f"{100 * one.low:.1f} to {100 * one.high:.1f}"
    table.add_row(title, str(one.n), str(one.count), f"{100 * one.mean:.1f}", bounds)
