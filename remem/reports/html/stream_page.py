"""The page and the CSV file of a run that asks while its memory grows."""

from pathlib import Path

from remem.files.plain_text import csv_text
from remem.files.whole_file import write_whole
from remem.reports.html.charts import curve_chart
from remem.reports.html.page import render, write_page
from remem.reports.html.report import head_of
from remem.results.interval_text import cautions
from remem.results.run import Run
from remem.results.stream_curves import AXES, StreamScores, curve_rows

PAGE, CSV = "stream.html", "stream.csv"


def write_stream_page(run: Run, found: StreamScores, target: Path) -> None:
    """Write the page of a run's curves, and the CSV file of the same name."""
    write_page(target, stream_page(run, found))
    write_whole(target.with_suffix(".csv"), curves_csv(run, found).encode())


def stream_page(run: Run, found: StreamScores) -> bytes:
    """Return the page as HTML bytes; it has no text of the data."""
    parts = [(axis, [curve for curve in found.curves if curve.axis == axis]) for axis in AXES]
    intervals = [point.interval for curve in found.curves for point in curve.points]
    return render(
        "stream.html.j2",
        [],
        None,
        styles=["stream.css"],
        head=head_of(run),
        how=how_it_was_asked(run, found),
        cautions=list(cautions(intervals)),
        parts=[
            {
                "axis": axis,
                "title": f"Over the {AXES[axis].partition(',')[0]}",
                "across": AXES[axis],
                "charts": [curve_chart(curve) for curve in curves if len(curve.points) > 1],
                "headings": [curve.measure.heading for curve in curves],
                "rows": list(curve_rows(curves)),
            }
            for axis, curves in parts
            if curves
        ],
    )


def how_it_was_asked(run: Run, found: StreamScores) -> tuple[str, ...]:
    """Return what a reader must know about the curves, as sentences."""
    settings = run.config.settings.run
    every = "session" if settings.stream_every == 1 else f"{settings.stream_every} sessions"
    said = [
        f"Questions were asked after every {every}, {found.answers:,} answers at "
        f"{found.checkpoints:,} checkpoints (rule: {settings.stream_rule}); {found.not_yet:,} "
        f"answers were given before their question was answerable.",
        "Each point is a mean, and the line on it is its 95% interval over histories. "
        "Neighbouring points have different questions behind them.",
    ]
    if found.rebuilt:
        said.append("This memory cannot append: it was built again at every checkpoint.")
    if not found.with_updates:
        said.append("Staleness is not shown: these data do not say when a fact changes.")
    if found.errors:
        said.append(f"{found.errors:,} answers ended in an error and are not scored.")
    return tuple(said)


def curves_csv(run: Run, found: StreamScores) -> str:
    """Return a line for each point of each curve; shares are from 0 to 1."""
    return csv_text(
        {
            "dataset": run.config.dataset,
            "method": run.config.label,
            "age_of": curve.axis,
            "measure": curve.measure.name,
            "from": point.low,
            "to": point.high,
            "mean": _number(point.interval.mean),
            "low": _number(point.interval.low),
            "high": _number(point.interval.high),
            "n": point.interval.n,
            "histories": point.interval.clusters,
        }
        for curve in found.curves
        for point in curve.points
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
