"""Draw a table that is wider than the terminal as several tables below one another."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement, measure_renderables
from rich.style import StyleType
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text, TextType

NO_LIMIT = 10_000
"""A width that no table reaches, used to measure the natural width of a table."""


@dataclass(frozen=True, slots=True)
class WideTable:
    """A table whose names and numbers stay whole in a terminal of any usual width.

    If it does not fit, it is drawn in parts, and each part repeats the first `labels` columns.
    Labels longer than half of a line may be wrapped between words. A part has at most `most` other
    columns.
    """

    table: RichTable
    labels: int = 1
    most: int = NO_LIMIT

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, or its parts below one another between its title and its caption."""
        parts = tuple(self._parts(console, options.max_width))
        if len(parts) == 1:
            parts[0].title, parts[0].caption = self.table.title, self.table.caption
            yield parts[0]
            return
        yield from _lines(self.table.title, self.table.title_style or "table.title", console)
        for at, part in enumerate(parts):
            # Rows with lines between them are as far apart as the parts would be.
            if at and not self.table.show_lines:
                yield Text("")
            yield part
        yield from _lines(self.table.caption, self.table.caption_style or "table.caption", console)

    def _parts(self, console: Console, width: int) -> Iterator[RichTable]:
        """Yield the parts, each with as many columns as have room next to the wrapped labels."""
        labels, others = self.table.columns[: self.labels], self.table.columns[self.labels :]
        wrapped = [_wrapped(label, width // 2, console) for label in labels]
        taken = natural_width(self._part(wrapped), console)
        room = width - taken
        widths = [natural_width(self._part([*wrapped, other]), console) - taken for other in others]
        # Of a column without room, such as one with a long heading, the texts are folded.
        excess = [max(needed - max(room, width // 2), 0) for needed in widths]
        fixed = [
            _foldable(other, _content(other, console).maximum - over)
            for other, over in zip(others, excess, strict=True)
        ]
        # Labels without a width are wrapped only as far as the other columns of the part demand.
        foldable = [_foldable(label) for label in labels]
        for columns in _slices(widths, room, self.most):
            yield self._part([*foldable, *fixed[columns]])

    def _part(self, columns: Sequence[Column]) -> RichTable:
        part = copy(self.table)
        part.columns, part.title, part.caption = list(columns), None, None
        return part


def natural_width(shown: RenderableType, console: Console) -> int:
    """Return the width at which nothing needs to be wrapped."""
    return Measurement.get(console, console.options.update(max_width=NO_LIMIT), shown).maximum


def _slices(widths: Sequence[int], room: int, most: int) -> Iterator[slice]:
    """Yield the columns of each part: as many as have room, but at least one and at most `most`."""
    start = 0
    for at in range(1, len(widths)):
        if sum(widths[start : at + 1]) > room or at - start == most:
            yield slice(start, at)
            start = at
    yield slice(start, len(widths))


def _content(column: Column, console: Console) -> Measurement:
    """Return the width of the longest word and of the longest line of a column."""
    unlimited = console.options.update(max_width=NO_LIMIT)
    measured = measure_renderables(console, unlimited, [column.header, *column.cells])
    return measured.clamp(max_width=column.max_width)


def _wrapped(label: Column, width: int, console: Console) -> Column:
    """Return a column that is no wider than `width`, unless one of its words is."""
    content = _content(label, console)
    return replace(label, width=min(content.maximum, max(content.minimum, width)))


def _foldable(column: Column, width: int | None = None) -> Column:
    """Return a column whose texts are folded if they have no room, not cut."""
    return replace(column, width=width, no_wrap=False, overflow="fold")


def _lines(text: TextType | None, style: StyleType, console: Console) -> Iterator[Text]:
    """Yield a title or a caption, which has more room than the width of a part."""
    if isinstance(text, str):
        yield console.render_str(text, style=style, highlight=False)
    elif text is not None:
        yield text
