"""Terminal tables about judges: stress tests, agreement with people, and sources of variance."""

from collections.abc import Mapping

from rich.table import Table as RichTable

from remem.judge.stress import RIGHT, SPECIFIC, VAGUE, Kind, StressResult
from remem.metrics.agreement import Agreement
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Share, VarianceParts, share

NONE = "-"


def show_stress(result: StressResult) -> RichTable:
    """Return a table of how many answers of each kind the judge accepts, with intervals."""
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


def show_agreements(agreements: Mapping[str, Agreement], convention: ScoreConvention) -> RichTable:
    """Return a table that compares each score with the labels: means, correlations and kappa."""
    table = RichTable(title="Agreement with the labels", title_justify="left")
    table.add_column("score", no_wrap=True)
    for heading in (
        "n",
        "mean",
        "labels' mean",
        "Pearson",
        "Spearman",
        "kappa",
        "agreed",
        "too kind",
        "too strict",
    ):
        table.add_column(heading, justify="right")
    for name, agreement in agreements.items():
        numbers = (
            agreement.mean,
            agreement.label_mean,
            agreement.pearson,
            agreement.spearman,
            agreement.kappa,
        )
        counts = (agreement.agreed, agreement.too_kind, agreement.too_strict)
        table.add_row(
            convention.heading(name),
            str(agreement.n),
            *(NONE if number is None else f"{number:.3f}" for number in numbers),
            *(NONE if count is None else str(count) for count in counts),
        )
    return table


def format_variance(parts: VarianceParts) -> tuple[str, ...]:
    """Return sentences on how much the judge and the answers add to the noise of a score."""
    judge = (
        f"{parts.questions} questions, {parts.runs} runs, {parts.repeats} verdicts per answer: "
        f"the judge contradicts itself on {100 * parts.flipped:.1f}% of the answers and moves the "
        f"score by {100 * parts.judge_sd:.2f} points (one standard deviation)"
    )
    if parts.answers_sd is None:
        return (
            judge,
            "to measure how much the score varies between runs, make a second run (run.repeat=1)",
        )
    return (
        judge,
        f"the answers of another run move the score by {100 * parts.answers_sd:.2f} points more",
    )
