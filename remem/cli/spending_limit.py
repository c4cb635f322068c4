"""What a command may spend on a model with a price, as one line for stderr."""

from pathlib import Path

from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.config.settings import ChatModel
from remem.llm.ledger import balance, higher, money
from remem.llm.prices import Price
from remem.reports.terminal.console import say
from remem.results.costs import stage_prices


def run_limit(config: RunConfig, start: str = "this start") -> str | None:
    """Return what a run may spend on its model; None if it asks none that has a price."""
    llm = config.settings.llm
    roles = [config.settings.method.build, config.settings.reader.build]
    if llm.build is None or not any(node == llm.build for node in nodes(roles)):
        return None
    return _limit(llm.chat_model, stage_prices(config)["read"], "llm", start)


def judge_limit(config: RunConfig) -> str | None:
    """Return what a judge may spend on its model; None if it asks none that has a price."""
    model, group = config.settings.judge.chat_model, "judge_llm"
    if model is None:
        return None
    if config.settings.judge_llm is None:
        group = "llm"
    return _limit(model, stage_prices(config)["judge"], group, "this start")


def say_limit(limit: str | None) -> None:
    """Print what may be spent on stderr."""
    if limit is not None:
        say(f"remem: {limit}", err=True)


def _limit(model: ChatModel, price: Price | None, group: str, start: str) -> str | None:
    endpoint = model.endpoint
    if price is None or endpoint.recorded is not None or endpoint.server is not None:
        return None
    setting, limit = f"{group}.build.budget_dollars", model.budget_dollars
    if limit is None:
        return f"no limit in dollars is set for {endpoint.model}; {setting}=5 sets one"
    left, rest = limit, ""
    if model.ledger is not None:
        left = max(0.0, limit - balance(Path(model.ledger)).dollars)
        rest = f", the rest of the {money(limit)} in {model.ledger}"
    return (
        f"{start} may spend up to {money(left)} on {endpoint.model}{rest}; "
        f"{setting}={higher(limit)} changes it (null: no limit)"
    )
