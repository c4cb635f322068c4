"""The nearest valid name beside a wrong one: what a complaint on a name should end with."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from hydra.errors import HydraException, MissingConfigException
from omegaconf import OmegaConf

from remem.config import compose_config

_KEY = re.compile(r"Could not override '(?P<key>[^']+)'")


def did_you_mean(wrong: str, valid: Iterable[str]) -> str:
    """Return "; did you mean 'x'?", or nothing where no name is near.

    >>> did_you_mean("rmem_i", ["remem_i", "mem0"])
    "; did you mean 'remem_i'?"
    >>> did_you_mean("x", ["remem_i"])
    ''
    """
    near = get_close_matches(wrong, list(valid), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def complaint(error: HydraException) -> str:
    """Say what an override has wrong, with the nearest group, key or choice."""
    if isinstance(error, MissingConfigException) and error.options and error.missing_cfg_file:
        group, _, choice = error.missing_cfg_file.rpartition("/")
        there = ", ".join(error.options)
        near = did_you_mean(choice, error.options)
        return f"there is no {group}={choice}, there are {there}{near}"
    named = _KEY.search(str(error))
    if named is None:
        return str(error)
    key = named["key"]
    return f"there is no key {key!r} to override{did_you_mean(key, _keys())}"


def _keys() -> Iterator[str]:
    """Iterate over the groups and keys of the default configuration."""
    yield from _below("", OmegaConf.to_container(compose_config([]), resolve=False))


def _below(prefix: str, node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield f"{prefix}{key}"
            yield from _below(f"{prefix}{key}.", value)
