"""The costs of a run: model usage by stage, and percentiles of its seconds, tokens and dollars.

Usage includes rejected and repeated attempts, whether they were sent to the model or answered by
the call store.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from remem.config.run_config import RunConfig
from remem.config.settings import ChatModelSettings
from remem.llm.budget import Price, read_prices
from remem.metrics.intervals import Percentiles, percentiles
from remem.run.imported_answers import is_imported
from remem.run.run_manifest import RunManifest
from remem.run.store import Timing
from remem.types import Record, Stage, Usage

MEASURES: Mapping[str, tuple[str, str]] = {
    "index": ("s", "history"),
    "recall": ("ms", "question"),
    "answer": ("ms", "question"),
    "tokens": ("tokens", "question"),
    "evidence": ("tokens, est.", "question"),
    "dollars": ("$", "question"),
}
"""The unit of each measure and what it is measured for, in the order of the columns."""
LONGEST_UNIT = 20
"""Maximum characters of a unit, which a page repeats in each cell of its column."""


@dataclass(frozen=True, slots=True)
class StageUsage:
    """The usage of one stage of a run; `dollars` is None if the price of the model is unknown.

    `unit` is "history", "question" or "verdict", and `units` is their number.
    """

    stage: Stage
    unit: str
    units: int
    usage: Usage
    dollars: float | None

    def part(self, share: Fraction) -> "StageUsage":
        """Return this share of the stage's usage, rounded to whole calls and tokens."""
        units, usage = round(self.units * share), self.usage.times(share)
        dollars = None if self.dollars is None else self.dollars * float(share)
        return replace(self, units=units, usage=usage, dollars=dollars)


def usage_by_stage(
    manifest: RunManifest,
    records: Sequence[Record],
    judged: Sequence[Usage],
    prices: Mapping[Stage, Price | None],
) -> tuple[StageUsage, ...]:
    """Return the usage of each stage, in the order of the pipeline."""
    return (
        _stage("index", "history", manifest.index_usages.values(), prices),
        _stage("recall", "question", [record.recall_usage for record in records], prices),
        _stage("read", "question", [record.read_usage for record in records], prices),
        _stage("judge", "verdict", judged, prices),
    )


def stage_prices(config: RunConfig) -> Mapping[Stage, Price | None]:
    """Return, for each stage, the price of its model; None if the price is unknown."""
    price, judge = _price(config.settings.llm.chat_model), _price(config.settings.judge.chat_model)
    return {"index": price, "recall": price, "read": price, "judge": judge}


def tokens_of(record: Record) -> int | None:
    """Return the model tokens used for a question, in and out; None if a call has no counts."""
    usage = record.recall_usage + record.read_usage
    return None if usage.uncounted_calls else usage.prompt_tokens + usage.completion_tokens


def dollars_of(record: Record, prices: Mapping[Stage, Price | None]) -> float | None:
    """Return the price of a question in dollars, or None if the price of a model is unknown."""
    recall, read = prices["recall"], prices["read"]
    if recall is None or read is None or tokens_of(record) is None:
        return None
    return recall.dollars(record.recall_usage) + read.dollars(record.read_usage)


def _price(chat_model: ChatModelSettings | None) -> Price | None:
    if chat_model is None or not chat_model.prices:
        return None
    model = chat_model.endpoint.answering.model
    return None if model is None else read_prices(chat_model.prices).get(model)


def _stage(
    stage: Stage, unit: str, usages: Iterable[Usage], prices: Mapping[Stage, Price | None]
) -> StageUsage:
    listed, price = list(usages), prices[stage]
    total = sum(listed, Usage())
    dollars = None if price is None or total.uncounted_calls else price.dollars(total)
    return StageUsage(stage, unit, len(listed), total, dollars)


@dataclass(frozen=True, slots=True)
class Cost:
    """The percentiles of one measure of a run; `each` is what has one value, such as "question"."""

    name: str
    unit: Annotated[str, Field(max_length=LONGEST_UNIT)]
    each: str
    found: Percentiles


@dataclass(frozen=True, slots=True)
class RunCosts:
    """The measures of a run; measures without values are left out."""

    costs: tuple[Cost, ...]

    def cost(self, name: str) -> Cost | None:
        """Return the measure with this name; None if it has no values."""
        return next((cost for cost in self.costs if cost.name == name), None)


def costs_of(
    config: RunConfig,
    manifest: RunManifest,
    timings: Mapping[str, Timing],
    records: Sequence[Record],
) -> RunCosts:
    """Return the costs of a run's records, and of indexing the histories of these records.

    An index that was loaded from the cache and a question that failed have no seconds. Tokens are
    the prompt and reply tokens of a language model. If no model was used, the tokens of the
    evidence are counted instead, unless an imported file omits them.
    """
    histories = {record.history_id for record in records}
    answered = [record for record in records if record.status == "ok"]
    timed = [timings[record.query_id] for record in answered if record.query_id in timings]
    built = manifest.index_seconds_of
    measured = {
        "index": [seconds for history, seconds in built.items() if history in histories],
        "recall": [1_000 * timing.recall_seconds for timing in timed],
        "answer": [1_000 * timing.read_seconds for timing in timed],
        **_tokens(answered, every=not is_imported(config)),
        "dollars": _dollars(config, answered),
    }
    return RunCosts(
        tuple(
            Cost(name, *MEASURES[name], distribution)
            for name, values in measured.items()
            if (distribution := percentiles(values)) is not None
        )
    )


def _tokens(answered: Sequence[Record], *, every: bool) -> dict[str, list[float]]:
    used = [tokens_of(record) for record in answered]
    if any(tokens is None or tokens for tokens in used):
        return {"tokens": [float(tokens) for tokens in used if tokens is not None]}
    evidence = [float(record.context_tokens) for record in answered]
    return {"evidence": [tokens for tokens in evidence if every or tokens]}


def _dollars(config: RunConfig, answered: Sequence[Record]) -> list[float]:
    """Return the dollars per question if a model was asked and its price is known."""
    prices = stage_prices(config)
    if not any(map(tokens_of, answered)):
        return []
    spent = (dollars_of(record, prices) for record in answered)
    return [dollars for dollars in spent if dollars is not None]


def format_number(value: float) -> str:
    """Return a value with three significant digits, and no exponent.

    >>> [format_number(value) for value in (0.01234, 7.125, 1234.5, 0.0)]
    ['0.0123', '7.12', '1,234', '0']
    """
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1e-4 or not value else f"{value:.1e}"


def format_percentiles(cost: Cost) -> str:
    """Return the three percentiles of a cost as the text of a cell.

    >>> format_percentiles(Cost("recall", "ms", "question", Percentiles(0.5, 2.0, 3.25, 9, 7.0)))
    '0.5 / 2 / 3.25'
    """
    distribution = cost.found
    return " / ".join(
        format_number(value) for value in (distribution.p50, distribution.p95, distribution.p99)
    )
