"""Terminal table of a run's model usage, shown below its scores."""

from collections.abc import Sequence

from rich.table import Table as RichTable

from remem.results.costs import StageUsage
from remem.types import Usage

HEADINGS = ("stage", "calls", "tokens in", "tokens out", "tokens in, each", "dollars")


def show_usage(title: str, stages: Sequence[StageUsage]) -> RichTable:
    """Return a table with calls, tokens and dollars of each stage and their total."""
    table = RichTable(title=title, title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "stage" else "right")
    for stage in stages:
        each = f"{stage.usage.prompt_tokens / stage.units:,.0f} / {stage.unit}"
        table.add_row(stage.stage, *_counts(stage.usage), each, _dollars(stage.dollars))
    total = sum((stage.usage for stage in stages), Usage())
    priced = [stage.dollars for stage in stages if stage.dollars is not None]
    dollars = sum(priced) if priced and len(priced) == len(stages) else None
    table.add_row("all", *_counts(total), "", _dollars(dollars))
    return table


def _counts(usage: Usage) -> tuple[str, ...]:
    return tuple(f"{n:,}" for n in (usage.calls, usage.prompt_tokens, usage.completion_tokens))


def _dollars(dollars: float | None) -> str:
    return "-" if dollars is None else f"{dollars:,.4f}"
