"""Make cells for numbers of the paper, and our own counts of data, tokens and dollars.

Our tokens are those that the API counts. The paper's tokens were counted with the encoding that the
caption of the paper's table names.
"""

from collections.abc import Sequence

from remem.llm.endpoint import REHEARSED, STUB
from remem.paper.layout import MeasuredQuantity, PaperCell
from remem.paper.verdict import Verdict
from remem.protocols import Benchmark
from remem.results.costs import stage_prices
from remem.tables.paper.plan import CellPlan
from remem.tables.paper.rows import judge_command
from remem.tables.rows import RowOutcome, run_command
from remem.tables.table import ABSENT, Cell, Value
from remem.types import Usage

COUNTED = "counted"
"""The kind of number (`made_with`) that is a count of the data."""

NO_VERDICT = {
    "o200k_tokens": "counted by the API, and the paper prints no interval",
    "list_price": "computed with our price list",
}
"""Why a kind of number (`made_with`) is shown next to the paper's without a verdict."""


def exactly(number: float) -> Value:
    """Return an exact number as a value without an interval."""
    return Value(number, None, None, 1, None, percent=False)


def compared_cell(
    cell: PaperCell,
    ours: Value | None,
    verdict: Verdict,
    plan: CellPlan,
    outcomes: Sequence[RowOutcome],
    *,
    differences: tuple[str, ...] = (),
    as_text: float | None = None,
    command: str = "",
) -> Cell:
    """Return a cell with a number of the paper, our number (None if not run) and a verdict."""
    impossible = any(run.impossible for run in outcomes)
    if not impossible and any(
        run.config.llm == STUB for run in outcomes
    ):  # such a row has no verdict
        verdict = Verdict("not comparable", REHEARSED)
    number = cell.number
    ends = "" if number.minus is None else f" -{number.minus} +{number.plus}"
    return Cell(
        column=cell.column,
        ours=ours,
        instead=ABSENT if impossible else "",
        paper=f"{number.printed}{ends}",
        paper_value=float(number.value),
        delta=verdict.delta,
        z=verdict.z,
        verdict=verdict.word,
        reason=verdict.reason,
        differences=differences,
        made_with=cell.made_with,
        as_text=as_text,
        n=cell.n,
        decimals=_decimals(number.printed),
        command=command or "; ".join(_commands(cell, plan, outcomes)),
        runs=tuple(run.folder_name for run in outcomes if run.folder_name),
    )


def _decimals(printed: str) -> int:
    """Return the number of decimals of a printed number; 0 if it ends in "k" or "M"."""
    return 0 if printed[-1] in "kM" else len(printed.rstrip("%").partition(".")[2])


def _commands(cell: PaperCell, plan: CellPlan, outcomes: Sequence[RowOutcome]) -> list[str]:
    commands = [run_command(run) for run in plan.runs]
    if cell.made_with == "mem0_judge":
        commands += [judge_command(run.folder_name, run.plan.overrides) for run in outcomes]
    return commands


def count_data(benchmark: Benchmark, what: str) -> int:
    """Count the queries, messages or graphs of a dataset; `what` is the name of the metric."""
    histories = benchmark.histories()
    match what:
        case "queries.count":
            return sum(len(benchmark.questions(history.id)) for history in histories)
        case "messages.count":
            return sum(1 for history in histories for _ in history.messages())
        case "graphs.count":
            return len(histories)
    raise ValueError(
        f"{what!r} cannot be counted; expected queries.count, messages.count or graphs.count"
    )


def spent(run: RowOutcome, measured: MeasuredQuantity) -> float | None:
    """Return the tokens or dollars of a run; None if they are unknown or the run is unfinished."""
    if not run.records or not run.manifest.finished:
        return None
    index = sum(run.manifest.index_usages.values(), Usage())
    tokens = sum((record.recall_usage + record.read_usage for record in run.records), Usage())
    usage = {"index": index, "inference": tokens}.get(measured.category, index + tokens)
    if usage.uncounted_calls:
        return None
    match measured.metric:
        case "input":
            return float(usage.prompt_tokens)
        case "output":
            return float(usage.completion_tokens)
        case "tokens":
            return float(usage.prompt_tokens + usage.completion_tokens)
    price = stage_prices(run.config)["read"]
    return None if price is None else price.dollars(usage)
