"""Tables whose rows cost money: the budget that they share, and a rehearsal at no cost.

In a rehearsal, a stub answers in place of the models, and is shown under their names.
"""

import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from remem.config.config_dir import TRUST
from remem.errors import UsageError
from remem.llm.endpoint import AS_STUB, STUB
from remem.llm.ledger import balance, money
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.tables.paper.forecast import Forecast, ForecastRow

BUDGET = "llm.build.budget_dollars="
RESERVE = 1.1
"""The suggested budget is the estimate times this, since a rehearsal is not exact."""
FOLDER = "rehearsal"
"""The folder in the results for rehearsals, with its own call store."""
FAILING = 0.02
"""The share of the calls whose first try fails in a rehearsal."""
STAND_INS = ("prompts=stand_in", "judge=llm")


def ledger_of(names: Sequence[str], results: Path) -> Path:
    """Return the path of the budget ledger that all rows of these tables share."""
    name = "+".join(names) if len(names) < 4 else "tables"
    return results / "cache" / "budgets" / f"{name}.sqlite"


def budget_overrides(
    forecasts: "Sequence[Forecast]",
    overrides: Sequence[str],
    budget: float | None,
    results: Path,
    *,
    rehearsal: bool = False,
) -> list[str]:
    """Return the overrides that limit what all rows together spend; [] if all rows are free.

    Args:
        forecasts: The estimated calls and costs of the tables.
        overrides: The user's overrides; `llm.build.budget_dollars` also sets the budget.
        budget: The option --budget. If it is None, the user is asked for a budget at the terminal,
            except in a rehearsal, which then has no limit.
        results: The results folder, which also has the ledger.
        rehearsal: Whether the rows are only rehearsed, at no cost.

    Raises:
        UsageError: The budget is missing or not a number of dollars, or nothing can run.
    """
    from remem.tables.paper.forecast import remedies

    rows = [row for forecast in forecasts for row in forecast.rows]
    unfinished = [row for row in rows if row.state != "finished"]
    if unfinished and not any(row.state == "will run" for row in unfinished):
        missing = "; ".join(f"{need.what}: {need.remedy}" for need in remedies(rows))
        raise UsageError(f"no row with a model can run; what is missing: {missing}")
    if budget is not None and any(row.stages and row.dollars is None for row in unfinished):
        raise UsageError(
            "--budget cannot limit a model without a price; leave out --budget, or add the price "
            "to a price list and set llm.build.prices=<file>"
        )
    if not any(row.dollars or row.no_estimate for row in rows):
        return []
    names = [forecast.name for forecast in forecasts]
    ledger = ledger_of(names, results)
    limits = [word.removeprefix(BUDGET) for word in overrides if word.startswith(BUDGET)]
    if limits and budget is not None:
        raise UsageError(f"--budget and {BUDGET[:-1]} are the same limit: give one of them")
    if limits[-1:] == ["null"]:
        return []
    total, before = sum(forecast.dollars for forecast in forecasts), balance(ledger)
    if before.lost_calls:
        say(
            f"calls in flight when a process was killed: {before.lost_calls}; their highest "
            f"possible cost, {money(before.lost_dollars)}, counts as spent",
            err=True,
        )
    advised = max(1, math.ceil(before.dollars + RESERVE * total))
    limit = _dollars(limits[-1]) if limits else budget
    if limit is None and not rehearsal:
        limit = _ask_for_budget(total, before.dollars, advised, "+".join(names))
    if limit is not None:
        check_budget(limit)
    shared = (f"budget_dollars={'null' if limit is None else f'{limit:g}'}", f"ledger={ledger}")
    return [f"{model}.build.{key}" for model in _priced(rows) for key in shared]


def check_budget(dollars: float) -> None:
    """Raise UsageError if a budget is negative, infinite or NaN."""
    if not 0 <= dollars < math.inf:
        raise UsageError(f"the budget is {dollars}, expected a number of dollars of at least 0")


def _priced(rows: "Sequence[ForecastRow]") -> Iterator[str]:
    """Yield the groups of the models that have a price; other models cannot be limited."""
    stages = [stage for row in rows for stage in row.stages]
    for group, of_judge in (("llm", False), ("judge_llm", True)):
        of_group = [stage for stage in stages if (stage.stage == "judge") is of_judge]
        if all(stage.dollars is not None for stage in of_group):
            yield group


def _ask_for_budget(total: float, before: float, advised: int, names: str) -> float:
    """Return the budget that the user types.

    Raises:
        UsageError: There is no terminal to ask at.
    """
    cost = f"the rest of {names} is estimated at {money(total)}"
    cost += f", and {money(before)} is already spent" if before else ""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            f"{cost}; set the limit in dollars for all rows together: --budget {advised}; --plan "
            "shows the estimate of each row"
        )
    limit: float = typer.prompt(
        f"{cost[0].upper()}{cost[1:]}. Limit in dollars for all rows together",
        default=float(advised),
        type=float,
    )
    return limit


def _dollars(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{BUDGET}{text} is not a number of dollars") from error


@contextmanager
def stub_for_rehearsal(
    overrides: Sequence[str], *, wanted: bool, of_paper: bool, own_prompts: bool = False
) -> Iterator[list[str]]:
    """Serve the stub if a rehearsal is wanted, and yield the overrides for all rows.

    The stub's replies are as long as those in the paper. For a table of the paper, the stub also
    computes embeddings, and stand-in prompts replace released prompts that have not been fetched.
    The user's own choices take precedence.

    Args:
        overrides: The user's overrides.
        wanted: Whether to rehearse; if not, the overrides are yielded unchanged.
        of_paper: Whether the table is one of the paper.
        own_prompts: Whether the rows of the table use our own prompts.
    """
    if not wanted:
        yield list(overrides)
        return
    from remem.files.live_process import peak_rss_mib
    from remem.serve.stub.faults import FaultPlan
    from remem.serve.stub.stub import StubServer, StubSettings

    results, prompts = _results_and_prompts(overrides)
    changes = [change for change in overrides if not change.startswith("logger")]
    choices = dict(change.partition("=")[::2] for change in changes)
    replaces = of_paper and not own_prompts and not {"prompts", "judge"} <= choices.keys()
    stand_ins = _stand_ins(prompts) if replaces else ()
    faults = FaultPlan(("429", "500", "cut"), FAILING)
    start = time.perf_counter()
    with StubServer(StubSettings(size="paper", faults=faults, poses=True)) as server:
        yield [
            *changes,
            AS_STUB,  # what comes after it is not shown in commands
            *(change for change in stand_ins if change.partition("=")[0] not in choices),
            *_models("llm", server.base_url),
            *(_models("judge_llm", server.base_url) if "llm@judge_llm" in choices else ()),
            *(_encoder(changes, server.base_url) if of_paper else ()),
            f"paths.results={results / FOLDER}",
            f"paths.prompts={prompts}",
        ]
        counts = server.counts
    if not counts.total.requests:
        return
    say(
        f"Rehearsed in {(time.perf_counter() - start) / 60:.1f} minutes, with at most "
        f"{peak_rss_mib():,} MiB of memory: {counts.total.requests:,} requests, of which "
        f"{sum(counts.faults.values()):,} failed",
        err=True,
    )


def _models(group: str, base_url: str) -> tuple[str, ...]:
    """Return the overrides that let the stub answer for the model of a group."""
    endpoint = f"{group}.build.endpoint"
    return (
        f"{endpoint}.base_url={base_url}",
        f"{endpoint}.key_variable=REMEM_STUB_KEY",
        f"{endpoint}.known_as={STUB}",
    )


def _encoder(overrides: Sequence[str], base_url: str) -> tuple[str, ...]:
    """Return the overrides that let the stub embed, unless the chosen embedder asks no server."""
    from remem.config.instantiation import nodes
    from remem.config.run_config import compose_config, run_config
    from remem.serve.stub.stub import DIMENSION

    needed = ("embedder", "hydra.searchpath=", TRUST)
    composed = compose_config([change for change in overrides if change.startswith(needed)])
    build = run_config(composed).settings.embedder.build
    is_chosen = any(change.startswith("embedder=") for change in overrides)
    if is_chosen and not any("base_url" in node for node in nodes(build)):
        return ()
    return (
        "embedder=served",
        f"embedder.build.embedder.base_url={base_url}",
        f"embedder.build.embedder.dimension={DIMENSION}",
        "embedder.build.embedder.same_vectors=null",  # as in conf/embedder/loopback-stub.yaml
    )


def _results_and_prompts(overrides: Sequence[str]) -> tuple[Path, Path]:
    from remem.config.run_config import compose_config

    places = [change for change in overrides if change.startswith("paths.")]
    paths = compose_config(places).paths
    return Path(paths.results), Path(paths.prompts)


def _stand_ins(folder: Path) -> tuple[str, ...]:
    """Return the overrides that choose the stand-ins, unless all released prompts are fetched."""
    from remem.config.run_config import compose_config, run_config
    from remem.tables.paper.rows import paper_models

    released = [change for change in paper_models() if change.startswith(("prompts", "judge"))]
    asking = ("method=remem_i", "extractor=llm", "planner=llm", "reader=direct")
    stub = ("llm=loopback-stub", f"paths.prompts={folder}")
    config = run_config(compose_config([*released, *asking, *stub]))
    try:
        config.prompts, config.judge_prompt  # noqa: B018  reads them
    except FileNotFoundError:
        say(
            "remem: the released prompts have not been fetched, so this rehearsal uses stand-ins "
            "of the same length (to fetch the prompts: remem data prompts released; remem data "
            "prompts mem0-judge)",
            err=True,
        )
        return STAND_INS
    return ()
