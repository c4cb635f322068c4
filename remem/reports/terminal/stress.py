"""Terminal table with the share of generated answers that a judge accepts."""

from rich.table import Table as RichTable

from remem.judge.stress import RIGHT, SPECIFIC, VAGUE, Kind, StressResult
from remem.metrics.proportion import Share, share


def show_stress(result: StressResult) -> RichTable:
    """Return a table of accepted answers per kind: the share in percent, with interval."""
    table = RichTable(title="Generated answers that the judge accepts", title_justify="left")
    table.add_column("answers")
    for heading in ("n", "accepted", "share", "95% interval"):
        table.add_column(heading, justify="right")
    for title, kinds in (
        ("right", RIGHT),
        ("wrong: specific", SPECIFIC),
        ("wrong: vague", VAGUE),
    ):
        given = {kind: result.accepted[kind] for kind in kinds if kind in result.accepted}
        if given:
            _add_row(table, title, _together(given))
            for kind, share in given.items():
                _add_row(table, f"  {kind.replace('_', ' ')}", share)
    return table


def _together(given: dict[Kind, Share]) -> Share:
    return share(
        sum(share.count for share in given.values()), sum(share.n for share in given.values())
    )


def _add_row(table: RichTable, title: str, share: Share) -> None:
    bounds = f"{100 * share.low:.1f} to {100 * share.high:.1f}"
    table.add_row(title, str(share.n), str(share.count), f"{100 * share.mean:.1f}", bounds)
