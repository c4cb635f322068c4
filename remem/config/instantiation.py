"""Build the parts of a configuration, after checking their classes and arguments.

A configuration is only data: each `_target_` in it must name a class of an admitted package.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from inspect import isbuiltin, isclass, isfunction
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from remem.config.conf_files import (
    NAMED_BY_CODE,
    conf_targets,
    pinned_models,
)
from remem.config.permissions import starts_as_conf_says
from remem.config.suggestions import did_you_mean
from remem.errors import UsageError
from remem.files.shipped import baselines_folder

OURS = ("remem", "baselines")
"""The packages of our classes."""
KEYS = ("_target_", "_partial_")
"""The keys with an underscore that are followed; Hydra's other special keys are not."""
RENAMED_CHOICES = {("lexical", "bm25s"): "bm25"}
"""The current name of each renamed choice of `conf`, by its name in recorded configurations."""


def no_model(llm: str) -> UsageError:
    """Return the error for a part that needs a language model when none is chosen."""
    asks = f"a part of this configuration needs a language model, and llm={llm} is not one"
    return UsageError(f"{asks}; to see the choices: remem list llm")


def check_targets(what: str, build: object, packages: Sequence[str]) -> None:
    """Raise an error for a `_target_` outside of these packages or with invalid arguments.

    Targets in remem must be named in `conf`. Packages of the standard library are never admitted.
    """
    for node in nodes(build):
        target = str(node["_target_"])
        package = target.split(".", maxsplit=1)[0]
        if package not in packages:
            raise UsageError(
                f"{what}: _target_ {target!r} is not in {', '.join(packages)}; to use your own "
                f"package, set run.packages=[{package}] for a run or a table, or add "
                f"--package {package} to a command that reads finished runs"
            )
        if package in OURS:
            _check_own(what, node, packages)
        target_class = _import_class(what, target)
        owner = str(target_class.__module__).split(".", maxsplit=1)[0]
        if owner not in packages or owner in sys.stdlib_module_names:
            raise UsageError(
                f"{what}: _target_ {target!r} is defined in {target_class.__module__!r}, which "
                f"is not an allowed package ({', '.join(packages)})"
            )
        odd = sorted(key for key in node if key.startswith("_") and key not in KEYS)
        if odd:
            raise UsageError(f"{what}: {target} has {odd[0]!r}, which is not allowed here")
        arguments = {key: value for key, value in node.items() if not key.startswith("_")}
        check_arguments(what, target_class, arguments, partial=bool(node.get("_partial_")))


def _check_own(what: str, node: Mapping[str, Any], packages: Sequence[str]) -> None:
    """Raise an error for a target in remem that `conf` does not name."""
    target = str(node["_target_"])
    if target not in conf_targets() and target not in NAMED_BY_CODE:
        raise UsageError(
            f"{what}: _target_ {target!r} is not one of those in the conf of remem; choose one of "
            f"them, or a class of your own package"
        )
    pair = (str(node.get("model")), str(node.get("revision")))
    if node.get("trust_remote_code") and pair not in pinned_models():
        raise UsageError(
            f"{what}: {pair[0]} at revision {pair[1]} may not run its own code; set "
            f"trust_remote_code to false. Only a model whose revision is in the conf of remem may "
            f"run its own code, and only with run.model_code=[<model>] on the command line"
        )
    only_ours = set(packages) <= set(OURS)
    if only_ours and not starts_as_conf_says(node):
        raise UsageError(
            f"{what}: {target} may run only the programs of conf/method; to use your own class, "
            "set run.packages=[<its package>]"
        )


def check_arguments(
    what: str,
    target: Callable[..., object],
    arguments: Mapping[str, object],
    *,
    partial: bool = False,
) -> None:
    """Raise an error for unknown arguments and, unless `partial`, for missing ones."""
    signature = _signature_of(target)
    try:
        (signature.bind_partial if partial else signature.bind)(**arguments)
    except TypeError as error:
        odd = [name for name in arguments if name not in signature.parameters]
        near = did_you_mean(odd[0], signature.parameters) if odd else ""
        raise UsageError(f"{what}: {target.__name__} {error}{near}") from error
    for name, hint in get_type_hints(target.__init__ if isclass(target) else target).items():
        if name in arguments and _is_plain(hint):
            _check_value(f"{what}: {target.__name__} {name}", hint, arguments[name])


@cache  # a list of runs needs the same arguments for every run
def _signature_of(target: Callable[..., object]) -> inspect.Signature:
    return inspect.signature(target)


def _check_value(what: str, hint: Any, value: object) -> None:
    """Raise an error for a value of the wrong type, such as "no" instead of a bool."""
    from pydantic import ValidationError

    from remem.files.adapters import adapter

    try:
        adapter(hint).validate_python(value, strict=True)
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"]
        raise UsageError(f"{what} is {value!r}: {reason}") from error


def _is_plain(hint: Any) -> bool:
    """Return whether a type consists only of numbers, strings, bools and literals."""
    parts = get_args(hint)
    if hint in (int, float, bool, str, type(None)) or get_origin(hint) is Literal:
        return True
    return bool(parts) and get_origin(hint) is not Callable and all(map(_is_plain, parts))


@dataclass(frozen=True, slots=True)
class SharedInstance:
    """A part that other parts share: built on first use and passed to all of them."""

    build: Mapping[str, Any]
    _made: list[Any] = field(default_factory=list)

    def get(self) -> Any:
        """Return the shared object, building it on first use."""
        if not self._made:
            self._made.append(instantiate_checked(self.build))
        return self._made[0]

    def built(self) -> tuple[Any, ...]:
        """Return a tuple with the shared object; empty if it was not built yet."""
        return tuple(self._made)


def instantiate_checked(build: object, *shared: SharedInstance | None) -> Any:
    """Build the object that a configuration describes; nodes without `_target_` stay plain data.

    Args:
        build: Plain data with checked targets.
        shared: The parts that the entire run shares, if any.
    """
    if isinstance(build, list):
        return [instantiate_checked(value, *shared) for value in build]
    if not isinstance(build, dict):
        return build
    for part in shared:
        if part is not None and build == part.build:
            return part.get()
    parts = {key: instantiate_checked(value, *shared) for key, value in build.items()}
    if "_target_" not in build:
        return parts
    target = _import_class("build", str(parts.pop("_target_")))
    if parts.pop("_partial_", False):
        return partial(target, **parts)
    try:
        return target(**parts)
    except (TypeError, KeyError) as error:
        raise UsageError(f"{target.__name__} cannot be built: {error}") from error


def nodes(node: object) -> Iterator[Mapping[str, Any]]:
    """Iterate over all nodes of a build that have a `_target_`."""
    if isinstance(node, dict):
        if "_target_" in node:
            yield node
        for value in node.values():
            yield from nodes(value)
    elif isinstance(node, list):
        for value in node:
            yield from nodes(value)


def rewritten(
    node: Any,
    mapping: Callable[[dict[str, Any]], dict[str, Any]],
    text: Callable[[str], str] = str,
) -> Any:
    """Return a copy of a node with `mapping` applied to each mapping, then `text` to each text."""
    if isinstance(node, Mapping):
        return {key: rewritten(value, mapping, text) for key, value in mapping({**node}).items()}
    if isinstance(node, list):
        return [rewritten(value, mapping, text) for value in node]
    return text(node) if isinstance(node, str) else node


def with_present_names(node: Any) -> Any:
    """Replace old names of our classes and choices in a configuration by the present names.

    A bundle or a manifest names each class with the module that it was in at the time of writing.
    If `conf` does not name a class, its old module is kept, and the class is refused later.
    """
    return rewritten(node, _with_present_name)


def _with_present_name(node: dict[str, Any]) -> dict[str, Any]:
    for (group, former), name in RENAMED_CHOICES.items():
        choice = node.get(group)
        if isinstance(choice, Mapping) and choice.get("name") == former:
            node[group] = {**choice, "name": name}
    target = str(node.get("_target_"))
    if target.split(".", maxsplit=1)[0] in OURS:
        node["_target_"] = _present_targets().get(target.rpartition(".")[2], target)
    return node


@cache
def _present_targets() -> Mapping[str, str]:
    return {target.rpartition(".")[2]: target for target in (*conf_targets(), *NAMED_BY_CODE)}


def _check_lies_next_to_remem(file: Path) -> None:
    """Raise an error if the file of a baseline belongs to another checkout of remem."""
    if not file.is_relative_to(baselines_folder()):
        raise UsageError(
            f"{file} is a baseline of another copy of remem; expected it in {baselines_folder()}"
        )


def _import_class(what: str, target: str) -> Callable[..., object]:
    module, _, name = target.rpartition(".")
    try:
        home = import_module(module)
        imported: Callable[..., object] = getattr(home, name)
    except (ImportError, AttributeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{what}: _target_ {target[:200]!r} cannot be imported: {error}"
        ) from error
    if module.startswith("baselines."):
        _check_lies_next_to_remem(Path(str(home.__file__)))
    if not (isclass(imported) or isfunction(imported) or isbuiltin(imported)):
        raise UsageError(f"{what}: _target_ {target!r} is neither a class nor a function")
    return imported
