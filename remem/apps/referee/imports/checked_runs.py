"""The input and the findings of the checks of imported runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from remem.apps.referee.imports.imported import ImportedAnswer
from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.imports.system_ranking import RankedPairs


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found in `count` of `of` cases; `ids` has the ids of the questions concerned."""

    check: str
    text: str
    count: int
    of: int
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedRuns:
    """The imported runs of one format, which are checked together, and their ranked systems."""

    runs: Sequence[MatchedAnswers]
    rankings: Sequence[RankedPairs]

    @property
    def format(self) -> str:
        """Return the name of the format."""
        return self.runs[0].imported.format

    @property
    def answers(self) -> list[ImportedAnswer]:
        """Return all answers as the files state them, even those without a gold answer."""
        return [answer for run in self.runs for answer in run.imported.answers]


Check = Callable[[CheckedRuns], Iterator[Finding]]
