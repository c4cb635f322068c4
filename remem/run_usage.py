"""What the answers of a run took of its models: calls, tokens and dollars per stage.

Rejected and repeated attempts are in it, whether they were sent now or served by the call store.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from remem.config import RunConfig
from remem.judgments import usages
from remem.llm.prices import Price, read_prices
from remem.report.stage_usage import StageUsage
from remem.store import read_manifest
from remem.types import Record, Stage, Usage


def usage_by_stage(
    config: RunConfig, folder: Path, records: Sequence[Record]
) -> tuple[StageUsage, ...]:
    """Return the stages that asked a model, in the order of the line."""
    indexed = TypeAdapter(dict[str, Usage]).validate_python(
        read_manifest(folder).get("index_usage", {})
    )
    judged = usages(folder / config.judgments) if config.judgments else []
    price = price_of(config.chat_model.build if config.chat_model else {})
    judge_price = price_of(config.resolved["judge"].get("build", {}).get("chat_model", {}))
    stages = (
        _stage("index", "history", indexed.values(), price),
        _stage("recall", "question", [record.recall_usage for record in records], price),
        _stage("read", "question", [record.read_usage for record in records], price),
        _stage("judge", "verdict", judged, judge_price),
    )
    return tuple(stage for stage in stages if stage.usage.calls)


def price_of(chat_model: Mapping[str, Any]) -> Price | None:
    """Return the price of a configured chat model; None where its price list has none."""
    if "endpoint" not in chat_model:
        return None
    endpoint = chat_model["endpoint"]
    model = endpoint.get("recorded", endpoint)["model"]
    return read_prices(chat_model["prices"]).get(model)


def _stage(stage: Stage, unit: str, usages: Iterable[Usage], price: Price | None) -> StageUsage:
    listed = list(usages)
    total = sum(listed, Usage())
    dollars = None if price is None else price.dollars(total)
    return StageUsage(stage, unit, len(listed), total, dollars)
