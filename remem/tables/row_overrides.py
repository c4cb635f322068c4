"""Apply the user's overrides to the rows of a table: each row takes those that it has a key for.

`llm.build.budget_dollars=5` thus applies to the rows with a model, and `dataset.build.subset=100`
to those of a dataset with subsets. A choice such as `llm=gpt-5-chat` applies to every row.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from omegaconf import DictConfig, OmegaConf

from remem.config.instantiation import UsageError, nodes
from remem.config.run_config import RunConfig, compose_config
from remem.llm.endpoint import AS_STUB
from remem.llm.openai_endpoint import needs_key

VALUE = re.compile(r"(?!hydra\b)(?P<parent>\w+(\.\w+)*)\.(?P<name>\w+)=")
"""An override that changes a value; its key has to exist. `+key=` adds one."""


def fitted(row: Sequence[str], overrides: Sequence[str]) -> tuple[str, ...]:
    """Return the overrides of a row, then those of the user that it has a key for.

    Raises:
        HydraException: The row or a choice of the user cannot be composed.
    """
    return _fitted(tuple(row), tuple(overrides))


@cache  # the numbers of a row in a table ask again and again
def _fitted(row: tuple[str, ...], overrides: tuple[str, ...]) -> tuple[str, ...]:
    others = [override for override in overrides if not VALUE.match(override)]
    if len(others) == len(overrides):
        return (*row, *overrides)
    composed = compose_config([*row, *others])
    return (*row, *(override for override in overrides if _fits(composed, override)))


def check_overrides(rows: Iterable[Sequence[str]], overrides: Sequence[str]) -> None:
    """Raise an error for an override that no row has a key for.

    Raises:
        HydraException: As if the override were given to the first row alone.
    """
    listed = list(rows)
    taken = {override for row in listed for override in fitted(row, overrides)}
    for override in overrides:
        if listed and override not in taken:
            compose_config([*listed[0], override])


def check_rehearsal(config: RunConfig, overrides: Sequence[str]) -> None:
    """Raise UsageError for a row that would ask a paid server in a rehearsal."""
    if AS_STUB not in overrides:
        return
    settings = config.settings
    parts = [settings.method.build, settings.reader.build, settings.judge.build]
    for node in nodes(parts):
        address = str(node.get("base_url", ""))
        if address and needs_key(address):
            raise UsageError(
                f"in this rehearsal, {config.label} would ask {address}; leave out the override "
                f"that chooses it"
            )


def _fits(composed: DictConfig, override: str) -> bool:
    value = VALUE.match(override)
    if value is None:
        return True
    parent = OmegaConf.select(composed, value["parent"])
    return isinstance(parent, DictConfig) and value["name"] in parent
