"""The folders of `--config-dir` and `--trust-config`, which configure runs but not Hydra itself.

A folder of `--config-dir` may be untrusted and can set only plain values. No folder may configure
Hydra, because Hydra builds the classes in `hydra.callbacks` and `hydra.job_logging` before a run
starts, and so before any other check.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from remem.config.override_text import quoted
from remem.config.untrusted import HYDRA, SAID, Kind, Refused, refused_choice, refused_settings
from remem.errors import UsageError
from remem.files.opened import read_file
from remem.files.yaml_text import MOST_BYTES

CONFIG_DIR, TRUST = "--config-dir", "--trust-config"
CHECKED, TRUSTED = "checked", "trusted"
"""The schemes of folders on Hydra's search path, which `remem.config.search_path` reads."""
OF_FOLDERS, OF_PACKAGES = ("file", CHECKED), "pkg"
GRANTED = (
    "lets its files set addresses, names of environment variables, folders, programs and models; "
    "packages and model code still need run.packages and run.model_code"
)
HEADER = re.compile(rb"#.*@package.*hydra")
PACKAGE = re.compile(rb"@package +([!-~]+)[ \t]*\r?$", re.MULTILINE)
"""A package header: plain ASCII, alone on its line, because Hydra also strips Unicode spaces."""
MOST_NODES = 100_000
"""Maximum number of nodes of a document, with repeats; our files have less than a thousand."""
SEARCHED = re.compile(r"\+{0,2}hydra\.searchpath=")
OF_A_TABLE = ("title", "blocks")
LONGEST_SHOWN = 80


def hydra_arguments(arguments: Sequence[str]) -> list[str]:
    """Check the folders in the arguments, and return the arguments in Hydra's form.

    All folders go on Hydra's search path, where each file is checked again when Hydra reads it
    (`remem.config.search_path`).

    Raises:
        UsageError: A folder does not exist, or a file of a folder has a forbidden setting.
    """
    trusted, others = _trusted(arguments)
    strangers = strangers_folders(arguments)
    for folder in (*trusted, *strangers):
        if not folder.is_dir():
            option = TRUST if folder in trusted else CONFIG_DIR
            raise UsageError(f"{option} {folder} is not a folder; expected one with method/ ...")
        check_folder(folder, trusted=folder in trusted)
    if not (trusted or strangers):
        return others
    packages = [place for place in _searched(others) if not _folder(place)]
    places = (
        *packages,
        *(f"{CHECKED}://{folder.absolute()}" for folder in strangers),
        *(f"{TRUSTED}://{folder}" for folder in trusted),
    )
    kept = [word for word in _without_folder_options(others) if not SEARCHED.match(word)]
    return [*kept, f"hydra.searchpath=[{','.join(map(quoted, places))}]"]


def strangers_folders(arguments: Sequence[str]) -> list[Path]:
    """Return the folders that a command line adds to our own conf without trusting them.

    Raises:
        UsageError: `--trust-config` names no folder.
    """
    trusted, others = _trusted(arguments)
    return [folder for folder in named_folders(others) if folder.resolve() not in trusted]


def grants(arguments: Sequence[str]) -> str:
    """Return a sentence on what a command line lets folders set; "" if it trusts no folder."""
    trusts = any(argument.partition("=")[0] == TRUST for argument in arguments)
    return f"{TRUST} {GRANTED}" if trusts else ""


def named_folders(arguments: Sequence[str]) -> list[Path]:
    """Return the folders that a Hydra command line adds to the search path.

    Raises:
        UsageError: The command line replaces our own conf, or adds a path that is not a folder.
    """
    known, others = _parsed(arguments)
    if known.config_path:
        raise UsageError(
            f"--config-path {known.config_path} would replace the settings of remem; use "
            f"{CONFIG_DIR} to add a folder to them"
        )
    folders = [known.config_dir, *map(_folder, _searched(others))]
    return [Path(folder) for folder in folders if folder]


def existing_folder(folder: Path | None) -> Path | None:
    """Return the folder of --config-dir after checking that it exists; None if none is given.

    Raises:
        UsageError: The folder does not exist.
    """
    if folder is not None and not folder.is_dir():
        raise UsageError(
            f"--config-dir {folder} is not a folder; expected one with method/, table/ ..."
        )
    return folder


def check_folder(folder: Path, *, trusted: bool = False) -> None:
    """Raise an error for a folder that configures Hydra itself or has forbidden settings.

    Raises:
        UsageError: A file has such a setting or is not plain YAML, or a link leads out of the
            folder.
    """
    for path in sorted(_listed(folder)):
        if path.is_symlink() and path.is_dir():
            raise UsageError(
                f"{path} is a link to another folder; replace it with the folder itself"
            )
        if path.suffix in (".yaml", ".yml") and path.is_file():
            checked_content(folder, path, trusted=trusted)


def checked_content(folder: Path, path: Path, *, trusted: bool) -> bytes:
    """Return the bytes of a YAML file of a folder after checking its settings.

    Raises:
        UsageError: The file has a forbidden setting, is not plain YAML, or is a link out of the
            folder.
    """
    inner, content = path.relative_to(folder), _content(path, None if trusted else folder)
    if len(PACKAGE.findall(content)) < content.count(b"@package"):
        raise UsageError(
            f"{path} has an invalid @package header, expected '# @package <group>' alone on a "
            f"line, in plain ASCII"
        )
    documents = _documents(path, content)
    if HYDRA in inner.parts[:-1] or HEADER.search(content) or HYDRA in _words(documents):
        raise UsageError(
            f"{path} configures Hydra itself, which could run any code; remove its {HYDRA} "
            f"settings, and set them on the command line instead"
        )
    for refused in _refused(inner, content, documents, trusted=trusted):
        raise UsageError(refusal(path, refused, granting(folder)))
    return content


def _listed(folder: Path) -> Iterator[Path]:
    """Yield everything in a folder; raise an error if a folder inside it cannot be listed.

    `rglob` would skip such a folder, but Hydra could still open its files by name.
    """
    for path in folder.iterdir() if folder.is_dir() else ():
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _listed(path)


def granting(folder: Path) -> str:
    """Return a sentence on how the command line can allow the forbidden settings of a folder."""
    return f"if you trust the folder, use {TRUST} {folder} instead of --config-dir"


def refusal(path: Path, refused: Refused, remedy: str) -> str:
    """Return an error message that names a forbidden setting in a file and says what to do.

    Args:
        path: The file.
        refused: The forbidden setting.
        remedy: How the command line can allow it, if it can be allowed.
    """
    simple = isinstance(refused.value, str | int | float)
    value = f" ({repr(refused.value)[:LONGEST_SHOWN]})" if simple else ""
    return (
        f"{path}: {refused.key} sets {SAID[refused.kind]}{value}, which only the conf of remem "
        f"and the command line may set; {_remedy(refused.kind, remedy)}"
    )


def _remedy(kind: Kind, granted: str) -> str:
    if kind == "package":
        return "to use a package, set run.packages=[<package>] on the command line"
    if kind == "code":
        return (
            "to run model code, set run.model_code=[<model>] on the command line; only models "
            "that the conf of remem pins are allowed"
        )
    if kind == "environment":
        return "write the value itself there"
    if kind == "hydra":
        return "give it on the command line"
    return granted


def _refused(
    inner: Path, content: bytes, documents: Sequence[Any], *, trusted: bool
) -> Iterator[Refused]:
    """Yield the forbidden settings of a file, wherever its package header places them."""
    group = ".".join(inner.parts[:-1])
    headers = [package.decode(errors="replace") for package in PACKAGE.findall(content)]
    places = {group, *(_package(header, group, inner.stem) for header in headers)}
    for document in documents:
        tree = dict(document) if isinstance(document, dict) else document
        if isinstance(document, dict):
            defaults = tree.pop("defaults", None) or []
            if not trusted:
                yield from _refused_defaults(defaults, group.replace(".", "/"))
            if group == "table" and not headers:  # its rows are checked when it is read
                tree = {key: value for key, value in tree.items() if key not in OF_A_TABLE}
        for place in sorted(places):
            yield from refused_settings(tree, place, trusted=trusted)


def _refused_defaults(defaults: object, group: str) -> Iterator[Refused]:
    for entry in defaults if isinstance(defaults, list) else [defaults]:
        named = entry if isinstance(entry, dict) else {"": entry}
        for key, choice in named.items():
            *_, place = ["", *str(key).split()]
            text = choice
            if not place and isinstance(choice, str):  # a file of this group, or by its path
                place, slash, text = choice.rpartition("/")
                place = place if slash else group
                text, at, package = text.partition("@")
                place = f"{place}@{package}" if at else place
            of, at, package = place.partition("@")
            refused = refused_choice(of.strip("/"), package if at else None, text)
            if refused is not None:
                yield refused


def _trusted(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return the folders that a command line trusts, and its other arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument(TRUST, action="append", default=[], type=Path)
    try:
        known, others = parser.parse_known_args(list(arguments))
    except argparse.ArgumentError as error:
        raise UsageError(f"{TRUST} needs a folder, as in {TRUST} conf") from error
    return [folder.resolve() for folder in known.trust_config], others


def _package(header: str, group: str, name: str) -> str:
    """Return the package in which a header places a file."""
    words = {"_group_": group, "_name_": name, "_global_": ""}
    return ".".join(filter(None, (words.get(part, part) for part in header.split("."))))


def _parsed(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the parsed options --config-* of a command line, and its other words."""
    parser = argparse.ArgumentParser(add_help=False)
    for long, short in (("path", "cp"), ("name", "cn"), ("dir", "cd")):
        parser.add_argument(f"--config-{long}", f"-{short}")
    return parser.parse_known_args(list(arguments))


def _without_folder_options(arguments: Sequence[str]) -> list[str]:
    known, others = _parsed(arguments)
    return [*([f"--config-name={known.config_name}"] if known.config_name else []), *others]


def _searched(arguments: Sequence[str]) -> list[str]:
    """Return the paths in overrides of Hydra's search path."""
    if not any(map(SEARCHED.match, arguments)):
        return []
    from hydra.core.override_parser.overrides_parser import OverridesParser

    folders: list[str] = []
    for argument in arguments:
        if SEARCHED.match(argument):
            value: Any = OverridesParser.create().parse_override(argument).value()
            folders += map(str, value if isinstance(value, list) else [value])
    return folders


def _folder(place: str) -> str:
    """Return the folder of a place on the search path; "" if the place is a package."""
    scheme, separator, folder = place.partition("://")
    if not separator:
        return place
    if scheme not in (*OF_FOLDERS, OF_PACKAGES):
        raise UsageError(
            f"hydra.searchpath has {place[:LONGEST_SHOWN]!r}, expected a folder or a package "
            f"(pkg://...); use {TRUST} for a folder that you trust"
        )
    return folder if scheme in OF_FOLDERS else ""


def _content(path: Path, root: Path | None) -> bytes:
    try:
        return read_file(path, MOST_BYTES, root=root)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _documents(path: Path, content: bytes) -> list[Any]:
    """Read a file as Hydra does, so that both see the same settings."""
    from omegaconf._utils import get_yaml_loader

    documents: list[Any] = []
    try:
        loader = get_yaml_loader()(content.decode())  # a yaml.SafeLoader
        while loader.check_data():
            documents.append(loader.get_data())
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"{path} is not plain YAML: {reason}") from error
    if len(documents) > 1:
        raise UsageError(f"{path} has {len(documents)} YAML documents, expected one")
    if documents and not isinstance(documents[0], dict | None):
        raise UsageError(
            f"{path} is {repr(documents[0])[:LONGEST_SHOWN]}, expected settings, as in key: value"
        )
    if _expanded(documents, {}) > MOST_NODES:
        raise UsageError(
            f"{path} has more than {MOST_NODES:,} values, the maximum; a part that is repeated "
            f"counts each time"
        )
    return documents


def _expanded(node: Any, sizes: dict[int, int]) -> int:
    """Count the values of a document, with aliased values counted at each use."""
    if not isinstance(node, dict | list):
        return 1
    if id(node) not in sizes:
        sizes[id(node)] = MOST_NODES + 1  # the content of a node that contains itself
        parts = node.values() if isinstance(node, dict) else node
        sizes[id(node)] = 1 + sum(_expanded(part, sizes) for part in parts)
    return sizes[id(node)]


def _words(documents: Sequence[Any]) -> Iterator[str]:
    """Yield all keys, and the words of all defaults lists; visit aliased nodes once."""
    seen: set[int] = set()
    left = list(documents)
    while left:
        node = left.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, list):
            left += node
            continue
        yield from map(str, node)
        left += node.values()
        for entry in node.get("defaults") or () if isinstance(node.get("defaults"), list) else ():
            yield from re.findall(r"\w+", str(entry))
