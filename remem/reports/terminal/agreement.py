"""Terminal output of the agreement of metrics and judges with people, and of the judge's noise."""

from collections.abc import Mapping

from rich.table import Table as RichTable

from remem.metrics.agreement import Agreement
from remem.metrics.convention import ScoreConvention
from remem.metrics.variance import VarianceParts

NONE = "-"


def show_agreements(found: Mapping[str, Agreement], convention: ScoreConvention) -> RichTable:
    """Return a table of each score's mean, correlations, kappa and differences from the labels."""
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
    for name, agreement in found.items():
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


def told_variance(parts: VarianceParts) -> tuple[str, ...]:
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
