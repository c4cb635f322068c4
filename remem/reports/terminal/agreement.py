"""The agreement of metrics and judges with people, as the paper's table has it, and their noise."""

from collections.abc import Mapping

from rich.table import Table as RichTable

from remem.metrics.agreement import Agreement
from remem.metrics.variance import VarianceParts

NONE = "-"


def show_agreements(found: Mapping[str, Agreement]) -> RichTable:
    """Show means, correlations, kappa, and in which direction verdicts differ."""
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
            name,
            str(agreement.n),
            *(NONE if number is None else f"{number:.3f}" for number in numbers),
            *(NONE if count is None else str(count) for count in counts),
        )
    return table


def told_variance(parts: VarianceParts) -> tuple[str, ...]:
    """Say what the judge and what the answers add to the noise of a score."""
    judge = (
        f"{parts.questions} questions, {parts.runs} runs, {parts.repeats} verdicts on each answer: "
        f"the judge contradicts itself on {100 * parts.flipped:.1f}% of the answers and moves the "
        f"score by {100 * parts.judge_sd:.2f} points (one standard deviation)"
    )
    if parts.answers_sd is None:
        return (judge, "to see how much other answers change it, make a second run (run.repeat=1)")
    return (
        judge,
        f"answers of another run move it by {100 * parts.answers_sd:.2f} points beyond that",
    )
