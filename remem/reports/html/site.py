"""The pages of `remem view`: a list of all runs, and their reports, comparisons and tables.

The same pages can be served on this machine or written to a folder for a web host.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from threading import Lock
from urllib.parse import unquote

from jinja2 import TemplateError
from pydantic_core import to_json, to_jsonable_python

from remem.errors import UsageError
from remem.files.opened import leads_out
from remem.reports.html.diff import diff_page
from remem.reports.html.page import page_title, policy_of, read_page_data, render, write_page
from remem.reports.html.questions import history_numbers, is_generated
from remem.reports.html.report import NAME, PARTIAL, report_page
from remem.reports.html.run_list import (
    LEADS_OUT,
    RunCache,
    RunList,
    RunListEntry,
    UnreadableFolder,
    stamp,
)
from remem.reports.html.sweep_page import SweepPage, draw_sweep
from remem.reports.html.table_files import TablePage, draw_table
from remem.results.compare import ScoredRuns, compare_runs, format_comparison
from remem.results.run_names import run_names
from remem.results.standings import standings
from remem.serve.http_handler import EVERYTHING, Reply, Request, RequestError
from remem.serve.server import LoopbackServer

REPEAT = "repeat the command that wrote it"

DRAWN: Mapping[str, Callable[[Path], bytes]] = {
    "tables": lambda path: draw_table(read_page_data(TablePage, path)),
    "sweeps": lambda path: draw_sweep(read_page_data(SweepPage, path)),
}
"""The function that draws a page again, by its folder in the results."""
NOT_DRAWABLE = (LookupError, ArithmeticError, ValueError, TypeError, RuntimeError, TemplateError)
"""The errors that arise when the parts of the data of a page do not fit each other."""


def why_unread(path: Path, results: Path) -> str:
    """Return why a page cannot be read (no file, or outside the results); "" if it can."""
    if leads_out(path, results):
        return LEADS_OUT
    return "" if path.is_file() else "it is not a file"


def redrawn(path: Path, results: Path) -> bytes:
    """Return the page of a table or a sweep, drawn from its data.

    Raises:
        UsageError: The page cannot be read, or its data cannot be drawn.
    """
    if reason := why_unread(path, results):
        raise UsageError(reason)
    try:
        return DRAWN[path.relative_to(results).parts[0]](path)
    except NOT_DRAWABLE as error:
        reason = str(error) if isinstance(error, UsageError) else "its data cannot be drawn"
        raise UsageError(f"{reason}; {REPEAT}") from error


INDEX = "index.html"
LIVE = "runs.json"
WITH = "/with/"
DIFF = "diff.html"
MOST_PAIRS = 100
"""The most comparisons that an export contains."""

Pair = tuple[str, str]
OnPage = Callable[[str, int, int], None]
"""Takes what is being written, such as "reports", the number that is done, and the total."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export; `left_out` counts comparisons skipped because of `MOST_PAIRS`."""

    pages: int
    left_out: int
    failed: tuple[str, ...]


class Site:
    """The pages of a results folder; each page is made at its first request and cached.

    Args:
        results: The results folder.
        packages: The packages whose classes the runs may name.
        with_text: Whether to include the texts of licensed data sets.
    """

    def __init__(
        self, results: Path, packages: Sequence[str] = (), *, with_text: bool = False
    ) -> None:
        self._results = results
        self._with_text = with_text
        self._runs = RunList(results, packages)
        self._kept_runs = RunCache(packages)
        self._pages: dict[str, tuple[object, bytes]] = {}
        self._locks: dict[str, Lock] = {}

    def page(self, path: str) -> bytes | None:
        """Return the page at a path, such as "index.html"; None if there is none.

        Raises:
            UsageError: A run of the page is damaged, or two runs cannot be compared.
        """
        if path in ("", INDEX):
            return self._index(self._tables(), pairs=None)
        if path == LIVE:
            return to_json(self._listed())
        making = self._making(path)
        if making is None:
            return None
        with self._locks.setdefault(path, Lock()):  # two requests for a slow page make it once
            return self._cached_page(path, *making)

    def export(self, folder: Path, on_page: OnPage = lambda *_: None) -> Exported:
        """Write all pages to a folder, the list of runs first.

        Args:
            folder: A new or empty folder.
            on_page: Called after every page.

        Raises:
            UsageError: The folder has files, or there are no runs.
        """
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; name a new folder, or empty this one")
        runs, unread = self._runs.read()
        if not runs:
            reason = f" that can be read ({unread[0].reason})" if unread else ""
            raise UsageError(f"{self._results}/runs has no runs{reason}; create one with remem run")
        every = list(_comparable(runs))
        pairs, failed, written = every[:MOST_PAIRS], [], set()
        tables = self._tables()
        write_page(folder / INDEX, self._index(tables, pairs))
        groups = {
            "reports": [f"runs/{run.id}/{NAME}" for run in runs if run.answered],
            "tables": list(tables),
            "comparisons": [_diff_path(pair) for pair in pairs],
        }
        for name, paths in groups.items():
            for number, path in enumerate(paths, start=1):
                try:
                    content = self._content(path)
                except (UsageError, ValueError, OSError) as error:
                    failed.append(f"{path}: {error}")
                else:
                    write_page(folder / path, content)
                    written.add(path)
                on_page(name, number, len(paths))
        if failed:  # the list must not link what could not be made
            there = [pair for pair in pairs if _diff_path(pair) in written]
            tables = {path: page for path, page in tables.items() if path in written}
            write_page(folder / INDEX, self._index(tables, there))
        return Exported(len(written) + 1, len(every) - len(pairs), tuple(failed))

    def _content(self, path: str) -> bytes:
        """Return a page without caching it, because an export needs each page only once."""
        making = self._making(path)
        if making is None:
            raise UsageError("its files have been removed during the export")
        return making[1]()

    def _index(self, tables: Mapping[str, Path], pairs: Sequence[Pair] | None) -> bytes:
        """Return the page that lists the runs; `pairs` are an export's comparisons, else None."""
        live = pairs is None
        read = [path for path, page in tables.items() if not why_unread(page, self._results)]
        newest = sorted(read, key=lambda table: tables[table].stat().st_mtime, reverse=True)
        return render(
            "runs.html.j2",
            ["trace.js", "runs.js"],
            {**self._listed(), "live": live, "pairs": pairs or [], "partial": PARTIAL},
            styles=["cards.css", "runs.css"],
            fetches=live,
            tables=[(table, page_title(tables[table]) or table.split("/")[1]) for table in newest],
            live=live,
        )

    def _listed(self) -> dict[str, object]:
        runs, folders = self._runs.read()
        reasons = {path: why_unread(page, self._results) for path, page in self._tables().items()}
        pages = [UnreadableFolder(path, reason) for path, reason in reasons.items() if reason]
        unreadable = to_jsonable_python([*folders, *pages])
        return {"runs": to_jsonable_python(runs), "unreadable": unreadable}

    def _tables(self) -> dict[str, Path]:
        """Return the pages of tables and sweeps by their paths on this site."""
        pages = [page for kind in DRAWN for page in sorted(self._results.glob(f"{kind}/*/{NAME}"))]
        return {path.relative_to(self._results).as_posix(): path for path in pages}

    def _cached_page(self, path: str, now: object, make: Callable[[], bytes]) -> bytes:
        """Return a page, made again only if the files of its runs have changed."""
        before, content = self._pages.get(path, (None, b""))
        if before != now:
            content = make()
            self._pages[path] = (now, content)
        return content

    def _making(self, path: str) -> tuple[object, Callable[[], bytes]] | None:
        """Return a value that changes with a page, and a function that makes the page.

        Return None for an unknown path. Only names of existing runs and tables are accepted, so no
        path can lead out of the results.
        """
        if table := self._tables().get(path):
            now = (table.lstat().st_mtime_ns, why_unread(table, self._results))
            return now, lambda: redrawn(table, self._results)
        runs, _ = self._runs.read()
        folders = {run.id: self._results / "runs" / run.id for run in runs}
        kind, _, rest = path.partition("/")
        if kind == "runs" and (folder := folders.get(rest.removesuffix(f"/{NAME}"))):
            return stamp(folder), lambda: self._report(folder)
        if kind == "compare":
            ids = rest.removesuffix(f"/{DIFF}").split(WITH)
            if len(ids) > 1 and all(name in folders for name in ids):
                compared = [folders[name] for name in ids]
                return list(map(stamp, compared)), lambda: self._diff(compared)
        return None

    def _report(self, folder: Path) -> bytes:
        run = self._kept_runs.run(folder)
        with_items = self._with_text or is_generated(run)
        items = self._kept_runs.items(run, history_numbers(run.records)) if with_items else None
        return report_page(run, items, texts_of_others=self._with_text)

    def _diff(self, folders: Sequence[Path]) -> bytes:
        first = self._kept_runs.run(folders[0])
        runs = [first, *(self._kept_runs.run(folder, first.convention) for folder in folders[1:])]
        score = first.config.scores[0]
        names = run_names(*runs)
        standing = standings(names, ScoredRuns.of_runs(runs, score, None))
        return diff_page(
            runs,
            standing,
            score=score,
            category=None,
            notes=format_comparison(compare_runs(runs[0], runs[1], score), names)
            if len(runs) == 2
            else standing.cautions,
            with_text=self._with_text,
            items_of=self._kept_runs.items,
        )


def _comparable(runs: Sequence[RunListEntry]) -> Iterator[Pair]:
    """Yield the pairs of finished runs with the same data and number of answered questions."""
    finished = [run for run in runs if run.state in ("finished", "partial")]
    return (
        (first.id, second.id)
        for first, second in combinations(finished, 2)
        if (first.dataset, first.data, first.answered)
        == (second.dataset, second.data, second.answered)
    )


def _diff_path(pair: Pair) -> str:
    return f"compare/{pair[0]}{WITH}{pair[1]}/{DIFF}"


HEADERS = {"Cache-Control": "no-store"}
NOT_FRAMED = "; frame-ancestors 'none'"
"""The directive that only a server can send, because a page cannot state it in its own policy."""


def site_server(site: Site, port: int) -> LoopbackServer:
    """Return a server of all pages of a site.

    Args:
        site: The site.
        port: The port; 0 chooses a free one.
    """

    def answer(request: Request) -> Reply:
        path = unquote(request.path).removeprefix("/")
        try:
            content = site.page(path)
        except (UsageError, ValueError, OSError) as error:
            raise RequestError(409, f"this page cannot be made: {error}") from error
        if content is None:
            raise RequestError(404, f"there is no page {path!r}; the list of runs is at /")
        if path == LIVE:
            return Reply(content, headers=HEADERS)
        return Reply(
            content,
            headers=HEADERS,
            content_type="text/html; charset=utf-8",
            policy=f"{policy_of(content)}{NOT_FRAMED}",
        )

    return LoopbackServer({("GET", EVERYTHING): answer}, port=port)
