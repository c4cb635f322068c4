"""What a run took: percentiles of its seconds, and of its tokens and dollars for a question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.config.run_config import RunConfig
from remem.evaluation.usage import stage_prices
from remem.metrics.percentiles import Percentiles, percentiles
from remem.run.opened_run import read_timings
from remem.run.store import read_manifest
from remem.types import Record, Usage


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
    of the evidence.

    Args:
        config: The configuration of the run.
        folder: The folder of the run.
        records: The records to look at.

    Raises:
        ValueError: A line of its files is damaged.
    """
    answered = [record for record in records if record.status == "ok"]
    return RunCosts(
        tuple(
            Cost(name, unit, each, found)
            for name, unit, each, values in (
                *_seconds(folder, answered),
                *_tokens(answered),
                *_dollars(config, answered),
            )
            if (found := percentiles(values)) is not None
        )
    )


_Measure = tuple[str, str, str, list[float]]


def _seconds(folder: Path, answered: Sequence[Record]) -> Iterator[_Measure]:
    timings = read_timings(folder)
    timed = [timings[record.query_id] for record in answered if record.query_id in timings]
    built = list(read_manifest(folder).index_seconds_of.values())
    yield "index", "s", "history", built
    yield "recall", "ms", "question", [1_000 * timing.recall_seconds for timing in timed]
    yield "answer", "ms", "question", [1_000 * timing.read_seconds for timing in timed]


def _tokens(answered: Sequence[Record]) -> Iterator[_Measure]:
    used = [float(used.prompt_tokens + used.completion_tokens) for used in map(_usage, answered)]
    if any(used):
        yield "tokens", "tokens", "question", used
    else:
        evidence = [float(record.context_tokens) for record in answered]
        yield "evidence", "tokens, est.", "question", evidence


def _dollars(config: RunConfig, answered: Sequence[Record]) -> Iterator[_Measure]:
    """Yield the dollars for a question, if a model was asked and its price is known."""
    price = stage_prices(config)["read"]
    if price is not None and any(_usage(record).calls for record in answered):
        yield "dollars", "$", "question", [price.dollars(_usage(record)) for record in answered]


def _usage(record: Record) -> Usage:
    return record.recall_usage + record.read_usage


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
