"""Read from a command line what a sweep varies, how many jobs it has, and what all jobs share."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from remem.config.config_dir import CONFIG_DIR, SEARCHED, TRUST

OF_HYDRA = "hydra"
SWEEPER, LAUNCHER = ("hydra/sweeper", "hydra.sweeper"), "hydra/launcher="
FOLDER_OPTIONS = (CONFIG_DIR, "-cd", TRUST)
ONE_BY_ONE = "basic"
"""Hydra's own launcher, which runs jobs one after the other in this process."""


@dataclass(frozen=True, slots=True)
class Swept:
    """The keys with several values, in the order of the command line, and the number of jobs.

    `jobs` is None if only Hydra knows it, for example if the command line chooses a sweeper.
    """

    keys: tuple[str, ...]
    jobs: int | None


def swept(arguments: Sequence[str]) -> Swept:
    """Return what a command line sweeps; overrides that Hydra will refuse are ignored."""
    values: dict[str, int | None] = {}
    for argument in arguments:
        if "=" not in argument or argument.startswith(("-", OF_HYDRA)):
            continue
        try:
            override = OverridesParser.create().parse_override(argument)
        except HydraException:
            continue
        if override.is_sweep_override():
            values[bare_key(override.get_key_element())] = _count(override)
    elsewhere = any(argument.lstrip("+").startswith(SWEEPER) for argument in arguments)
    counts = [count for count in values.values() if count is not None]
    has_all_values = len(counts) == len(values) and not elsewhere
    return Swept(tuple(values), prod(counts) if has_all_values else None)


def bare_key(key: str) -> str:
    """Return the key of an override without the signs that add or remove it.

    >>> bare_key("+method.build.top_k")
    'method.build.top_k'
    """
    return key.lstrip("+~")


def has_launcher(arguments: Sequence[str]) -> bool:
    """Return whether the command line chooses a launcher that may run several jobs at once."""
    chosen = [argument.lstrip("+") for argument in arguments]
    return any(
        argument.startswith(LAUNCHER) and argument != f"{LAUNCHER}{ONE_BY_ONE}"
        for argument in chosen
    )


def folder_options(arguments: Sequence[str]) -> list[str]:
    """Return the part of a command line that adds folders to our own conf.

    >>> folder_options(["-m", "--config-dir", "mine", "method=a,b", "--trust-config=ours"])
    ['--config-dir', 'mine', '--trust-config=ours']
    """
    kept: list[str] = []
    left = iter(arguments)
    for argument in left:
        name, has_value, _ = argument.partition("=")
        if SEARCHED.match(argument):
            kept.append(argument)
        elif name in FOLDER_OPTIONS:
            kept += [argument] if has_value else [argument, next(left, "")]
    return kept


def _count(override: Override) -> int | None:
    """Return the number of values of a swept override; None if only Hydra can list them."""
    try:
        return sum(1 for _ in override.sweep_iterator())
    except HydraException:  # an interval, or every choice that a pattern matches
        return None
