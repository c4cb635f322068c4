"""The notes on each dataset in datasets/<set>/: licence, addresses, checksums, expected counts.

The data itself is elsewhere: REMEM_DATA names its folder.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from remem.benchmarks.json_files import find_data_file, read_bytes
from remem.files.disk import write_whole
from remem.files.json_text import json_value
from remem.files.opened import read_text
from remem.files.shipped import shipped_folder
from remem.files.yaml_text import load_yaml

Verdict = Literal["pinned", "unpinned", "differs", "excerpt", "absent"]

EXCERPT = re.compile(r"excerpt[0-9]*_")
"""The beginning of the name of a file that is a part of a published file."""

LOCAL_RECORD = "SHA256SUMS.local"
"""File next to the data with the checksums of unpinned files at their first download."""


def judge_file(data: Path, dataset: str, file: str, pinned: str) -> Verdict:
    """Check a file, plain or gzipped, against its pinned checksum, else the recorded one."""
    try:
        find_data_file(data, dataset, file)
    except FileNotFoundError:
        return "absent"
    expected = expected_sum(data, dataset, file, pinned)
    if expected is not None and expected not in content_sums(data, dataset, file):
        return "differs"
    if EXCERPT.match(file):
        return "excerpt"
    return "unpinned" if pinned == UNPINNED else "pinned"


def expected_sum(data: Path, dataset: str, file: str, pinned: str) -> str | None:
    """Return the pinned checksum, else the recorded one, else None."""
    return recorded_sums(data / dataset).get(file) if pinned == UNPINNED else pinned


def content_sums(data: Path, dataset: str, file: str) -> tuple[str, str]:
    """Return the sha256 of a file, unpacked and as stored; they differ if it is gzipped."""
    content, source = read_bytes(data, dataset, file)
    return hashlib.sha256(content).hexdigest(), source.sha256


def recorded_sums(folder: Path) -> dict[str, str]:
    """Return the checksums recorded in a data folder, by file name."""
    path = folder / LOCAL_RECORD
    return read_sums(path) if path.exists() else {}


def record_sum(folder: Path, file: str, sha256: str) -> None:
    """Record the checksum of an unpinned file; an existing record is never replaced."""
    sums = {file: sha256} | recorded_sums(folder)
    lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    write_whole(folder / LOCAL_RECORD, lines.encode())


UNPINNED = "UNPINNED"
"""Used in place of the sha256 of a file that the authors of remem have not seen."""

# Plain names, separated by "/": no "..", nothing hidden, nothing absolute.
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
SUM_LINE = re.compile(rf"(?P<sum>[0-9a-f]{{64}}|{UNPINNED})  (?P<file>\S+)")


@dataclass(frozen=True, slots=True)
class ExpectedCounts:
    """The counts that a loader must find in its data; None for an unknown count.

    `origin` says where the counts come from: from a paper, or from our own counting.
    """

    origin: str
    histories: int
    episodes: int | None
    messages: int | None
    questions: int
    categories: Mapping[str, int]
    flaws: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Loading:
    """One way to load a dataset: a file or pattern, its overrides, and the counts to expect."""

    file: str
    overrides: tuple[str, ...]
    counts: ExpectedCounts


@dataclass(frozen=True, slots=True)
class DatasetNotes:
    """The notes on one dataset, with checksums and addresses by file name.

    `question_lists` are the counts of files with questions but no histories.
    """

    name: str
    licence: str
    note: str
    sums: Mapping[str, str]
    urls: Mapping[str, str]
    loadings: tuple[Loading, ...]
    question_lists: Mapping[str, ExpectedCounts] = field(default_factory=dict)


def datasets_folder() -> Path:
    """Return the folder of the notes, in the installed package or in the checkout."""
    return shipped_folder("datasets", "datasets")


def data_folder() -> Path:
    """Return the folder of the data files <set>/<file>: REMEM_DATA, or the value in conf/paths."""
    from remem.config.run_config import compose_config

    return Path(compose_config([]).paths.data)


def read_notes(folder: Path) -> tuple[DatasetNotes, ...]:
    """Return the notes on every dataset, sorted by name."""
    sets = sorted(path.parent for path in folder.glob("*/sources.yaml"))
    if not sets:
        raise FileNotFoundError(f"no <set>/sources.yaml in {folder}; install remem again")
    return tuple(_read_set(path) for path in sets)


def read_sums(path: Path) -> dict[str, str]:
    """Read a file in the format of sha256sum; return the checksums (or UNPINNED) by file name."""
    sums = {}
    try:
        lines = read_text(path).splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8, expected lines '<sha256>  <file>'") from error
    for number, line in enumerate(lines, start=1):
        match = SUM_LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"line {number} of {path} is {line!r}, expected '<sha256>  <file>'")
        sums[_plain(match["file"], path)] = match["sum"]
    return sums


def licences_of(files: Iterable[str]) -> tuple[str, ...]:
    """Return the licences of the data sets that these files ("<set>/<file>") belong to."""
    sets = {name.partition("/")[0] for name in files}
    licences = _licences(datasets_folder())
    return tuple(licence for name, licence in licences.items() if name in sets)


@cache
def _licences(folder: Path) -> Mapping[str, str]:
    """Return the licence of each data set by its name."""
    return {
        notes.name: f"{notes.name}: {'; '.join(filter(None, (notes.licence, notes.note)))}"
        for notes in read_notes(folder)
    }


def _read_set(folder: Path) -> DatasetNotes:
    from omegaconf import OmegaConf

    path = folder / "sources.yaml"
    sources: Any = OmegaConf.to_container(load_yaml(path))
    try:
        counts = json_value(read_text(folder / "counts.json"))
        notes = DatasetNotes(
            name=folder.name,
            licence=sources["licence"],
            note=sources.get("note", ""),
            sums=read_sums(folder / "SHA256SUMS"),
            urls={_plain(file, path): _web(url, path) for file, url in sources["files"].items()},
            loadings=tuple(
                Loading(file, tuple(overrides), ExpectedCounts(**counts[file]))
                for file, overrides in sources["loadings"].items()
            ),
            question_lists={
                file: ExpectedCounts(**counts[file]) for file in sources.get("question_lists", ())
            },
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} or counts.json next to it is incomplete: {error!r}") from error
    unknown = sorted(notes.urls.keys() - notes.sums.keys())
    if unknown:
        raise ValueError(f"SHA256SUMS has no line for {', '.join(unknown)}, named in {path}")
    return notes


def _plain(file: str, where: Path) -> str:
    if not FILE_NAME.fullmatch(file):
        raise ValueError(
            f"{where} names the file {file!r}, expected a plain name (letters, digits, '.', '_' "
            f"and '-', with a letter or digit first), or a path of such names"
        )
    return file


def _web(url: str, where: Path) -> str:
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"{where} has the address {url!r}, expected one that begins with https://")
    return url
