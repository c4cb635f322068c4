"""Ask what a paid table may spend, and make its rows, judges and checks share that budget."""

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from remem.errors import UsageError
from remem.llm.ledger import balance, money
from remem.reports.terminal.console import say
from remem.tables.paper.forecast import Forecast, ForecastRow, remedies

BUDGET = "llm.build.budget_dollars="
RESERVE = 1.1
"""What is suggested is the estimate times this, since a rehearsal is not exact."""


def ledger_of(names: Sequence[str], results: Path) -> Path:
    """Return the ledger that the rows of these tables share, in the folder of their runs."""
    name = "+".join(names) if len(names) < 4 else "tables"
    return results / "cache" / "budgets" / f"{name}.sqlite"


def budget_overrides(
    forecasts: Sequence[Forecast],
    overrides: Sequence[str],
    budget: float | None,
    results: Path,
    *,
    rehearsal: bool = False,
) -> list[str]:
    """Return the overrides that let the rows spend the budget together; none if all is free.

    Args:
        forecasts: What the tables would take.
        overrides: The user's overrides; one of `llm.build.budget_dollars` is the budget, too.
        budget: The option --budget; None asks at a terminal, but sets no limit in a rehearsal.
        results: The folder of the runs, which also has the ledger.
        rehearsal: Whether nothing is paid for.

    Raises:
        UsageError: No budget is named, it is not a number of dollars, or nothing can run.
    """
    rows = [row for found in forecasts for row in found.rows]
    unfinished = [row for row in rows if row.state != "finished"]
    if unfinished and not any(row.state == "will run" for row in unfinished):
        missing = "; ".join(f"{need.what}: {need.remedy}" for need in remedies(rows))
        raise UsageError(f"no row with a model can run; {missing}")
    if budget is not None and any(row.stages and row.dollars is None for row in unfinished):
        raise UsageError(
            "--budget cannot limit a model without a price: leave it out, or add the price to a "
            "list and set llm.build.prices=<file>"
        )
    if not any(row.dollars or row.no_estimate for row in rows):
        return []
    names = [found.name for found in forecasts]
    ledger = ledger_of(names, results)
    given = [override.removeprefix(BUDGET) for override in overrides if override.startswith(BUDGET)]
    if given and budget is not None:
        raise UsageError(f"--budget and {BUDGET[:-1]} are the same limit: give one of them")
    if given[-1:] == ["null"]:
        return []
    total, before = sum(found.dollars for found in forecasts), balance(ledger)
    if before.lost_calls:
        say(
            f"{before.lost_calls} calls were in flight when a process was killed: they count as "
            f"{money(before.lost_dollars)} spent, the most that they could cost",
            err=True,
        )
    advised = max(1, math.ceil(before.dollars + RESERVE * total))
    limit = _dollars(given[-1]) if given else budget
    if limit is None and not rehearsal:
        limit = _asked(total, before.dollars, advised, "+".join(names))
    if limit is not None:
        check_budget(limit)
    shared = (f"budget_dollars={'null' if limit is None else f'{limit:g}'}", f"ledger={ledger}")
    return [f"{model}.build.{key}" for model in _priced(rows) for key in shared]


def check_budget(dollars: float) -> None:
    """Raise UsageError unless a budget is a number of dollars of at least 0."""
    if not 0 <= dollars < math.inf:
        raise UsageError(f"the budget is {dollars}, expected a number of dollars of at least 0")


def _priced(rows: Sequence[ForecastRow]) -> Iterator[str]:
    """Yield the groups of the models that have a price: what has none cannot be limited."""
    stages = [stage for row in rows for stage in row.stages]
    for group, of_judge in (("llm", False), ("judge_llm", True)):
        asked = [stage for stage in stages if (stage.stage == "judge") is of_judge]
        if all(stage.dollars is not None for stage in asked):
            yield group


def _asked(total: float, before: float, advised: int, names: str) -> float:
    """Return the budget that the user types.

    Raises:
        UsageError: Nobody is at a terminal.
    """
    cost = f"what is left of {names} is estimated at {money(total)}"
    cost += f", and {money(before)} are spent" if before else ""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            f"{cost}; name the dollars that it may spend in all: --budget {advised} "
            f"(make: BUDGET={advised}); --plan shows the estimate of each row"
        )
    limit: float = typer.prompt(
        f"{cost[0].upper()}{cost[1:]}. Dollars that it may spend in all",
        default=float(advised),
        type=float,
    )
    return limit


def _dollars(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{BUDGET}{text} is not a number of dollars") from error
