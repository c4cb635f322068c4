"""List the runs below a results folder with what their manifests and score files say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import DirEntry, scandir
from pathlib import Path
from threading import Lock
from typing import Literal

from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.files.json_text import json_value
from remem.files.line_log import is_held
from remem.files.opened import leads_out, lines_of, opened, read_file
from remem.metrics.convention import ScoreConvention
from remem.reports.html.calls import Items, read_items
from remem.reports.html.questions import history_numbers
from remem.results.restored_config import restored_config
from remem.results.run import SCORES, Run
from remem.results.run_names import names_in_list
from remem.run.run_manifest import RunManifest
from remem.run.store import MANIFEST, RECORDS, read_manifest


class RunCache:
    """Caches runs; a run is read again only if its files have changed.

    Args:
        packages: Packages whose classes a run's configuration is allowed to refer to.
    """

    def __init__(self, packages: Sequence[str] = ()) -> None:
        self._packages = packages
        self._runs: dict[Path, tuple[Stamp, list[Run]]] = {}
        self._items: dict[Path, tuple[Stamp, Items]] = {}

    def run(self, folder: Path, convention: ScoreConvention | None = None) -> Run:
        """Return a run, scored by its own convention unless another is given."""
        now = stamp(folder)
        before, scored = self._runs.get(folder, (None, []))
        if before != now:
            scored = [Run.open(folder, self._packages)]
            self._runs[folder] = (now, scored)
        if convention is None:
            return scored[0]
        for run in scored:
            if run.convention == convention:
                return run
        other = scored[0].under(convention)
        scored.append(other)
        return other

    def items(self, run: Run, numbers: Mapping[str, int]) -> Items:
        """Return the stored items of these histories of a run, as `read_items` does."""
        whole = history_numbers(run.records)
        now = stamp(run.folder)
        before, kept = self._items.get(run.folder, (None, Items()))
        if before != now:
            kept = read_items(run, whole)
            self._items[run.folder] = (now, kept)
        if dict(numbers) == whole:
            return kept
        wanted = ((whole[history], number) for history, number in numbers.items())
        return Items({number: kept.histories[at] for at, number in wanted if at in kept.histories})


FAILED = b'"status":"error"'
"""The mark of a failed question in its line; no text contains it, since JSON escapes quotes."""

State = Literal["running", "finished", "partial", "stopped"]
Stamp = tuple[tuple[tuple[str, int], ...], bool]


@dataclass(frozen=True, slots=True)
class ListedScore:
    """The mean of the dataset's first score, with an interval; unknown values are None.

    `percent` is True if the numbers are shares, which are shown in per cent.
    """

    heading: str
    percent: bool
    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class RunListEntry:
    """A run in the list.

    `id` is the path of the run's folder below the folder of runs. `name` is the label; if other
    runs have the same label, the settings that differ are added. `answered` counts the questions
    with a record so far, and `errors` the questions whose last attempt failed. `questions` is the
    number of questions in the dataset, 0 if the run does not state it. A run is "stopped" if it
    did not end after its last start, even if it ended after an earlier one, and "partial" if it
    ended before asking all questions. `when` is the time of the end or, if there is none, of the
    last start. `data` has the first characters of the checksums of the data files.
    """

    id: str
    label: str
    name: str
    dataset: str
    data: tuple[str, ...]
    reader: str
    llm: str
    ablation: str
    embedder: str
    state: State
    answered: int
    questions: int
    errors: int
    when: str
    score: ListedScore


@dataclass(frozen=True, slots=True)
class UnreadableFolder:
    """A run folder or a page that could not be read; `reason` says why."""

    id: str
    reason: str


Found = tuple[RunListEntry, RunConfig] | UnreadableFolder


LEADS_OUT = "a link leads out of the results folder; replace it with its target"


def scanned_runs(results: Path) -> dict[Path, Stamp | str]:
    """Map each folder with a run, sorted, to its stamp or to the reason why it is not read.

    Links to folders are not followed, so that each run is listed once.
    """
    stamps: dict[Path, Stamp | str] = {}
    left = [results / "runs"]
    while left:
        folder = left.pop()
        try:
            if folder.is_symlink() and leads_out(folder, results):
                stamps[folder] = LEADS_OUT
                continue
            with scandir(folder) as entries:
                files = list(entries)
            if any(file.name == MANIFEST for file in files):
                stamps[folder] = _why_unread(files, results) or _stamp(folder, files)
            left += [Path(file.path) for file in files if _is_searched(file, results)]
        except FileNotFoundError:
            continue  # it was removed meanwhile
        except OSError as error:
            stamps[folder] = str(error)
    return dict(sorted(stamps.items()))


def _is_searched(file: "DirEntry[str]", results: Path) -> bool:
    """Return whether to look at a folder.

    Links within the results are skipped; a link that leads out is looked at, to be reported as not
    followed.
    """
    return file.is_dir() and (not file.is_symlink() or leads_out(Path(file.path), results))


def _why_unread(files: Iterable["DirEntry[str]"], results: Path) -> str:
    """Return why the files of a run are not read; "" if they are."""
    for file in files:
        if ".json" in file.name and file.is_symlink() and leads_out(Path(file.path), results):
            return f"{file.name}: {LEADS_OUT}"
        if ".json" in file.name and not file.is_file():
            return f"{file.name} is not a file; remove it"
    return ""


class RunList:
    """Lists the runs below a results folder; a run is read again only if its files have changed.

    Args:
        results: The results folder.
        packages: Packages whose classes a run's configuration is allowed to refer to.
    """

    def __init__(self, results: Path, packages: Sequence[str] = ()) -> None:
        self._results = results
        self._packages = packages
        self._lock = Lock()
        self._stamps: dict[Path, Stamp | str] = {}
        self._read: dict[Path, Found] = {}
        self._entries: tuple[list[RunListEntry], list[UnreadableFolder]] = ([], [])

    def read(self) -> tuple[list[RunListEntry], list[UnreadableFolder]]:
        """Return the current runs, and the folders that cannot be read."""
        with self._lock:
            return self._read_now()

    def _read_now(self) -> tuple[list[RunListEntry], list[UnreadableFolder]]:
        stamps = scanned_runs(self._results)
        if stamps != self._stamps:
            self._read = {
                folder: self._read[folder]
                if self._stamps.get(folder) == now
                else self._read_run(folder, now)
                for folder, now in stamps.items()
            }
            self._stamps = stamps
            self._entries = self._named()
        return self._entries

    def _named(self) -> tuple[list[RunListEntry], list[UnreadableFolder]]:
        runs = self._read.values()
        listed = [run for run in runs if not isinstance(run, UnreadableFolder)]
        names = names_in_list([config for _, config in listed])
        named = [replace(run, name=name) for (run, _), name in zip(listed, names, strict=True)]
        return named, [run for run in runs if isinstance(run, UnreadableFolder)]

    def _read_run(self, folder: Path, now: Stamp | str) -> Found:
        runs = self._results / "runs"
        name = runs.name if folder == runs else folder.relative_to(runs).as_posix()
        if isinstance(now, str):
            return UnreadableFolder(name, now)
        try:
            return _listed(name, folder, self._packages)
        except (UsageError, ValueError, OSError) as error:
            return UnreadableFolder(name, str(error))


def stamp(folder: Path) -> Stamp:
    """Return a value that changes if a run's files change or a process starts to write the run."""
    with scandir(folder) as files:
        return _stamp(folder, files)


def _stamp(folder: Path, files: Iterable["DirEntry[str]"]) -> Stamp:
    times = {file.name: file.stat().st_mtime_ns for file in files if ".json" in file.name}
    return tuple(sorted(times.items())), RECORDS in times and is_held(folder / RECORDS)


def _listed(name: str, folder: Path, packages: Sequence[str]) -> tuple[RunListEntry, RunConfig]:
    manifest = read_manifest(folder)
    config = restored_config(folder, manifest, packages)
    settings, convention = config.settings, config.score_convention()
    main = config.scores[0]
    records = folder / RECORDS
    running = records.exists() and is_held(records)
    start = max(manifest.started, default="")
    finished = manifest.finished != "" and manifest.finished >= start and not running
    ended = manifest.answered + manifest.errors, manifest.errors
    answered, errors = ended if finished else _progress(records)
    unknown = ListedScore(convention.heading(main), convention.is_share(main), None)
    listed = RunListEntry(
        id=name,
        label=config.label,
        name=config.label,
        dataset=config.dataset,
        data=tuple(file.sha256[:12] for file in manifest.data),
        reader=settings.reader.name,
        llm=config.llm,
        ablation=settings.ablation.name,
        embedder=settings.embedder.name,
        state="running" if running else _ended(manifest) if finished else "stopped",
        answered=answered,
        questions=manifest.questions,
        errors=errors,
        when=manifest.finished if finished else start,
        score=_score(folder / SCORES, main, answered, unknown) if finished else unknown,
    )
    return listed, config


def _ended(manifest: RunManifest) -> State:
    return "partial" if manifest.partial else "finished"


def _progress(records: Path) -> tuple[int, int]:
    """Count the questions with a complete line in a log, and those whose last line is an error."""
    failed: dict[bytes, bool] = {}
    if records.exists():
        with opened(records) as file:
            for line in lines_of(file, str(records)):
                if line.endswith(b"\n"):  # the query id is the first field
                    failed[line.partition(b'","')[0]] = FAILED in line
    return len(failed), sum(failed.values())


def _score(path: Path, name: str, answered: int, unknown: ListedScore) -> ListedScore:
    """Read the mean of a score over all questions from a score file, if there is one.

    A file with another number of questions than the run has answered is out of date and ignored.
    """
    if not path.exists():
        return unknown
    try:
        overall = json_value(read_file(path))["overall"]
        score = overall[name]
        if score is None or overall.get("total", answered) != answered:
            return unknown
        mean, low, high = (_number(score[part]) for part in ("mean", "low", "high"))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path}: expected the mean, low and high of {name} at overall.{name} ({error!r}); "
            f"repeat the command of the run, which writes the file again"
        ) from error
    return replace(unknown, mean=mean, low=low, high=high)


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
