"""Terminal table that compares several scorings of the same records.

The scorings differ in their convention, or in whether the labels are corrected.
"""

from collections.abc import Sequence

from rich.table import Table as RichTable
from rich.text import Text

from remem.metrics.columns import REFUSAL_HEADINGS
from remem.results.rescore import JudgeCalls, Rescored, ScoreEstimate
from remem.results.run_notes import bracketed, cautions, resampled
from remem.tables.render import WideTable

NAMED = 10
"""Maximum number of questions that a message names."""


def show_rescored(label: str, ways: Sequence[Rescored]) -> WideTable:
    """Return a table with one column per scoring.

    Each mean is followed by its interval over clusters and by the half-width of its interval over
    questions.
    """
    table = RichTable(title=label, title_justify="left", caption=_caption(ways))
    table.add_column("score", overflow="fold")  # the name of a judge may need two lines
    table.add_column("category", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for way in ways:
        table.add_column(way.name, justify="right", overflow="fold")
    for score, category in dict.fromkeys(estimate for way in ways for estimate in way.estimates):
        estimates = [way.estimates.get((score, category)) for way in ways]
        counts = dict.fromkeys(
            str(estimate.over_questions.n) for estimate in estimates if estimate is not None
        )
        shown = ("-" if estimate is None else _format_estimate(estimate) for estimate in estimates)
        heading = next(estimate.heading for estimate in estimates if estimate is not None)
        table.add_row(heading, Text(category or "all"), "/".join(counts), *shown)
    for name, heading in REFUSAL_HEADINGS.items():
        ratios = (getattr(way.refusal, name.removeprefix("refusal_")) for way in ways)
        shown = ("-" if ratio is None else f"{100 * ratio:.1f}" for ratio in ratios)
        table.add_row(heading, "all", "", *shown)
    return WideTable(table, labels=3)


def told_judge_calls(ways: Sequence[Rescored]) -> list[str]:
    """Return a line for each group of missing verdicts, with its judge and its scorings."""
    missing: dict[JudgeCalls, list[str]] = {}
    for way in ways:
        for calls in way.judge_calls:
            missing.setdefault(calls, []).append(way.name)
    return [
        f"{', '.join(names)}: {calls.judge} has no verdict on {len(calls.missing)} "
        f"answers{_names(calls.missing)}"
        for calls, names in missing.items()
    ]


def _format_estimate(estimate: ScoreEstimate) -> str:
    plain, clustered = estimate.over_questions, estimate.over_clusters
    scale, form = (100, ".1f") if estimate.share else (1, ".0f")
    shown = f"{scale * plain.mean:{form}} {bracketed(clustered, form, scale)}"
    if plain.low is None or plain.high is None:
        return shown
    return f"{shown} ±{scale * (plain.high - plain.low) / 2:{form}}"


def _names(missing: Sequence[str]) -> str:
    if not missing:
        return ""
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    return f": {', '.join(missing[:NAMED])}{more}"


def _caption(ways: Sequence[Rescored]) -> str:
    clusters = [estimate.over_clusters for way in ways for estimate in way.estimates.values()]
    first_line = f"mean [95% interval over {resampled(clusters)}] ±half-width over questions"
    return "\n".join((first_line, *cautions(clusters)))
