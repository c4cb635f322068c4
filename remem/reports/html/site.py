"""The pages of `remem view`: a list of all runs, and their reports, comparisons and tables.

The same pages are served on this machine, or written to a folder for a web host.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from pydantic_core import to_json

from remem.config.instantiation import UsageError
from remem.evaluation.compare import compare, told
from remem.evaluation.run_names import run_names
from remem.reports.html.diff import write_diff
from remem.reports.html.page import render, write_page
from remem.reports.html.report import NAME, write_report
from remem.reports.html.run_list import ListedRun, RunList, stamp
from remem.run.opened_run import Run

INDEX = "index.html"
LIVE = "runs.json"
WITH = "/with/"
DIFF = "diff.html"
MOST_PAIRS = 100
"""The most comparisons that an export contains."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has written; `left_out` counts the comparisons above `MOST_PAIRS`."""

    pages: int
    left_out: int
    failed: tuple[str, ...]


class Site:
    """The pages of a results folder; a page is made when it is asked for, and kept.

    Args:
        results: The results folder.
        packages: The packages whose classes the runs may name.
        with_text: Whether to include the texts of data sets that have a licence.
    """

    def __init__(
        self, results: Path, packages: Sequence[str] = (), *, with_text: bool = False
    ) -> None:
        self._results = results
        self._packages = packages
        self._with_text = with_text
        self._runs = RunList(results, packages)
        self._pages: dict[str, tuple[object, bytes]] = {}
        self._lock = Lock()

    def page(self, path: str) -> bytes | None:
        """Return the page at a path, such as "index.html"; None if there is none.

        Raises:
            UsageError: A run of the page is damaged, or two runs cannot be compared.
        """
        if path in ("", INDEX):
            return self._index(pairs=None)
        if path == LIVE:
            return to_json(self._listed())
        with self._lock:  # a report takes a second; two requests for it make it once
            return self._kept(path)

    def export(self, folder: Path) -> Exported:
        """Write all pages to a folder.

        Raises:
            UsageError: The folder has files, or there are no runs.
        """
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; name a new folder, or empty this one")
        runs, _ = self._runs.read()
        if not runs:
            raise UsageError(f"{self._results}/runs has no runs; make some with remem run")
        every = list(_comparable(runs))
        pairs, failed, written = every[:MOST_PAIRS], [], []
        for path in (*self._report_paths(runs), *self._tables(), *map(_diff_path, pairs)):
            try:
                content = self._kept(path)
            except (UsageError, ValueError, OSError) as error:
                failed.append(f"{path}: {error}")
                continue
            if content is not None:
                write_page(folder / path, content)
                written.append(path)
        there = [pair for pair in pairs if _diff_path(pair) in written]
        write_page(folder / INDEX, self._index(pairs=there))
        return Exported(len(written) + 1, len(every) - len(pairs), tuple(failed))

    def _index(self, pairs: Sequence[Pair] | None) -> bytes:
        """Return the list of runs; `pairs` are the comparisons of an export, None if served."""
        live = pairs is None
        return render(
            "runs.html.j2",
            ["trace.js", "runs.js"],
            {**self._listed(), "live": live, "pairs": pairs or []},
            fetches=live,
            tables=list(self._tables()),
            live=live,
        )

    def _listed(self) -> dict[str, object]:
        runs, unreadable = self._runs.read()
        return {
            "runs": [asdict(run) for run in runs],
            "unreadable": [asdict(run) for run in unreadable],
        }

    def _report_paths(self, runs: Sequence[ListedRun]) -> Iterator[str]:
        return (f"runs/{run.id}/{NAME}" for run in runs if run.answered)

    def _tables(self) -> Iterator[str]:
        for path in sorted((self._results / "tables").glob(f"*/{NAME}")):
            yield path.relative_to(self._results).as_posix()

    def _kept(self, path: str) -> bytes | None:
        """Return a page, made again only if the files of its runs have changed."""
        making = self._making(path)
        if making is None:
            return None
        folders, make = making
        now = [stamp(folder) for folder in folders]
        before, content = self._pages.get(path, (None, b""))
        if before != now:
            content = make()
            self._pages[path] = (now, content)
        return content

    def _making(self, path: str) -> tuple[list[Path], Callable[[], bytes]] | None:
        """Return the folders a page depends on and what makes it; None for an unknown path.

        Only names of runs and tables that exist are accepted, so no path leads elsewhere.
        """
        if path in set(self._tables()):
            table = self._results / path
            return [table.parent], table.read_bytes
        runs, _ = self._runs.read()
        known = {run.id: self._results / "runs" / run.id for run in runs}
        kind, _, rest = path.partition("/")
        if kind == "runs" and (folder := known.get(rest.removesuffix(f"/{NAME}"))):
            return [folder], lambda: self._report(folder)
        if kind == "compare":
            first, _, second = rest.removesuffix(f"/{DIFF}").partition(WITH)
            if first in known and second in known:
                pair = known[first], known[second]
                return [*pair], lambda: self._diff(*pair)
        return None

    def _report(self, folder: Path) -> bytes:
        return _written(
            lambda path: write_report(
                folder, path, with_text=self._with_text, packages=self._packages
            )
        )

    def _diff(self, first: Path, second: Path) -> bytes:
        runs = [Run.open(folder, self._packages) for folder in (first, second)]
        score, convention = runs[0].config.scores[0], runs[0].config.score_convention()
        ours, theirs = (run.records for run in runs)
        found = compare(ours, theirs, score=score, category=None, convention=convention)
        return _written(
            lambda path: write_diff(
                (first, second),
                path,
                score=score,
                category=None,
                convention=convention,
                said=told(found, run_names(*runs)),
                with_text=self._with_text,
                packages=self._packages,
            )
        )


def _written(write: Callable[[Path], object]) -> bytes:
    """Return what a function writes to the file that it is given."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write(path)
        return path.read_bytes()


def _comparable(runs: Sequence[ListedRun]) -> Iterator[Pair]:
    """Yield the pairs of finished runs on the same dataset."""
    finished = [run for run in runs if run.state == "finished"]
    return (
        (first.id, second.id)
        for first, second in combinations(finished, 2)
        if first.dataset == second.dataset
    )


def _diff_path(pair: Pair) -> str:
    return f"compare/{pair[0]}{WITH}{pair[1]}/{DIFF}"
