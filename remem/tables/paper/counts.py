"""Make the numbers that are not scores: counts of the data, and the tokens of a run.

Our tokens are those that the API counts; the paper counts with the encoding that its caption names.
"""

from collections.abc import Sequence

from remem.paper.layout import Measured
from remem.protocols import Benchmark
from remem.results.costs import stage_prices
from remem.run.run_manifest import RunManifest
from remem.tables.rows import RowOutcome
from remem.types import Usage

COUNTED = "counted"
"""The kind of number (`made_with`) that is a count of the data."""

NO_VERDICT = {
    "o200k_tokens": "counted by the API, and without an error",
    "list_price": "at our price list",
}
"""Why a kind of number (`made_with`) is shown next to the paper's without a verdict."""


def counted(benchmark: Benchmark, what: str) -> int:
    """Count the queries, messages or graphs of a dataset; `what` is the paper's metric."""
    histories = benchmark.histories()
    match what:
        case "queries.count":
            return sum(len(benchmark.questions(history.id)) for history in histories)
        case "messages.count":
            return sum(1 for history in histories for _ in history.messages())
        case "graphs.count":
            return len(histories)
    raise ValueError(f"{what!r} cannot be counted; expected queries, messages or graphs")


def spent(run: RowOutcome, measured: Measured) -> float | None:
    """Return the tokens or dollars of a run; None if the run has not finished."""
    if not run.records:
        return None
    return _tokens(run, run.manifest, measured) if run.manifest.finished else None


def _tokens(run: RowOutcome, manifest: RunManifest, measured: Measured) -> float | None:
    index = _total(list(manifest.index_usages.values()))
    asked = _total([record.recall_usage + record.read_usage for record in run.records])
    usage = {"index": index, "inference": asked}.get(measured.category, index + asked)
    match measured.metric:
        case "input":
            return float(usage.prompt_tokens)
        case "output":
            return float(usage.completion_tokens)
        case "tokens":
            return float(usage.prompt_tokens + usage.completion_tokens)
    price = stage_prices(run.config)["read"]
    return None if price is None else price.dollars(usage)


def _total(usages: Sequence[Usage]) -> Usage:
    return sum(usages, Usage())
