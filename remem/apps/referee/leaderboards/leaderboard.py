"""Put the runs of certified bundles on boards: one for each dataset, convention and judge.

All runs on a board have the same data files. If several bundles have runs with the same name and
settings, the runs of the newest bundle are ranked, and those of the older bundles are shown as the
history of the ranked runs.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from remem.apps.referee.certificates.certificate import CertifiedRun, CertifiedScore
from remem.apps.referee.leaderboards.leaderboard_entries import BoardEntry
from remem.apps.referee.leaderboards.ranks import Answers, RankRules, ScoredAnswer, rank_systems
from remem.files.plain_text import printable
from remem.llm.endpoint import STUB
from remem.metrics.convention import BootstrapUnit


@dataclass(frozen=True, slots=True)
class Traded:
    """A score (higher is better) and its cost (lower is better)."""

    score: float
    cost: float

    def beats(self, other: "Traded") -> bool:
        """Return whether this is no worse than `other` in score and cost, and better in one."""
        no_worse = self.score >= other.score and self.cost <= other.cost
        return no_worse and (self.score, self.cost) != (other.score, other.cost)


def pareto_front(points: Sequence[Traded]) -> list[bool]:
    """Return, for each point, True if no other point beats it.

    >>> pareto_front([Traded(0.9, 5), Traded(0.5, 1), Traded(0.5, 2), Traded(0.5, 1)])
    [True, True, False, True]
    """
    return [not any(other.beats(point) for other in points) for point in points]


COSTS = (
    ("recall", "recall time, p50 ms"),
    ("answer", "answer time, p50 ms"),
    ("tokens", "tokens of models, p50"),
    ("dollars", "dollars, mean"),
)
"""The measures that are weighed against the score, each for a question."""


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A run on the leaderboard: its name, and the bundle files that contain it.

    `number` is the number of the run in the first of these files.
    """

    name: str
    files: tuple[str, ...]
    bundle_sha256: str
    number: int
    basis: str
    run: CertifiedRun


@dataclass(frozen=True, slots=True)
class Earlier:
    """A run with the same settings in an earlier bundle; `score` is None if the run lacks it."""

    system: RankedSystem
    score: CertifiedScore | None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A system of a board: its rank, its score and its earlier runs.

    `fronts` lists the cost measures for which the system is on the Pareto front. `rank` is None if
    the stub gave the answers or the verdicts. Such a run is not a result, so the system is shown
    but not compared.
    """

    rank: int | None
    system: RankedSystem
    score: CertifiedScore
    fronts: tuple[str, ...]
    earlier: tuple[Earlier, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The systems of one dataset, ranked by one score under one convention, the best first.

    `judge` is the name of the file with the judge's verdicts, which are the scores. If it is "",
    the systems are ranked by the dataset's first score. `tests` counts the compared pairs, and
    `apart` counts the pairs without a common question.
    """

    dataset: str
    data: tuple[str, ...]
    convention: str
    judge: str
    heading: str
    rows: tuple[BoardRow, ...]
    tests: int
    apart: int


def cost_of(run: CertifiedRun, measure: str) -> float | None:
    """Return what a question costs by a measure of `COSTS`; None if the run lacks the measure.

    The cost is the mean for "dollars", and the 50th percentile for other measures. A run without
    model calls, which has the measure "evidence" instead, costs 0 tokens and 0 dollars.
    """
    cost = run.cost(measure)
    if cost is not None:
        return cost.total / cost.n if measure == "dollars" else cost.p50
    return 0.0 if measure in ("tokens", "dollars") and run.cost("evidence") else None


def boards(entries: Sequence[BoardEntry]) -> list[Board]:
    """Return the boards of the entries, sorted by dataset, convention and judge."""
    lines = list(_lines(_systems(entries)))
    places: defaultdict[_Key, list[_Place]] = defaultdict(list)
    for system, earlier in lines:
        for key, score in _scores(system.run):
            places[key].append((system, score, earlier))
    return [_board(key, _told_apart(places[key])) for key in sorted(places)]


_Key = tuple[str, tuple[str, ...], str, str, str, tuple[tuple[str, str], ...]]
"""Dataset, checksums of its files, convention, judge, score, and the choices of the convention."""
_Place = tuple[RankedSystem, CertifiedScore, tuple[RankedSystem, ...]]
"""A system on a board, its score, and the runs that are its history."""


def _systems(entries: Sequence[BoardEntry]) -> Iterator[RankedSystem]:
    """Yield every run once, also if several bundles have it."""
    same: dict[Hashable, list[RankedSystem]] = {}
    for entry in entries:
        for number, run in enumerate(entry.certificate.runs, start=1):
            system = RankedSystem(
                _name(run), (entry.file,), entry.certificate.bundle.sha256, number, entry.basis, run
            )
            same.setdefault(_identity(system), []).append(system)
    for same_system in same.values():
        first = same_system[0]
        files = tuple(dict.fromkeys(file for system in same_system for file in system.files))
        yield RankedSystem(
            first.name, files, first.bundle_sha256, first.number, first.basis, first.run
        )


def _identity(system: RankedSystem) -> Hashable:
    """Return what two entries of the same run have in common; checksums alone could be copied."""
    run = system.run
    values = tuple(score.values for way in run.scorings[:1] for score in way.scores[:1])
    stated = (run.fingerprint, run.finished, run.records_sha256)
    return system.name, run.settings_sum, stated, run.questions, values


def _lines(
    systems: Iterable[RankedSystem],
) -> Iterator[tuple[RankedSystem, tuple[RankedSystem, ...]]]:
    """Yield, of all runs with the same settings, those of the newest bundle, with the earlier runs.

    A run with fewer questions counts as earlier, whatever its date, so it cannot replace another.
    """
    alike: defaultdict[tuple[str, ...], list[RankedSystem]] = defaultdict(list)
    for system in systems:
        run = system.run
        sums = sorted(file.sha256 for file in run.data)
        alike[run.dataset, *sums, system.name, run.settings_sum].append(system)
    for same_rank in alike.values():
        same_rank.sort(key=_newness, reverse=True)
        last = same_rank[0].bundle_sha256
        earlier = tuple(system for system in same_rank if system.bundle_sha256 != last)
        yield from ((system, earlier) for system in same_rank if system.bundle_sha256 == last)


def _newness(system: RankedSystem) -> tuple[int, str, str]:
    return system.run.asked, system.run.finished, system.bundle_sha256


def _told_apart(places: Sequence[_Place]) -> list[_Place]:
    """Append checksums of settings, then fingerprints, to names that several systems share."""
    for mark in ("settings_sum", "fingerprint"):
        named = Counter(system.name for system, _, _ in places)
        places = [
            (_marked(system, mark) if named[system.name] > 1 else system, score, earlier)
            for system, score, earlier in places
        ]
    return list(places)


def _marked(system: RankedSystem, mark: str) -> RankedSystem:
    differing = "settings" if mark == "settings_sum" else "run"
    return replace(system, name=f"{system.name}, {differing} {getattr(system.run, mark)}")


def _name(run: CertifiedRun) -> str:
    """Return the name of a system: its method, and the other parts that produced the answers."""
    parts = (
        f"reader {run.reader}",
        f"planner {run.planner}" if run.planner else "",
        "" if run.ablation == "none" else run.ablation,
        {"none": "", STUB: f"{STUB}: no result"}.get(run.llm, run.llm),
        run.embedder,
    )
    return printable(f"{run.method} ({', '.join(filter(None, parts))})")


def _scores(run: CertifiedRun) -> Iterator[tuple[_Key, CertifiedScore]]:
    sums = tuple(sorted(file.sha256 for file in run.data))
    for way in run.scorings:
        choices = tuple(sorted((name, str(value)) for name, value in way.choices.items()))
        for score in way.scores:
            if score.values:
                yield (run.dataset, sums, way.convention, score.judge, score.name, choices), score


def _board(key: _Key, places: Sequence[_Place]) -> Board:
    dataset, sums, convention, judge, _, choices = key
    first, chosen = places[0][1], dict(choices)
    rules = RankRules(
        better=first.better,
        unit=cast("BootstrapUnit", chosen["bootstrap_unit"]),
        resamples=int(chosen["resamples"]),
        seed=int(chosen["seed"]),
    )
    ranked = [place for place in places if not _is_stubbed(place[0].run, judge)]
    ranking = rank_systems([_answers(system.run, score) for system, score, _ in ranked], rules)
    fronts = _fronts([(system.run, score) for system, score, _ in ranked], first.better)
    rows = [
        BoardRow(rank, system, score, front, tuple(_earlier(earlier, key)))
        for rank, front, (system, score, earlier) in zip(ranking.ranks, fronts, ranked, strict=True)
    ]
    rows += [
        BoardRow(None, system, score, (), tuple(_earlier(earlier, key)))
        for system, score, earlier in places
        if _is_stubbed(system.run, judge)
    ]
    sign = -1 if first.better == "higher" else 1
    rows.sort(key=lambda row: (row.rank or len(places), sign * row.score.mean, row.system.name))
    return Board(
        dataset, sums, convention, judge, first.heading, tuple(rows), ranking.tests, ranking.apart
    )


def _is_stubbed(run: CertifiedRun, judge: str) -> bool:
    """Return whether the stub gave the answers or the verdicts."""
    return run.llm == STUB or STUB in judge


def _answers(run: CertifiedRun, score: CertifiedScore) -> Answers:
    return {
        query: ScoredAnswer(value, cluster)
        for query, cluster, value in zip(run.questions, run.clusters, score.values, strict=True)
        if value is not None
    }


def _fronts(
    places: Sequence[tuple[CertifiedRun, CertifiedScore]], better: str
) -> list[tuple[str, ...]]:
    """Return, for each system, the measures on whose front it is; skip those that only one has."""
    sign = 1 if better == "higher" else -1
    fronts: list[list[str]] = [[] for _ in places]
    for measure, _ in COSTS:
        costs = [cost_of(run, measure) for run, _ in places]
        with_cost = [at for at, cost in enumerate(costs) if cost is not None]
        if len(with_cost) < 2 or not any(costs):
            continue
        points = [Traded(sign * places[at][1].mean, costs[at] or 0.0) for at in with_cost]
        for at, on_front in zip(with_cost, pareto_front(points), strict=True):
            if on_front:
                fronts[at].append(measure)
    return [tuple(front) for front in fronts]


def _earlier(systems: Sequence[RankedSystem], key: _Key) -> Iterator[Earlier]:
    for system in systems:
        yield Earlier(system, next((s for k, s in _scores(system.run) if k == key), None))
