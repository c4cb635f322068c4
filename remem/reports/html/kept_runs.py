"""Runs and their stored items that several pages share, so that each is read and scored once."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from remem.metrics.convention import ScoreConvention
from remem.reports.html.index_items import Items, read_items
from remem.reports.html.questions import history_numbers
from remem.reports.html.run_list import Stamp, stamp
from remem.results.run import Run


class KeptRuns:
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
