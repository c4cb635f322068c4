"""Score several runs on the questions that all of them answered, and test each against the first.

The tests are those of tables: the paired bootstrap with Holm's correction over the other runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from remem.metrics.intervals import Interval, ratio_intervals
from remem.metrics.paired import LEVEL, holm, paired_tests
from remem.metrics.scores import mean_score
from remem.results.compare import ScoredRuns, differences, p_text, paired_scores
from remem.results.flips import RIGHT
from remem.results.run_notes import bracketed, cautions, p_cautions


@dataclass(frozen=True, slots=True)
class Standing:
    """The mean of a run, and how it differs from the first run.

    `difference` is this run minus the first, and `p_value` is corrected; both are None for the
    first run. `only_here` and `only_first` count the questions that only this run, or only the
    first one, has right: with a score of 0.5 or more.
    """

    name: str
    mean: Interval
    difference: Interval | None = None
    p_value: float | None = None
    only_here: int = 0
    only_first: int = 0

    @property
    def p_text(self) -> str:
        """The p value as it is shown in a table; "" for the first run."""
        return "" if self.p_value is None else p_text(self.p_value).removeprefix("= ")


@dataclass(frozen=True, slots=True)
class Lead:
    """The best run minus the second best, with a p value that is not corrected."""

    second: str
    difference: Interval
    p_value: float


@dataclass(frozen=True, slots=True)
class Standings:
    """The runs in the order they were given; `scale` is 100 for shares, else 1.

    `lead` is the best run against the second best, unless one of them is the first run, whose
    differences are those of `runs`.
    """

    heading: str
    better: Literal["higher", "lower"] | None
    scale: int
    runs: tuple[Standing, ...]
    lead: Lead | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self.runs)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What a reader must know about the intervals and the p values."""
        gaps = [run.difference for run in self.runs if run.difference is not None]
        return (*cautions(gaps), *p_cautions(gaps))

    @property
    def sentence(self) -> str:
        """Which run scores best, and whether its difference from the first run is certain."""
        choose, end = (min, "lowest") if self.better == "lower" else (max, "highest")
        best = choose(run.mean.mean for run in self.runs)
        leading = [run for run in self.runs if run.mean.mean == best]
        names = " and ".join(run.name for run in leading)
        verb = "scores" if len(leading) == 1 else "score"
        first, *others = self.runs
        gaps = "; ".join(
            f"{run.name} {self._tested(run.difference, run.p_value)}"
            for run in others
            if run.difference is not None and run.p_value is not None
        )
        return (
            f"{names} {verb} {end}: {self.heading} {self.text(leading[0].mean, signed=False)} "
            f"{self.interval(leading[0].mean, signed=False)}. "
            f"{self._lead_text()}Differences from {first.name}: {gaps}."
        )

    def _lead_text(self) -> str:
        if self.lead is None:
            return ""
        gap = self._tested(self.lead.difference, self.lead.p_value)
        return f"Its lead over {self.lead.second}, the second best: {gap}. "

    def _tested(self, difference: Interval, p_value: float) -> str:
        verdict = "more than chance" if p_value < LEVEL else "can be chance"
        return f"{self.text(difference)}, p {p_text(p_value)} ({verdict})"

    def text(self, estimate: Interval, *, signed: bool = True) -> str:
        """Return a mean or a difference as it is shown, in per cent if the score is a share."""
        return f"{self.scale * estimate.mean:{'+' if signed else ''}.1f}"

    def interval(self, estimate: Interval, *, signed: bool = True) -> str:
        """Return the interval of a mean or of a difference in brackets."""
        return bracketed(estimate, f"{'+' if signed else ''}.1f", self.scale)


def standings(names: Sequence[str], scored: ScoredRuns) -> Standings:
    """Return the standings of runs with these names.

    Raises:
        UsageError: No question has the score in all runs, or the runs have other questions.
    """
    score, convention = scored.score, scored.convention
    unit, resamples, seed = convention.bootstrap_unit, convention.resamples, convention.seed
    first, *others = runs = scored.common()
    pairs = [paired_scores(run, first, score) for run in others]
    gaps = [differences(of_run, unit) for of_run in pairs]
    tests = paired_tests(gaps, resamples=resamples, seed=seed)
    ratios = filter(None, (mean_score(run, score, unit) for run in runs))
    means = ratio_intervals(list(ratios), resamples=resamples, seed=seed)
    compared = [
        Standing(
            name,
            mean,
            test.difference,
            p_value,
            only_here=sum(pair.first >= RIGHT > pair.second for pair in of_run),
            only_first=sum(pair.second >= RIGHT > pair.first for pair in of_run),
        )
        for name, mean, test, p_value, of_run in zip(
            names[1:],
            means[1:],
            tests,
            holm([test.p_value for test in tests]),
            pairs,
            strict=True,
        )
    ]
    places = sorted(
        range(len(runs)),
        key=lambda place: means[place].mean,
        reverse=convention.better(score) != "lower",
    )
    best, second = places[:2]
    lead = None
    if best and second:  # both were only tested against the first run
        gap = differences(paired_scores(runs[best], runs[second], score), unit)
        (test,) = paired_tests([gap], resamples=resamples, seed=seed)
        lead = Lead(names[second], test.difference, test.p_value)
    return Standings(
        heading=convention.heading(score),
        better=convention.better(score),
        scale=100 if convention.is_share(score) else 1,
        runs=(Standing(names[0], means[0]), *compared),
        lead=lead,
    )
