"""What a run took: percentiles of its seconds, and of its tokens and dollars for a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.config.run_config import RunConfig
from remem.evaluation.usage import dollars_of, stage_prices, tokens_of
from remem.metrics.percentiles import Percentiles, percentiles
from remem.run.imported_answers import is_imported
from remem.run.opened_run import read_timings
from remem.run.store import read_manifest
from remem.types import Record

MEASURES: Mapping[str, tuple[str, str]] = {
    "index": ("s", "history"),
    "recall": ("ms", "question"),
    "answer": ("ms", "question"),
    "tokens": ("tokens", "question"),
    "evidence": ("tokens, est.", "question"),
    "dollars": ("$", "question"),
}
"""The unit of each measure and what it is measured for, in the order of the columns."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One measure of a run: its name, its unit, what it is measured for, and its percentiles."""

    name: str
    unit: str
    each: str
    found: Percentiles


@dataclass(frozen=True, slots=True)
class RunCosts:
    """The measures of a run; one without values is missing."""

    costs: tuple[Cost, ...]

    def cost(self, name: str) -> Cost | None:
        """Return the measure of a name."""
        return next((cost for cost in self.costs if cost.name == name), None)


def run_costs(config: RunConfig, folder: Path, records: Sequence[Record]) -> RunCosts:
    """Return what a run took.

    An index that was loaded from the cache has no seconds, and neither has a question in error.
    Tokens are those of language models, prompt and reply together; without a model they are those
    of the evidence, except where an imported file does not state it.

    Args:
        config: The configuration of the run.
        folder: The folder of the run.
        records: The records to look at, and whose histories.

    Raises:
        ValueError: A line of its files is damaged.
    """
    answered = [record for record in records if record.status == "ok"]
    measured = {
        "index": _index_seconds(folder, records),
        **_seconds(folder, answered),
        **_tokens(answered, every=not is_imported(config)),
        "dollars": _dollars(config, answered),
    }
    return RunCosts(
        tuple(
            Cost(name, *MEASURES[name], found)
            for name, values in measured.items()
            if (found := percentiles(values)) is not None
        )
    )


def _index_seconds(folder: Path, records: Sequence[Record]) -> list[float]:
    asked = {record.history_id for record in records}
    built = read_manifest(folder).index_seconds_of
    return [seconds for history, seconds in built.items() if history in asked]


def _seconds(folder: Path, answered: Sequence[Record]) -> dict[str, list[float]]:
    timings = read_timings(folder)
    timed = [timings[record.query_id] for record in answered if record.query_id in timings]
    return {
        "recall": [1_000 * timing.recall_seconds for timing in timed],
        "answer": [1_000 * timing.read_seconds for timing in timed],
    }


def _tokens(answered: Sequence[Record], *, every: bool) -> dict[str, list[float]]:
    used = [float(tokens_of(record)) for record in answered]
    if any(used):
        return {"tokens": used}
    evidence = [float(record.context_tokens) for record in answered]
    return {"evidence": [tokens for tokens in evidence if every or tokens]}


def _dollars(config: RunConfig, answered: Sequence[Record]) -> list[float]:
    """Return the dollars for each question, if a model was asked and its price is known."""
    prices = stage_prices(config)
    if not any(map(tokens_of, answered)):
        return []
    found = (dollars_of(record, prices) for record in answered)
    return [dollars for dollars in found if dollars is not None]


def written(value: float) -> str:
    """Return a value with three significant digits, and no exponent.

    >>> written(0.01234), written(7.125), written(1234.5), written(0.0)
    ('0.0123', '7.12', '1,234', '0')
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1e-4 or not value else f"{value:.1e}"


def three(cost: Cost) -> str:
    """Return the three percentiles of a cost as the text of a cell.

    >>> three(Cost("recall", "ms", "question", Percentiles(0.5, 2.0, 3.25, 9, 7.0)))
    '0.5 / 2 / 3.25'
    """
    return " / ".join(written(value) for value in (cost.found.p50, cost.found.p95, cost.found.p99))
