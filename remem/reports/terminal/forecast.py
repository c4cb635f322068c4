"""Terminal view of the forecasts of tables of the paper: one screen of 100 columns."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table as RichTable

from remem.tables.paper.comparable import Comparable
from remem.tables.paper.forecast import LATENCY_SECONDS, Forecast, ForecastRow, remedies
from remem.types import Usage

HEADINGS = ("row", "dataset", "state", "calls", "M in", "M out", "dollars", "needs")
WRAPPED = ("row", "needs")
WORDS = ("row", "dataset", "state", "needs")
WIDTH = 100
REASONS = 3
"""The number of reasons to show why numbers cannot be compared."""


def show_forecasts(forecasts: Sequence[Forecast], console: Console) -> None:
    """Print each row of the tables with what it needs and costs, then the totals."""
    table = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=_title(forecasts)
    )
    for heading in HEADINGS:
        side: JustifyMethod = "left" if heading in WORDS else "right"
        table.add_column(heading, justify=side, no_wrap=heading not in WRAPPED, overflow="fold")
    rows = [row for forecast in forecasts for row in forecast.rows]
    for row in rows:
        label, (done, questions) = _label(row.labels), (row.answered, row.questions)
        partly = (f"has {done:,} of {questions:,} answers",) if 0 < done < questions else ()
        needed = ", ".join((*partly, *dict.fromkeys(need.what for need in row.needs)))
        table.add_row(label, row.dataset, row.state, *_amounts(row), needed)
    usage, dollars = (
        sum((row.usage for row in rows), Usage()),
        sum(row.dollars or 0 for row in rows),
    )
    table.add_section()
    table.add_row("all", "", "", *_counts(usage), f"{dollars:,.2f}", "")
    width = min(WIDTH, console.width)
    if rows:
        console.print(table, width=width)
    for line in _lines(forecasts, rows):
        console.print(line, markup=False, highlight=False, width=width)


def _title(forecasts: Sequence[Forecast]) -> str:
    named = ", ".join(f"table {forecast.number} ({forecast.name})" for forecast in forecasts)
    return f"What {named} of the paper would take"


def _label(labels: Sequence[str]) -> str:
    """Name the rows of a run; of four or more, name the first and count the others."""
    return ", ".join(labels) if len(labels) < 4 else f"{labels[0]} and {len(labels) - 1} other rows"


def _amounts(row: ForecastRow) -> tuple[str, ...]:
    if not row.stages:
        return ("-",) * 4 if row.state != "finished" else ("0", "0", "0", "0.00")
    dollars = "?" if row.dollars is None else f"{row.dollars:,.2f}"
    return (*_counts(row.usage), dollars)


def _counts(usage: Usage) -> tuple[str, str, str]:
    return f"{usage.calls:,}", _millions(usage.prompt_tokens), _millions(usage.completion_tokens)


def _millions(tokens: int) -> str:
    return f"{tokens / 1e6:,.2f}"


def _lines(forecasts: Sequence[Forecast], rows: Sequence[ForecastRow]) -> Iterator[str]:
    for reason in dict.fromkeys(row.no_estimate for row in rows if row.no_estimate):
        yield f"no estimate: {reason}"
    for need in remedies(rows):
        yield f"{need.what}: {need.remedy}"
    if any(row.stages for row in rows):
        yield _time(forecasts, rows)
    for forecast in forecasts:
        yield from _comparable(forecast.comparable)


def _time(forecasts: Sequence[Forecast], rows: Sequence[ForecastRow]) -> str:
    hours = sum(forecast.seconds for forecast in forecasts) / 3600
    in_flight = max(row.in_flight for row in rows)
    alone = "; Mem0 and Graphiti index with one" if any(row.sends_alone for row in rows) else ""
    prompts = (
        " Our prompts stood in for the released ones."
        if any(forecast.with_our_prompts for forecast in forecasts)
        else ""
    )
    return (
        f"M in and M out are millions of tokens. {hours:.1f} hours, if a call takes "
        f"{LATENCY_SECONDS:g} s and {in_flight} are in flight (runner.workers){alone}. Estimated "
        f"without a model: a part of each row was rehearsed with made-up replies as long as the "
        f"paper's, and 4 characters count as a token.{prompts}"
    )


def _comparable(comparable: Comparable) -> Iterator[str]:
    never = sum(obstacle.out_of_reach for obstacle in comparable.obstacles)
    can = comparable.numbers - len(comparable.obstacles)
    of_no_kind = f"; {never} are of a kind that never has a verdict" if never else ""
    yield f"{can} of {comparable.numbers} numbers can be compared with the paper's{of_no_kind}."
    by_reason: defaultdict[str, int] = defaultdict(int)
    for obstacle in comparable.obstacles:
        if not obstacle.out_of_reach:
            by_reason[obstacle.reason] += 1
    for reason, count in sorted(by_reason.items(), key=lambda item: -item[1])[:REASONS]:
        yield f"{count} cannot: {reason}."
    if rest := sum(by_reason.values()) - sum(sorted(by_reason.values())[-REASONS:]):
        yield f"{rest} cannot for other reasons."
    if more := sum(by_reason[reason] for reason in by_reason if _is_of_our_prompts(reason)):
        yield f"{more} more can be compared without --own-prompts."


def _is_of_our_prompts(reason: str) -> bool:
    """Return whether nothing but our prompts and our judge prevents a comparison."""
    return all(part.startswith(("our own prompts", "judge prompt")) for part in reason.split("; "))
