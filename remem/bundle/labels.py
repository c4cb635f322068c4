"""Label the runs of a bundle by method and data, and by other settings if these are equal."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

GROUPS = ("reader", "ablation", "llm", "embedder")
"""The groups, besides method and data, that appear in the name of a run's folder."""

Config = Mapping[str, Any]


def told_apart(labels: Sequence[str], configs: Sequence[Config]) -> tuple[str, ...]:
    """Append the groups in which runs differ to each label that several runs share."""
    same: defaultdict[str, list[Config]] = defaultdict(list)
    for label, config in zip(labels, configs, strict=True):
        same[label].append(config)
    return tuple(
        label + (_difference(config, same[label]) if len(same[label]) > 1 else "")
        for label, config in zip(labels, configs, strict=True)
    )


def _difference(config: Config, same: Sequence[Config]) -> str:
    differing = [group for group in GROUPS if len({_name(other, group) for other in same}) > 1]
    told = ", ".join(f"{group} {_name(config, group)}" for group in differing)
    return f" ({told})" if told else ""


def _name(config: Config, group: str) -> str:
    return str(config[group]["name"])
