"""Turn an error into the exit code of the command and one sentence that says what to do.

Our own errors have an attribute with their exit code (remem/errors.py). For errors of Python and
of libraries, this module chooses the code. Hydra is slow to import, so it is imported only for
its own errors.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remem.config.conf_files import conf_choices, conf_groups
from remem.config.extras import launcher_extras
from remem.config.suggestions import did_you_mean, did_you_mean_by, either
from remem.errors import ERROR, USAGE, Ending, UsageError
from remem.files.disk import disk_complaint, is_full
from remem.files.live_process import is_out_of_memory, memory_complaint
from remem.files.yaml_text import load_yaml

if TYPE_CHECKING:
    from hydra.errors import HydraException

_KEY = re.compile(r"Could not override '(?P<key>[^']+)'")
LAUNCHER = "hydra/launcher"


def ending(error: Exception) -> Ending | None:
    """Return the exit code and message for an error; None for a bug."""
    code = getattr(error, "exit_code", None)
    if code is not None:
        return Ending(code, str(error))
    if is_out_of_memory(error):
        return Ending(ERROR, memory_complaint())
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if isinstance(error, HydraException):
        return Ending(USAGE, hydra_complaint(error))
    if isinstance(error, OmegaConfBaseException):
        return Ending(USAGE, str(error))
    if isinstance(error, OSError):
        is_named = isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError)
        return Ending(USAGE if is_named else ERROR, file_complaint(error))
    if isinstance(error, ValueError | RuntimeError | ImportError):
        return Ending(ERROR, str(error))
    return None


@contextmanager
def as_usage_errors() -> Iterator[None]:
    """Turn errors of Hydra in the `with` block into UsageErrors with our own message."""
    from hydra.errors import HydraException

    try:
        yield
    except HydraException as error:
        raise UsageError(hydra_complaint(error)) from None


def hydra_complaint(error: "HydraException") -> str:
    """Explain what is wrong with an override, and suggest a similar group, key or choice."""
    from hydra.errors import MissingConfigException, OverrideParseException

    if isinstance(error, MissingConfigException) and error.options and error.missing_cfg_file:
        group, _, choice = error.missing_cfg_file.rpartition("/")
        return _no_choice(group, choice, error.options)
    if isinstance(error, OverrideParseException) and "=" not in error.override:
        near = did_you_mean_by(error.override, _choices())
        return (
            f"{error.override!r} is not an override; expected key=value, such as "
            f"method=remem_i{near}"
        )
    named = _KEY.search(str(error))
    if named is None:
        return str(error)
    key = named["key"]
    every = list(_all_keys())
    if key in every:
        group = key.partition(".")[0]
        return f"unknown key {key!r}: this choice of {group} does not have it, but others do"
    as_deep = [other for other in every if other.count(".") == key.count(".")]
    near = did_you_mean(key, as_deep) or did_you_mean_by(key, _by_last_parts(key, every))
    return f"unknown key {key!r}{near}"


def file_complaint(error: OSError) -> str:
    """Return a message on a file that is missing, is a folder, or cannot be read or written."""
    if is_full(error):
        return disk_complaint(None, error)
    if isinstance(error, IsADirectoryError) and error.filename is not None:
        return (
            f"{error.filename2 or error.filename} is a folder, but a file is expected; name a "
            f"file, or, if a run was about to write that file, move the folder away and start "
            f"again"
        )
    if isinstance(error, NotADirectoryError) and error.filename is not None:
        parents = Path(error.filename).parents
        file = next((parent for parent in parents if parent.is_file()), error.filename)
        return f"{file} is a file, but a folder is expected; move it away or name another folder"
    if isinstance(error, PermissionError) and error.filename is not None:
        path = Path(os.fsdecode(error.filename))
        return (
            f"{path} cannot be opened or created: {error.strerror}; make it and its folder "
            f"{path.parent} accessible to you (chmod, or ask their owner), or name another one"
        )
    if not isinstance(error, FileNotFoundError) or error.filename is None:
        return str(error)
    return (
        f"no such file or folder: {str(error.filename)!r}; check the path, which is relative to "
        f"{Path.cwd()}, and that its folder exists"
    )


def _no_choice(group: str, choice: str, there: Sequence[str]) -> str:
    if group == LAUNCHER:
        extras = {name: extra for name, extra in launcher_extras().items() if extra.missing}
        for launcher, extra in extras.items():
            if choice.startswith(launcher):
                return (
                    f"{group}={choice} needs the extra {extra.name}, which is not installed: "
                    f"{extra.install}"
                )
        there = (*there, *extras)
    return f"unknown {group} {choice!r}; choose {either(there)}{did_you_mean(choice, there)}"


def _choices() -> dict[str, str]:
    """Return the override that selects each choice of each group, by the name of the choice."""
    return {file.stem: f"{file.parent.name}={file.stem}" for file in reversed(_files())}


def _by_last_parts(named: str, every: Sequence[str]) -> dict[str, str]:
    """Return keys by their last parts, cut to as many parts as `named` has.

    For example, if `named` is `score.f1`, a key that ends in `.score.f1` is found as `score.f1`.
    """
    parts = named.count(".") + 1
    keys: dict[str, str] = {}
    for key in every:
        keys.setdefault(".".join(key.split(".")[-parts:]), key)
    return keys


def _all_keys() -> Iterator[str]:
    """Iterate over the keys of the default configuration, then of all other choices."""
    from omegaconf import OmegaConf

    from remem.config.run_config import compose_config

    yield from _below("", OmegaConf.to_container(compose_config([]), resolve=False))
    for file in _files():
        node = OmegaConf.to_container(load_yaml(file), resolve=False)
        yield from _below(f"{file.parent.name}.", node)


def _files() -> list[Path]:
    """Return the files of all groups but table, which is not part of a configuration."""
    groups = (group for group in conf_groups() if group != "table")
    return [file for group in groups for file in conf_choices(group)]


def _below(prefix: str, node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield f"{prefix}{key}"
            yield from _below(f"{prefix}{key}.", value)
