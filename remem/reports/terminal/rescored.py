"""The same records scored in several ways, side by side: conventions, or corrected labels."""

from collections.abc import Sequence

from rich.table import Table as RichTable
from rich.text import Text

from remem.evaluation.interval_text import bracketed, cautions, resampled
from remem.evaluation.rescored import Estimate, JudgeCalls, Rescored

NAMED = 10
"""So many questions are named where more are meant."""


def show_rescored(label: str, ways: Sequence[Rescored]) -> RichTable:
    """Show the ways as columns; each mean has its clustered interval, then that over questions."""
    table = RichTable(title=label, title_justify="left", caption=_caption(ways))
    table.add_column("score", overflow="fold")  # the name of a judge may need two lines
    table.add_column("category", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for way in ways:
        table.add_column(way.name, justify="right", overflow="fold")
    for score, category in dict.fromkeys(estimate for way in ways for estimate in way.estimates):
        found = [way.estimates.get((score, category)) for way in ways]
        counts = dict.fromkeys(
            str(estimate.over_questions.n) for estimate in found if estimate is not None
        )
        shown = ("-" if estimate is None else _written(estimate) for estimate in found)
        table.add_row(score, Text(category or "all"), "/".join(counts), *shown)
    for name in ("precision", "recall", "f1"):
        ratios = (getattr(way.refusal, name) for way in ways)
        shown = ("-" if ratio is None else f"{100 * ratio:.1f}" for ratio in ratios)
        table.add_row(f"refusal {name}", "all", "", *shown)
    return table


def told_judge_calls(ways: Sequence[Rescored]) -> list[str]:
    """Say for each judge how many verdicts are missing in which ways, and on which questions."""
    missing: dict[JudgeCalls, list[str]] = {}
    for way in ways:
        for calls in way.judge_calls:
            missing.setdefault(calls, []).append(way.name)
    return [
        f"{', '.join(names)}: {calls.judge} has no verdict on {len(calls.missing)} "
        f"answers{_names(calls.missing)}"
        for calls, names in missing.items()
    ]


def _written(estimate: Estimate) -> str:
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
    found = [estimate.over_clusters for way in ways for estimate in way.estimates.values()]
    told = f"mean [95% interval over {resampled(found)}] ±half-width over questions"
    return "\n".join((told, *cautions(found)))
