"""Download the missing files of the datasets, from the addresses in datasets/<set>/."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from remem.benchmarks.files.download import DownloadError, WrongSumError, download, show_download
from remem.benchmarks.files.notes import (
    LOCAL_RECORD,
    UNPINNED,
    DatasetNotes,
    content_sums,
    expected_sum,
    judge_file,
    record_sum,
)
from remem.benchmarks.json_files import find_data_file
from remem.config.suggestions import either
from remem.errors import FetchError, UsageError, WrongFileError


def choose_sets(notes: Sequence[DatasetNotes], names: Sequence[str]) -> list[DatasetNotes]:
    """Return the notes of the named datasets, or of all if none is named."""
    sets_by_name = {dataset.name: dataset for dataset in notes}
    for name in names:
        if name not in sets_by_name:
            raise UsageError(f"unknown dataset {name!r}; choose {either(sets_by_name)}")
    return [sets_by_name[name] for name in names or sets_by_name]


def fetch_sets(notes: Sequence[DatasetNotes], data: Path, console: Console) -> None:
    """Download the missing files of these datasets; a failure does not stop the others.

    Raises:
        FetchError: Files are missing; for each of them, the message says what to do.
    """
    failures: list[FetchError] = []
    for dataset in notes:
        terms = "; ".join(filter(None, [f"licence: {dataset.licence}", dataset.note]))
        console.print(f"{data / dataset.name}: {terms}", markup=False, highlight=False)
        try:
            for line in fetch_set(dataset, data, console):
                console.print(f"  {line}", markup=False, highlight=False)
        except FetchError as error:
            failures.append(error)
    if failures:
        raise _all_of(failures)


def fetch_set(dataset: DatasetNotes, data: Path, console: Console) -> Iterator[str]:
    """Download the missing files of one dataset, and yield a line on the state of each file.

    Raises:
        FetchError: Files are still missing at the end, or a file has the wrong checksum
            (WrongFileError).
    """
    failures: list[Exception] = []
    for file in dataset.urls:
        try:
            standing = _fetch_file(dataset, file, data, console)
        except (FetchError, ValueError, OSError) as error:
            failures.append(error)
            standing = "not fetched, see below"
        yield f"{file}: {standing}"
    if failures:
        raise _all_of(failures)


def _all_of(failures: Sequence[Exception]) -> FetchError:
    wrong = any(isinstance(failure, WrongFileError) for failure in failures)
    kind = WrongFileError if wrong else FetchError
    return kind("\n".join(str(failure) for failure in failures))


def _fetch_file(dataset: DatasetNotes, file: str, data: Path, console: Console) -> str:
    """Download a file if it is missing, and return a text on its state."""
    pinned = dataset.sums[file]
    expected = expected_sum(data, dataset.name, file, pinned)
    verdict = judge_file(data, dataset.name, file, pinned)
    if verdict == "differs":
        raise WrongFileError(
            f"{find_data_file(data, dataset.name, file)} does not have the expected sha256 "
            f"({_describe_expected(pinned, expected)}): move the file away, and run the same "
            f"command to download it again"
        )
    if verdict == "absent":
        _download(dataset.urls[file], data / dataset.name / file, pinned, expected, console)
    if pinned == UNPINNED:
        unpacked, _ = content_sums(data, dataset.name, file)
        record_sum(data / dataset.name, file, unpacked)
    standing = f"recorded in {LOCAL_RECORD}" if pinned == UNPINNED else "as pinned"
    return f"{'fetched' if verdict == 'absent' else 'already there'}, checksum {standing}"


def _download(url: str, target: Path, pinned: str, expected: str | None, console: Console) -> None:
    try:
        with show_download(console, target.name) as on_bytes:
            download(url, target, expected, on_bytes)
    except DownloadError as error:
        kind = WrongFileError if isinstance(error, WrongSumError) else FetchError
        raise kind(
            f"{error}; to download it by hand, store {url} as {target} (sha256: "
            f"{_describe_expected(pinned, expected)})"
        ) from error


def _describe_expected(pinned: str, expected: str | None) -> str:
    if expected is None:
        return "unknown; the sha256 of the first download is recorded"
    return f"{expected}, from {LOCAL_RECORD}" if pinned == UNPINNED else expected
