"""Compute the model usage of a run: calls, tokens and dollars per stage.

It includes rejected and repeated attempts, whether they were sent or served by the call store.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from remem.config.run_config import RunConfig
from remem.config.settings import ChatModel
from remem.evaluation.judgments import usages
from remem.evaluation.stage_usage import StageUsage
from remem.llm.prices import Price, read_prices
from remem.run.store import read_manifest
from remem.types import Record, Stage, Usage


def usage_by_stage(
    config: RunConfig, folder: Path, records: Sequence[Record]
) -> tuple[StageUsage, ...]:
    """Return the usage of each stage that called a model, in the order of the pipeline."""
    indexed = read_manifest(folder).index_usages
    judged = usages(folder / config.judgments) if config.judgments else []
    prices = stage_prices(config)
    stages = (
        _stage("index", "history", indexed.values(), prices),
        _stage("recall", "question", [record.recall_usage for record in records], prices),
        _stage("read", "question", [record.read_usage for record in records], prices),
        _stage("judge", "verdict", judged, prices),
    )
    return tuple(stage for stage in stages if stage.usage.calls)


def stage_prices(config: RunConfig) -> Mapping[Stage, Price | None]:
    """Return the price of the model of each stage; None if its price is unknown."""
    price, judge = _price(config.settings.llm.chat_model), _price(config.settings.judge.chat_model)
    return {"index": price, "recall": price, "read": price, "judge": judge}


def tokens_of(record: Record) -> int:
    """Return the model tokens that a question took, in and out together."""
    usages = (record.recall_usage, record.read_usage)
    return sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)


def dollars_of(record: Record, prices: Mapping[Stage, Price | None]) -> float | None:
    """Return the price of a question in dollars, or None if the price of a model is unknown."""
    recall, read = prices["recall"], prices["read"]
    if recall is None or read is None:
        return None
    return recall.dollars(record.recall_usage) + read.dollars(record.read_usage)


def _price(chat_model: ChatModel | None) -> Price | None:
    if chat_model is None or not chat_model.prices:
        return None
    model = chat_model.endpoint.answering.model
    return None if model is None else read_prices(chat_model.prices).get(model)


def _stage(
    stage: Stage, unit: str, usages: Iterable[Usage], prices: Mapping[Stage, Price | None]
) -> StageUsage:
    listed, price = list(usages), prices[stage]
    total = sum(listed, Usage())
    dollars = None if price is None else price.dollars(total)
    return StageUsage(stage, unit, len(listed), total, dollars)
