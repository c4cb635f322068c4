"""List the runs below a results folder with what their manifests and score files say."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.files.line_log import is_held
from remem.metrics.convention import ScoreConvention
from remem.reports.html.calls import Items, read_items
from remem.reports.html.questions import history_numbers
from remem.results.restored_config import restored_config
from remem.results.run import SCORES, Run
from remem.results.run_names import names_in_list
from remem.run.run_manifest import RunManifest
from remem.run.store import MANIFEST, RECORDS, read_manifest


class RunCache:
    """Runs that are read again only when their files change.

    Args:
        packages: The packages whose classes the runs may name.
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
        scored.append(scored[0].under(convention))
        return scored[-1]

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


State = Literal["running", "finished", "partial", "stopped"]
Stamp = tuple[tuple[tuple[str, int], ...], bool]


@dataclass(frozen=True, slots=True)
class ListedScore:
    """The mean of the dataset's first score with its interval; None where unknown.

    `percent` tells whether the numbers are shares, which are shown in per cent.
    """

    heading: str
    percent: bool
    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class RunListEntry:
    """A run in the list.

    `id` is the path of its folder below the folder of runs. `answered` counts the records so far;
    `questions` is the number of questions of the dataset, 0 before the run has finished once.
    `name` is the label with the settings that differ from other runs of that label. A run that has
    ended without having asked all questions is "partial". `data` are the first characters
    of the checksums of its data files.
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
    finished: str
    score: ListedScore


@dataclass(frozen=True, slots=True)
class UnreadableFolder:
    """A folder with a manifest that could not be read, and why."""

    id: str
    reason: str


Found = tuple[RunListEntry, RunConfig] | UnreadableFolder


def run_folders(results: Path) -> list[Path]:
    """Return the folders of all runs below a results folder, sorted."""
    return sorted(path.parent for path in (results / "runs").glob(f"**/{MANIFEST}"))


class RunList:
    """The runs below a results folder, which are read again only when their files change.

    Args:
        results: The results folder.
        packages: The packages whose classes the runs may name.
    """

    def __init__(self, results: Path, packages: Sequence[str] = ()) -> None:
        self._results = results
        self._packages = packages
        self._read: dict[str, tuple[Stamp, Found]] = {}

    def read(self) -> tuple[list[RunListEntry], list[UnreadableFolder]]:
        """Return the runs as they are now, and the folders that cannot be read."""
        runs = [self._read_run(folder) for folder in run_folders(self._results)]
        listed = [run for run in runs if not isinstance(run, UnreadableFolder)]
        names = names_in_list([config for _, config in listed])
        named = [replace(run, name=name) for (run, _), name in zip(listed, names, strict=True)]
        return named, [run for run in runs if isinstance(run, UnreadableFolder)]

    def _read_run(self, folder: Path) -> Found:
        name = folder.relative_to(self._results / "runs").as_posix()
        now = stamp(folder)
        before, run = self._read.get(name, (None, UnreadableFolder(name, "")))
        if before != now:
            try:
                run = _listed(name, folder, self._packages)
            except (UsageError, ValueError, OSError) as error:
                run = UnreadableFolder(name, str(error))
            self._read[name] = (now, run)
        return run


def stamp(folder: Path) -> Stamp:
    """Return what changes whenever a file of a run changes, or a process begins to write it."""
    records = folder / RECORDS
    times = tuple(sorted((path.name, path.stat().st_mtime_ns) for path in folder.glob("*.json*")))
    return times, records.exists() and is_held(records)


def _listed(name: str, folder: Path, packages: Sequence[str]) -> tuple[RunListEntry, RunConfig]:
    manifest = read_manifest(folder)
    config = restored_config(folder, manifest, packages)
    settings, convention = config.settings, config.score_convention()
    main = config.scores[0]
    records = folder / RECORDS
    running = records.exists() and is_held(records)
    finished = manifest.finished != "" and not running
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
        answered=manifest.answered if finished else _lines(records),
        questions=manifest.questions,
        errors=manifest.errors,
        finished=manifest.finished,
        score=_score(
            folder / SCORES,
            main,
            ListedScore(convention.heading(main), convention.is_share(main), None),
        ),
    )
    return listed, config


def _ended(manifest: RunManifest) -> State:
    return "partial" if manifest.partial else "finished"


def _lines(path: Path) -> int:
    """Count the whole lines of a file, 0 if there is none."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(1 for line in file if line.endswith(b"\n"))


def _score(path: Path, name: str, unknown: ListedScore) -> ListedScore:
    """Read the mean of a score over all questions from a score file, if there is one."""
    if not path.exists():
        return unknown
    try:
        score = json.loads(path.read_bytes())["overall"][name]
        if score is None:
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
