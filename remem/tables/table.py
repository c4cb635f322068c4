"""The data of a table of scores: blocks of rows, whose cells are means with intervals and n."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from remem.evaluation.interval_text import bracketed, cautions
from remem.metrics.columns import REFUSAL_SCORES, Column
from remem.metrics.intervals import Interval
from remem.metrics.paired import LEVEL
from remem.metrics.scores import MetricSummary, Summary


@dataclass(frozen=True, slots=True)
class Cell:
    """A mean with its 95% interval, in per cent if the score is a share.

    `low` and `high` are None for a single question and for exact numbers. `p_value` is that of the
    difference from the first row of the block, corrected for the other comparisons of the same
    score in the block; None without a test.
    """

    mean: float
    low: float | None
    high: float | None
    n: int
    clusters: int | None
    percent: bool
    p_value: float | None = None

    @property
    def mark(self) -> str:
        """A star if the difference is significant, else ""."""
        return "*" if self.p_value is not None and self.p_value < LEVEL else ""

    @property
    def varies(self) -> bool:
        """Whether the cell has an interval that is wider than a point."""
        return self.low is not None and self.high is not None and self.low < self.high

    @property
    def form(self) -> str:
        """The format specification of its numbers."""
        return ".1f" if self.percent else ".0f"

    def interval(self, form: str) -> str:
        """Return the interval as text, with its ends in a format specification such as ".1f"."""
        return bracketed(self, form)


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one method; `answered` of `total` questions have an answer.

    `note` marks rows that are upper bounds. `run` is the folder of the records, relative to the
    results. `prompts` and `judge_prompt` name the prompts that were used.
    """

    label: str
    llm: str
    answered: int
    total: int
    cells: tuple[Cell | None, ...]
    note: str = ""
    run: str = ""
    prompts: str = "none"
    judge_prompt: str = "none"


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that answer the same questions with the same reader."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes of the block, on its prompts, and a caution if there are few clusters."""
        cells = (cell for row in self.rows for cell in row.cells if cell is not None)
        return (*self.notes, *self._prompt_notes(), *cautions(cells))

    def _prompt_notes(self) -> Iterator[str]:
        for what, said in (
            ("Prompts", [row.prompts for row in self.rows]),
            ("Judge prompt", [row.judge_prompt for row in self.rows]),
        ):
            for whose in dict.fromkeys(said):
                labels = (
                    row.label for row, own in zip(self.rows, said, strict=True) if own == whose
                )
                if whose != "none":
                    yield f"{what} of {', '.join(labels)}: {whose}."


@dataclass(frozen=True, slots=True)
class Table:
    """What `make reproduce-table` shows and writes."""

    name: str
    title: str
    blocks: tuple[Block, ...]


def cell(column: Column, summary: Summary) -> Cell | None:
    """Return the cell of a column from the summary of a run; None if it has no such score."""
    if column.score in REFUSAL_SCORES:
        name = column.score.removeprefix("refusal_")
        return _cell(getattr(summary.refusal_intervals, name), percent=True)
    summaries: Mapping[str | None, MetricSummary] = {
        part.category: part for part in (summary.overall, *summary.categories)
    }
    part = summaries.get(column.category)
    if part is None:
        return None
    return _cell(part.means[column.score], percent=summary.convention.is_share(column.score))


def _cell(interval: Interval | None, *, percent: bool) -> Cell | None:
    return None if interval is None else scaled(interval, 100.0 if percent else 1.0, percent)


def scaled(interval: Interval, scale: float, percent: bool) -> Cell:
    """Return a cell with a mean and its interval, multiplied by `scale`."""
    low, high = (None if end is None else scale * end for end in (interval.low, interval.high))
    return Cell(scale * interval.mean, low, high, interval.n, interval.clusters, percent)
