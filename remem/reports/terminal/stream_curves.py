"""Terminal table of the curves of a run over one age."""

from rich.table import Table as RichTable

from remem.results.stream_curves import AXES, Axis, StreamScores, curve_rows


def show_curves(found: StreamScores, axis: Axis) -> RichTable:
    """Return a table with a row for each age and a column for each measure."""
    curves = [curve for curve in found.curves if curve.axis == axis]
    title = f"Over the {AXES[axis].partition(',')[0]}"
    table = RichTable(title=title, title_justify="left", caption="means; intervals: stream.csv")
    table.add_column(AXES[axis].rpartition(" ")[2])
    for curve in curves:
        table.add_column(curve.measure.heading, justify="right")
    for row in curve_rows(curves):
        table.add_row(row.ages, *row.cells)
    return table
