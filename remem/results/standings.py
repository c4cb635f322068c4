"""Score several runs on the questions that all of them answered, and test each against the first.

The tests are those used in tables: the paired bootstrap with Holm's correction over the other runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from remem.metrics.intervals import Interval, ratio_intervals
from remem.metrics.paired import LEVEL, holm, paired_tests
from remem.metrics.scores import mean_score
from remem.results.compare import ScoredRuns, differences, p_text, paired_scores
from remem.results.outcomes import RIGHT
from remem.results.run_notes import bracketed, cautions, p_cautions


@dataclass(frozen=True, slots=True)
class Standing:
    """The mean of a run, and how it differs from the first run.

    `difference` is this run minus the first, and `p_value` is corrected; both are None for the
    first run. `only_here` counts the questions that this run answers correctly (with a score of
    0.5 or more) and the first run does not; `only_first` counts the opposite case.
    """

    name: str
    mean: Interval
    difference: Interval | None = None
    p_value: float | None = None
    only_here: int = 0
    only_first: int = 0

    @property
    def p_text(self) -> str:
        """The p value as shown in a table; "" for the first run."""
        return "" if self.p_value is None else p_text(self.p_value).removeprefix("= ")


@dataclass(frozen=True, slots=True)
class Lead:
    """The difference between the best run and the second best.

    The p value is corrected for the number of `comparisons`; 1 means that it is not corrected.
    """

    best: Standing
    second: Standing
    difference: Interval
    p_value: float
    comparisons: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The compared runs in the given order; `scale` is 100 if the score is a share, else 1."""

    heading: str
    better: Literal["higher", "lower"] | None
    scale: int
    runs: tuple[Standing, ...]
    lead: Lead

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self.runs)

    @property
    def cautions(self) -> tuple[str, ...]:
        """The cautions on the intervals and the p values."""
        gaps = [run.difference for run in self.runs if run.difference is not None]
        return (*cautions(gaps), *p_cautions(gaps))

    @property
    def sentence(self) -> str:
        """A sentence on which run scores best and whether its lead over the second is certain."""
        end = "lowest" if self.better == "lower" else "highest"
        best, second = self.lead.best, self.lead.second
        mean = f"{self.heading} {self.text(best.mean, signed=False)}"
        score = f"{mean} {self.interval(best.mean, signed=False)}"
        if best.mean.mean == second.mean.mean:
            names = f"{best.name} and {second.name}"
            return f"No certain winner: {names} both score {end}, {score}."
        count = self.lead.comparisons
        family = "for this comparison only" if count == 1 else f"corrected over {count} comparisons"
        gap = f"{self.text(self.lead.difference)}, p {p_text(self.lead.p_value)}, {family}"
        rival = second.name if len(self.runs) == 2 else f"{second.name}, the second best,"
        if self.lead.p_value < LEVEL:
            lead = f"Its lead over {rival} is more than chance ({gap})."
            return f"{best.name} scores {end}: {score}. {lead}"
        lead = f"its lead over {rival} can be chance ({gap})"
        return f"No certain winner: {best.name} scores {end}, {score}, but {lead}."

    def text(self, estimate: Interval, *, signed: bool = True) -> str:
        """Return a mean or a difference as text, in per cent if the score is a share."""
        return f"{self.scale * estimate.mean:{'+' if signed else ''}.1f}"

    def interval(self, estimate: Interval, *, signed: bool = True) -> str:
        """Return the interval of a mean or of a difference in brackets."""
        return bracketed(estimate, f"{'+' if signed else ''}.1f", self.scale)


def standings(names: Sequence[str], scored: ScoredRuns) -> Standings:
    """Compare the scored runs; `names` are their names, in the same order.

    Raises:
        UsageError: No question has the score in all runs, or the runs have different questions.
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
    standing = (Standing(names[0], means[0]), *compared)
    best, second = sorted(
        range(len(runs)),
        key=lambda place: means[place].mean,
        reverse=convention.better(score) != "lower",
    )[:2]
    gap = differences(paired_scores(runs[best], runs[second], score), unit)
    (test,) = paired_tests([gap], resamples=resamples, seed=seed)
    corrected = standing[best or second].p_value if 0 in {best, second} else None
    p_value, count = (test.p_value, 1) if corrected is None else (corrected, len(others))
    return Standings(
        heading=convention.heading(score),
        better=convention.better(score),
        scale=100 if convention.is_share(score) else 1,
        runs=standing,
        lead=Lead(standing[best], standing[second], test.difference, p_value, count),
    )
