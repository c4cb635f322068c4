"""What Hydra and the files of others complain of, in one sentence that says what to do."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import OmegaConf

from remem.config.conf_files import conf_folder
from remem.config.extras import launcher_extras
from remem.config.run_config import compose_config
from remem.config.suggestions import did_you_mean, did_you_mean_by
from remem.files.disk import disk_complaint, is_full

_KEY = re.compile(r"Could not override '(?P<key>[^']+)'")
LAUNCHER = "hydra/launcher"


def hydra_complaint(error: HydraException) -> str:
    """Say what an override has wrong, with the nearest group, key or choice."""
    if isinstance(error, MissingConfigException) and error.options and error.missing_cfg_file:
        group, _, choice = error.missing_cfg_file.rpartition("/")
        return _no_choice(group, choice, error.options)
    if isinstance(error, OverrideParseException) and "=" not in error.override:
        near = did_you_mean_by(error.override, _choices())
        return f"{error.override!r} is no override such as method=remem_i{near}"
    named = _KEY.search(str(error))
    if named is None:
        return str(error)
    key = named["key"]
    return f"there is no key {key!r} to override{did_you_mean_by(key, _keys(key.count('.') + 1))}"


def file_complaint(error: OSError) -> str:
    """Say which file is missing, is no file, or cannot be written, where only the system has."""
    if is_full(error):
        return disk_complaint(None, error)
    if isinstance(error, IsADirectoryError) and error.filename is not None:
        return (
            f"{error.filename2 or error.filename} is a folder, expected a file; name a file, or "
            f"move the folder away if a run was to write that file, and start the run again"
        )
    if not isinstance(error, FileNotFoundError) or error.filename is None:
        return str(error)
    return (
        f"{str(error.filename)!r} is not there, or has no folder to be written into; paths begin "
        f"at {Path.cwd()}: give one that is there"
    )


def _no_choice(group: str, choice: str, there: Sequence[str]) -> str:
    if group == LAUNCHER:
        extras = {name: extra for name, extra in launcher_extras().items() if extra.lacking}
        for launcher, extra in extras.items():
            if choice.startswith(launcher):
                return (
                    f"{group}={choice} is of the extra {extra.name}, which is not installed: "
                    f"{extra.install}"
                )
        there = (*there, *extras)
    known = ", ".join(there)
    return f"there is no {group}={choice}, there are {known}{did_you_mean(choice, there)}"


def _choices() -> dict[str, str]:
    """Return every choice of a group as the override that takes it."""
    return {file.stem: f"{file.parent.name}={file.stem}" for file in reversed(_files())}


def _keys(parts: int) -> dict[str, str]:
    """Return every key by its last parts, so many: `score.f1` for `convention.score.f1`."""
    found: dict[str, str] = {}
    for key in _all_keys():
        found.setdefault(".".join(key.split(".")[-parts:]), key)
    return found


def _all_keys() -> Iterator[str]:
    """Iterate over the keys of the default configuration, then of what else can be chosen."""
    yield from _below("", OmegaConf.to_container(compose_config([]), resolve=False))
    for file in _files():
        node = OmegaConf.to_container(OmegaConf.load(file), resolve=False)
        yield from _below(f"{file.parent.name}.", node)


def _files() -> list[Path]:
    """Return the files of all groups; a table is no choice of a configuration."""
    files = conf_folder().glob("*/*.yaml")
    return sorted(file for file in files if file.parent.name != "table")


def _below(prefix: str, node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield f"{prefix}{key}"
            yield from _below(f"{prefix}{key}.", value)
