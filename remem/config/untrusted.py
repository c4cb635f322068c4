"""Rules for untrusted configurations: they may only set plain settings of known kinds.

The rules apply to bundles, to tables, and to folders of `--config-dir` with all their files. Only
`conf` and the command line can set addresses, names of environment variables, folders and files,
programs, packages, models, and model code.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import PurePath
from typing import Any, Literal

from remem.config.composed_size import PLAIN, is_plain, reads_outside
from remem.config.conf_files import (
    GENERATORS,
    conf_file,
    conf_values,
    is_in_conf,
)
from remem.config.permissions import (
    app_permissions,
    asking_classes,
    live_classes,
    starts_as_conf_says,
)
from remem.files.opened import read_text

Kind = Literal[
    "address",
    "variable",
    "place",
    "program",
    "tool",
    "package",
    "model",
    "code",
    "environment",
    "hydra",
    "mixture",
    "here",
    "elsewhere",
    "size",
]

SAID: Mapping[Kind, str] = {
    "address": "an address",
    "variable": "the name of an environment variable",
    "place": "a folder or a file",
    "program": "a program to run",
    "tool": "a tool of a server to call",
    "package": "a package whose classes may be used",
    "model": "a model to use",
    "code": "model code to run",
    "environment": "a value from the environment",
    "hydra": "a setting of Hydra itself, which could run any code",
    "mixture": "an interpolation other than one plain reference",
    "here": "where or how remem runs",
    "elsewhere": "a group of settings in another place",
    "size": "a number, or a size of generated data, that is too large",
}
"""The description of each kind of refused setting in errors."""

NEVER_GRANTED: frozenset[Kind] = frozenset({"code", "package", "environment", "hydra"})
"""Kinds that only files of `conf` may set; the command line allows packages and code by name."""
HYDRA = "hydra"
HERE = ("paths", "runner", "logger", "cache")
"""Groups that set folders or how runs execute; no setting in them changes a result."""
MODELS = ("llm", "judge_llm")
NO_SETTINGS = ("table", "prices")
"""Folders of `conf` that are not part of any configuration."""
KEYS: Mapping[str, Kind] = {
    **dict.fromkeys(("base_url", "known_as", "uri", "address"), "address"),
    **dict.fromkeys(
        (
            *("data", "folder", "store", "calls", "ledger", "log", "questions", "results", "dir"),
            "subdir",
        ),
        "place",
    ),
    **dict.fromkeys(("store_tool", "search_tool"), "tool"),
    **dict.fromkeys(("model", "recorded"), "model"),
}
"""Keys whose texts need permission everywhere."""
ADMITTING: Mapping[str, Kind] = {
    "packages": "package",
    "model_code": "code",
    "trust_remote_code": "code",
}
"""Keys that allow code to run, unless their value is an empty list or false."""
SHOWN_ONLY = ("label", "note", "title")
"""Keys whose texts are only shown, so they may contain references."""
FILE_NAME = re.compile(r".+\.(txt|ya?ml)\s*", re.DOTALL | re.IGNORECASE)
"""The file name of a prompt or price list."""
CHOICE = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*")
ENDINGS = (".yaml", ".yml")
MOST_DIMENSIONS = 2**16
MOST_AT_ONCE = 1024
LARGEST = {
    "dimension": MOST_DIMENSIONS,
    **dict.fromkeys(("workers", "parallel_calls", "parallel_episodes"), MOST_AT_ONCE),
}
"""Maximum values of settings that each determine memory use or the number of threads."""
LARGEST_OTHER = 2**24
"""Maximum of any other integer: 80 times the largest in `conf`."""
MILVUS = "remem.index.milvus_dense.MilvusDense"
MOST_GENERATED = 50_000
"""Maximum product of the sizes of a generator, twice that of `conf`."""
LARGEST_GENERATED = {
    **dict.fromkeys(("conversations", "sessions"), 50),
    "events_per_session": 20,
    "subjects": 10_000,
    "questions_per_level": 2_000,
    "graphs_per_cell": 20,
}
"""Maximum of each size of a generator; with all of them, generating takes about ten seconds."""

Json = Any


@dataclass(frozen=True, slots=True)
class Refused:
    """A setting that an untrusted file may not have: its dotted key, kind and value."""

    key: str
    kind: Kind
    value: object


def refused_settings(tree: object, prefix: str = "", *, trusted: bool = False) -> Iterator[Refused]:
    """Yield the forbidden settings in a part of a configuration.

    Args:
        tree: The part, as plain data from YAML or an override.
        prefix: The dotted key of the part; "" for the entire configuration.
        trusted: Whether the command line trusts the file.
    """
    seen: set[tuple[int, str]] = set()
    left: list[tuple[tuple[str, ...], Json]] = [(_parts(prefix), tree)]
    while left:
        path, node = left.pop()
        kind = _kind(path, node)
        if kind and not (trusted and kind not in NEVER_GRANTED):
            yield Refused(".".join(path), kind, node)
            continue
        mark = (id(node), path[-1] if path else "")
        if not isinstance(node, dict | list) or mark in seen:
            continue
        seen.add(mark)  # repeated references in YAML are read once
        if isinstance(node, list):
            left += [(path, item) for item in node]
        else:
            left += _entries(path, node)


def refused_choice(group: str, package: str | None, choice: object) -> Refused | None:
    """Check an untrusted file's choice in a group; return what is forbidden in it, or None."""
    place = f"{group}@{package}" if package is not None else group
    root = group.partition("/")[0]
    if HYDRA in (root, (package or "").partition(".")[0]):
        return Refused(place, "hydra", choice)
    if root in HERE:
        return Refused(place, "here", choice)
    if group and not CHOICE.fullmatch(group):  # such as ../elsewhere, which was not checked
        return Refused(place, "place", choice)
    if package is not None or root in NO_SETTINGS:
        return Refused(place, "model" if root in MODELS else "elsewhere", choice)
    for name in choice if isinstance(choice, list) else [choice]:
        if name is None:
            continue
        # Hydra reads "vllm.yaml" as "vllm", which is looked for here under its own name.
        if not isinstance(name, str) or not CHOICE.fullmatch(name) or name.endswith(ENDINGS):
            return Refused(place, "place", name)
        if _asks(group, name):
            return Refused(place, "model", name)
    return None


def largest(key: str) -> int:
    """Return the largest number that an untrusted file may set a key to."""
    return LARGEST.get(key, LARGEST_OTHER)


def fills_memory(key: str, value: Json) -> bool:
    """Return whether a number is too large for a key; seeds may have any value."""
    return isinstance(value, int | float) and "seed" not in key and abs(value) > largest(key)


def node_refusal(node: Mapping[str, Any]) -> Kind | None:
    """Return the kind of forbidden setting in a node with a `_target_`; None if it has none."""
    target = str(node["_target_"])
    if target in app_permissions().outside or not starts_as_conf_says(node):
        return "program"
    if target == MILVUS and node.get("uri"):
        return "address"
    if target.startswith(GENERATORS) and _generates_much(node):
        return "size"
    return None


def is_outside(text: str) -> bool:
    """Return whether a text is an absolute path, starts with ~, or contains ".."."""
    return text.startswith(("/", "~", "\\")) or ".." in PurePath(text).parts


def _kind(path: Sequence[str], value: object) -> Kind | None:
    """Return the kind of permission that a setting needs; None for a plain setting.

    Kinds that are never granted are checked first, so that a granted kind cannot hide them.
    """
    root, key = (path[0], path[-1]) if path else ("", "")
    admitting = next((ADMITTING[part] for part in path if part in ADMITTING), None)
    if admitting and not (key in ADMITTING and value in ([], False)):
        return admitting
    if isinstance(value, str) and reads_outside(value) and not is_in_conf(value):
        return "environment"
    if root == HYDRA:
        return "hydra"
    if root in HERE:
        return "here"
    if root in MODELS:
        return "model"
    if isinstance(value, dict):
        return _node_kind(value)
    if fills_memory(key, value):
        return "size"
    if "environment" in path[:-1]:  # variables of a program, which could make it run anything
        return "program"
    return _text_kind(key, value) if isinstance(value, str) else None


def _node_kind(node: Mapping[str, Any]) -> Kind | None:
    if "_target_" not in node:
        return None
    return "model" if str(node["_target_"]) in live_classes() else node_refusal(node)


def _text_kind(key: str, text: str) -> Kind | None:
    of_conf = "${" in text and text in conf_values(key)
    if key == "_target_" and "${" in text:  # the file it names would not be checked
        return "mixture"
    if "${" in text and not (
        of_conf or PLAIN.fullmatch(text) or (key in SHOWN_ONLY and is_plain(text))
    ):
        return "mixture"
    if key.endswith("_variable"):
        return "variable"
    if key in app_permissions().choosing:
        return "program"
    if key in KEYS and not (KEYS[key] == "place" and of_conf):
        return KEYS[key]
    if "://" in text:
        return "address"
    return "place" if is_outside(text) or FILE_NAME.fullmatch(text) else None


def _entries(
    path: tuple[str, ...], node: Mapping[Any, Any]
) -> Iterator[tuple[tuple[str, ...], Json]]:
    chooses = app_permissions().started.get(str(node.get("_target_")), ())
    for key, value in node.items():
        if key in chooses:  # the node was compared with the nodes of conf
            continue
        yield (*path, *_parts(str(key))), value


def _asks(group: str, choice: str) -> bool:
    """Return whether one of our choices sends data or runs a model's own code."""
    file = conf_file(group, choice)
    if file is None:
        return False
    text = read_text(file)
    return any(target in text for target in asking_classes()) or "trust_remote_code: true" in text


def _generates_much(generator: Mapping[str, Any]) -> bool:
    sizes = {
        name: value
        for name, value in generator.items()
        if isinstance(value, int | float) and "seed" not in name
    }
    return prod(max(1, size) for size in sizes.values()) > MOST_GENERATED or any(
        size > LARGEST_GENERATED.get(name, MOST_GENERATED) for name, size in sizes.items()
    )


def _parts(key: str) -> tuple[str, ...]:
    return tuple(filter(None, key.split(".")))
