"""Compose configurations like Hydra, but faster, by reusing what this process composed before.

Hydra needs 0.15 s for each composition. Here Hydra composes the defaults of `conf` only once. If an
override chooses a file that sets only its own group, that group is replaced. An override such as
`run.limit=3`, `+reader.x=1` or `~run.limit` sets, adds or deletes one value. If there is any other
override or an error, Hydra composes the whole configuration.
"""

import copy
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from remem.config.conf_files import conf_file, conf_folder, conf_folders, is_conf_group
from remem.files.opened import read_text
from remem.files.yaml_text import load_yaml

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

MOST_KEPT = 256
"""Maximum number of compositions to keep; each has about 200 values."""
HEADER = "@package"

Stamp = tuple[tuple[str, int, int], ...]
"""The path, the time of change and the size of each file of `conf`."""
Choices = tuple[str, ...]
"""Overrides that choose files of groups, such as `method=remem_s`."""


def composition(overrides: Sequence[str]) -> DictConfig:
    """Return what Hydra composes from `conf` with these overrides.

    Raises:
        HydraException: An override cannot be applied.
    """
    kept = _from_kept(overrides)
    return by_hydra(overrides) if kept is None else kept


def by_hydra(overrides: Sequence[str]) -> DictConfig:
    """Let Hydra compose; the result has no settings of Hydra itself.

    Raises:
        HydraException: An override cannot be applied.
    """
    composed = _with_hydra(overrides)
    with open_dict(composed):
        del composed["hydra"]
    return composed


def _with_hydra(overrides: Sequence[str]) -> DictConfig:
    from hydra import compose, initialize_config_dir

    from remem.config.search_path import prepare_search

    prepare_search()
    with initialize_config_dir(version_base="1.3", config_dir=str(conf_folder())):
        return compose("config", overrides=list(overrides), return_hydra_config=True)


def _from_kept(overrides: Sequence[str]) -> DictConfig | None:
    """Compose the configuration from cached parts; return None if only Hydra can compose it."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        parsed = OverridesParser.create().parse_overrides(list(overrides))
        choices = [change for change in parsed if _is_choice(change)]
        values = [change for change in parsed if _is_value(change)]
        if len(choices) + len(values) < len(parsed):
            return None
        lines = tuple(str(change.input_line) for change in choices)
        composed = copy.deepcopy(_chosen(lines, _stamp()))
        if not all(_applied(composed, change) for change in values):
            return None
    except (HydraException, OmegaConfBaseException, YAMLError, ValueError):
        return None  # Hydra reports it
    return composed


def _is_choice(change: "Override") -> bool:
    """Return whether Hydra applies an override to the defaults list."""
    is_group = is_conf_group(change.key_or_group)
    return is_group and not change.is_sweep_override() and isinstance(change.value(), str | list)


def _is_value(change: "Override") -> bool:
    """Return whether an override changes a value below a group."""
    root, dot, _ = change.key_or_group.partition(".")
    special = change.package is not None or change.is_sweep_override()
    return bool(dot) and root != "hydra" and not special


def _applied(composed: DictConfig, change: "Override") -> bool:
    """Set, add or delete one value like Hydra; return False if Hydra has to report an error."""
    key, value = change.key_or_group, change.value()
    if change.is_delete():
        parent, _, name = key.rpartition(".")
        group = OmegaConf.select(composed, parent)
        present = OmegaConf.select(composed, key)
        if present is None or value is not None or not isinstance(group, DictConfig):
            return False
        with open_dict(group):
            del group[name]
        return True
    is_one_added = change.is_add() and not isinstance(value, dict | list)
    if is_one_added and OmegaConf.select(composed, key) is not None:
        return False
    adds = change.is_add() or change.is_force_add()
    OmegaConf.update(composed, key, value, merge=True, force_add=adds)
    return True


@lru_cache(MOST_KEPT)
def _chosen(choices: Choices, stamp: Stamp) -> DictConfig:
    """Return the cached configuration with these files chosen; callers must copy it."""
    defaults, replaceable = _defaults(stamp)
    chosen = dict(line.split("=", 1) for line in choices if line.count("=") == 1)
    if len(chosen) < len(choices) or not replaceable.issuperset(chosen):
        return by_hydra(choices)
    composed = copy.deepcopy(defaults)
    for group, choice in chosen.items():
        content = _content(group, choice, stamp)
        if content is None:
            return by_hydra(choices)
        composed[group] = content
    return composed


@lru_cache(MOST_KEPT)
def _defaults(stamp: Stamp) -> tuple[DictConfig, frozenset[str]]:
    """Return Hydra's composition of the defaults, and the groups that come from one file each.

    There are no such groups if a default file could set values of another group.
    """
    composed = _with_hydra(())
    chosen = _own_choices(composed.hydra.runtime.choices)
    with open_dict(composed):
        del composed["hydra"]
    elsewhere = [
        file
        for group, choice in chosen
        if (file := conf_file(group, choice)) is None or (load_yaml(file) and not _is_plain(file))
    ]
    groups = (group for group, _ in chosen if group in composed)
    return composed, frozenset() if elsewhere else frozenset(groups)


def _own_choices(choices: DictConfig) -> list[tuple[str, str]]:
    """Return the groups of `conf` with the names of their files, without those of Hydra."""
    return [
        (str(group), str(choice))
        for group, choice in choices.items()
        if choice is not None and not str(group).startswith("hydra/")
    ]


def _plain_file(group: str, choice: str) -> Path | None:
    """Return the file of a choice if it sets exactly the values of its group."""
    file = conf_file(group, choice)
    return file if file is not None and file.parent.name == group and _is_plain(file) else None


def _is_plain(file: Path) -> bool:
    """Return whether Hydra places all values of a file in the group of its folder."""
    return HEADER not in read_text(file) and "defaults" not in load_yaml(file)


@lru_cache(MOST_KEPT)
def _content(group: str, choice: str, stamp: Stamp) -> Any:
    """Return the values that a choice sets in its group; None if it sets values elsewhere.

    The result is cached, and copied when it is set in a configuration.
    """
    if file := _plain_file(group, choice):
        return load_yaml(file)
    defaults, _ = _defaults(stamp)
    composed = by_hydra((f"{group}={choice}",))
    same = all(composed.get(other) == defaults.get(other) for other in defaults if other != group)
    return composed.get(group) if same and composed.keys() == defaults.keys() else None


def _stamp() -> Stamp:
    """Return a cache key that changes if a file of `conf` is edited while the process runs."""
    return tuple(stamp for folder in conf_folders() for stamp in _stamped(folder))


def _stamped(folder: Path) -> Iterator[tuple[str, int, int]]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from _stamped(path)
        elif path.suffix == ".yaml":
            status = path.stat()
            yield str(path), status.st_mtime_ns, status.st_size
