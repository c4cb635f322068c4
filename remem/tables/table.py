"""The data of every table: blocks of rows, whose cells are our numbers and the paper's.

In most tables, each row comes from one run. In a table of the paper (`Table.number` is set), each
cell pools the runs of its own datasets. There, the number of questions, the command and the runs
are stored with the cell, not with the row.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Annotated, Final

from pydantic import Field

from remem.files.notebook_html import html_list, html_rows
from remem.metrics.columns import REFUSAL_SCORES, ScoreColumn
from remem.metrics.intervals import Interval
from remem.metrics.paired import LEVEL
from remem.metrics.scores import MetricSummary, Summary
from remem.results.run_notes import bracketed, cautions, shown_interval

MOST_DECIMALS = 9
NOT_RUN: Final = "not run"
ABSENT: Final = "-"
"""The text of a cell that can have no number."""


@dataclass(frozen=True, slots=True)
class Value:
    """A mean with its 95% interval, in percent if the score is a share.

    `low` and `high` are None for a single question and for exact numbers. `p_value` is the p value
    of the difference from the first row of the block, corrected for the other comparisons that were
    made. It is None if the difference was not tested.
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
        """Whether the number has an interval whose two ends differ."""
        return self.low is not None and self.high is not None and self.low < self.high

    def interval(self, form: str) -> str:
        """Return the interval as text, with its ends formatted by `form`, such as ".1f"."""
        return bracketed(self, form)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Our number and the paper's; a cell without `paper` has no delta and no verdict.

    `ours` is None if we have no number; the cell then shows `instead`, or "not run" if that is
    empty. `as_text` is our number under the convention in the paper's text. It is None if `ours`
    already follows this convention. `n` is the paper's number of questions. `command` makes the
    cell, and `runs` are the folders of its records, relative to the results.
    """

    column: str = ""
    ours: Value | None
    instead: str = ""
    paper: str = ""
    paper_value: float | None = None
    delta: float | None = None
    z: float | None = None
    verdict: str = ""
    reason: str = ""
    differences: tuple[str, ...] = ()
    made_with: str = ""
    as_text: float | None = None
    n: int | None = None
    decimals: Annotated[int, Field(ge=0, le=MOST_DECIMALS)] = 1
    command: str = ""
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one method; a cell that can have no number is None.

    If the whole row comes from one run, `answered` is the number of its `total` questions that have
    an answer, `run` is the folder of its records, relative to the results, and `prompts` and
    `judge_prompt` name the prompts that were used. `note` marks rows that are upper bounds.
    `causes` counts the wrong answers by cause, if the records show the cause.
    """

    label: str
    cells: tuple[Cell | None, ...]
    note: str = ""
    llm: str = "none"
    answered: int = 0
    total: int = 0
    run: str = ""
    prompts: str = "none"
    judge_prompt: str = "none"
    causes: Mapping[str, int] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The label, followed by the note in parentheses if there is one."""
        return f"{self.label} ({self.note})" if self.note else self.label

    @property
    def count(self) -> str:
        """The number of questions, as "answered/total" if some have no answer."""
        return str(self.total) if self.answered == self.total else f"{self.answered}/{self.total}"

    @property
    def numbers(self) -> Iterator[Value]:
        """Iterate over our numbers."""
        return (cell.ours for cell in self.cells if cell is not None and cell.ours is not None)


@dataclass(frozen=True, slots=True)
class Block:
    """Rows with the same columns, and the notes below them.

    A terminal shows all `leading` notes, such as why a row is not run, and as many of the other
    notes as fit. With `budgets`, the first column is the area under a curve, and each other column
    is a point of the curve, at one budget of evidence tokens.
    """

    title: str
    columns: tuple[ScoreColumn, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    budgets: tuple[int, ...] = ()

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes of the block, notes on its prompts, and a caution if there are few clusters."""
        return (*self.leading, *self.notes, *self._prompt_notes(), *self.cautions)

    @property
    def cautions(self) -> tuple[str, ...]:
        """The cautions on intervals over few clusters."""
        return tuple(cautions(self.numbers))

    @property
    def numbers(self) -> Iterator[Value]:
        """Iterate over our numbers."""
        return (number for row in self.rows for number in row.numbers)

    def _prompt_notes(self) -> Iterator[str]:
        for what, sources in (
            ("Prompts", [row.prompts for row in self.rows]),
            ("Judge prompt", [row.judge_prompt for row in self.rows]),
        ):
            labels: dict[str, list[str]] = {}
            for row, whose in zip(self.rows, sources, strict=True):
                labels.setdefault(whose, []).append(row.label)
            for whose, own in labels.items():
                if whose != "none":
                    yield f"{what} of {', '.join(own)}: {whose}."


@dataclass(frozen=True, slots=True)
class Table:
    """A table that `remem table` shows and writes.

    For a table of the paper, `number` is the number the paper gives it, and `blocks` are two blocks
    with the same columns: the paper's rows and the LLM-free rows.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    number: int | None = None
    leading: tuple[str, ...] = ()

    @property
    def counts_rows(self) -> bool:
        """Whether each row has a single number of questions, shown next to the row's label."""
        return self.number is None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all blocks."""
        return tuple(row for block in self.blocks for row in block.rows)

    @property
    def runs(self) -> list[str]:
        """The folders of all runs, relative to the results."""
        folders = [
            folder
            for row in self.rows
            for folder in (row.run, *(run for cell in row.cells if cell for run in cell.runs))
        ]
        return list(dict.fromkeys(filter(None, folders)))

    @property
    def cells(self) -> Iterator[Cell]:
        """Iterate over all cells that can have a number."""
        return (cell for row in self.rows for cell in row.cells if cell is not None)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes below the table, and one on each row that is not comparable with the paper's.

        The notes of a table of the paper end with a caution if there are few clusters.
        """
        cautioned = () if self.number is None else self.all_cautions
        return (*self.leading, *self.notes, *dict.fromkeys(self._differences()), *cautioned)

    @property
    def all_leading(self) -> tuple[str, ...]:
        """The leading notes of all blocks, then those of the table."""
        return (*(note for block in self.blocks for note in block.leading), *self.leading)

    @property
    def all_cautions(self) -> tuple[str, ...]:
        """The cautions on intervals over few clusters, each once."""
        return tuple(cautions(number for row in self.rows for number in row.numbers))

    def _repr_html_(self) -> str:
        blocks = "".join(_html_block(self, block) for block in self.blocks if block.rows)
        return f"<h4>{escape(self.title)}</h4>{blocks}{html_list(self.all_notes)}"

    def notes_below(self, block: Block) -> tuple[str, ...]:
        """Return the notes below a block; in a table of the paper, all notes are at the end."""
        return block.all_notes if self.number is None else ()

    def _differences(self) -> Iterator[str]:
        """Yield a note for each row whose parts, such as the model, differ from the paper's."""
        for row in self.rows:
            cells = (cell for cell in row.cells if cell is not None)
            named = dict.fromkeys(difference for cell in cells for difference in cell.differences)
            if named:
                yield f"{row.label} is not comparable with the paper's: {'; '.join(named)}."


def own_cell(column: ScoreColumn, summary: Summary) -> Cell | None:
    """Return the cell of a column from the summary of a run; None if the run has no such score."""
    number = value(column, summary)
    if number is None:
        return None
    return Cell(column=column.score, ours=number, decimals=1 if number.percent else 0)


def value(column: ScoreColumn, summary: Summary) -> Value | None:
    """Return the number of a column from a run's summary; None if the run has no such score."""
    if column.score in REFUSAL_SCORES:
        name = column.score.removeprefix("refusal_")
        return _value(getattr(summary.refusal_intervals, name), percent=True)
    summaries: Mapping[str | None, MetricSummary] = {
        part.category: part for part in (summary.overall, *summary.categories)
    }
    part = summaries.get(column.category)
    if part is None:
        return None
    return _value(part.means[column.score], percent=summary.convention.is_share(column.score))


def _value(interval: Interval | None, *, percent: bool) -> Value | None:
    return None if interval is None else scaled(interval, 100.0 if percent else 1.0, percent)


def scaled(interval: Interval, scale: float, percent: bool) -> Value:
    """Return a mean and its interval, multiplied by `scale`.

    The interval is left out if it is based on only two clusters.
    """
    ends = shown_interval(interval)
    low, high = (None if end is None else scale * end for end in (ends.low, ends.high))
    return Value(scale * interval.mean, low, high, interval.n, interval.clusters, percent)


def cell_texts(table: Table, cell: Cell | None) -> tuple[str, ...]:
    """Return the texts of a cell; the first is our number."""
    if cell is None:
        return (ABSENT,)
    if cell.ours is None:
        ours: tuple[str, ...] = (cell.instead or NOT_RUN,)
    elif table.number is None:
        form = f".{cell.decimals}f"
        ours = (f"{cell.ours.mean:{form}}{cell.ours.mark}", cell.ours.interval(form))
    else:
        ours = (_pooled(cell, cell.ours),)
    return (*ours, *_expected_texts(cell))


def answered_of_asked(cell: Cell) -> str:
    """Return "answered/asked" if our number is over fewer questions than the paper's, else ""."""
    ours = cell.ours
    if ours is None or cell.n is None or not _is_of_questions(ours) or ours.n >= cell.n:
        return ""
    return f"{ours.n}/{cell.n}"


def _pooled(cell: Cell, ours: Value) -> str:
    """Return our number as text, with its interval, and "answered/asked" if answers are missing."""
    form = f",.{cell.decimals}f"
    shown, count = f"{ours.mean:{form}}{ours.mark}", answered_of_asked(cell)
    if ours.varies or (ours.low is None and _is_of_questions(ours) and not count):
        shown += f" {ours.interval(form)}"
    return f"{shown} ({count})" if count else shown


def _is_of_questions(ours: Value) -> bool:
    return ours.clusters is not None or ours.percent


def _expected_texts(cell: Cell) -> Iterator[str]:
    if cell.as_text is not None:
        yield f"as the text: {cell.as_text:,.{cell.decimals}f}"
    if cell.paper:
        yield f"paper {cell.paper}"
    if cell.delta is not None:
        reason = f" {cell.reason}" if cell.verdict == "incomplete" else ""
        yield f"{cell.delta:+,.{cell.decimals}f} {cell.verdict}{reason}"


def _html_block(table: Table, block: Block) -> str:
    columns = ("Method", *(column.heading for column in block.columns))
    shown = html_rows(columns, (_html_cells(table, row) for row in block.rows), block.title)
    return f"{shown}{html_list(table.notes_below(block))}"


def _html_cells(table: Table, row: Row) -> list[str]:
    return [row.title, *(" ".join(filter(None, cell_texts(table, cell))) for cell in row.cells)]
