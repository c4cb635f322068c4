"""A table of the paper beside ours, for the terminal and as Markdown, LaTeX, CSV and JSON.

Same records, same bytes: nothing that is written depends on the clock or the machine.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from remem.evaluation.interval_text import bracketed
from remem.files.csv_text import csv_text
from remem.files.whole_file import write_whole
from remem.tables.paper.compared import ABSENT, NOT_RUN, ComparedCell, ComparedRow, ComparedTable
from remem.tables.paper.paper_latex import as_latex

COLUMNS_AT_ONCE = 6
"""How many columns a terminal shows side by side."""


def for_terminal(table: ComparedTable) -> RenderableType:
    """Render a table with its notes, wide ones in parts."""
    parts: list[RenderableType] = [Text(table.title, style="bold")]
    for start in range(0, len(table.columns), COLUMNS_AT_ONCE):
        parts.append(_rich_part(table, slice(start, start + COLUMNS_AT_ONCE)))
    return Group(*parts, *(Text(note) for note in table.all_notes), Text(""))


def write_files(table: ComparedTable, folder: Path) -> tuple[Path, ...]:
    """Write `<name>.md`, `.tex`, `.csv` and `.json` and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "md": as_markdown(table),
        "tex": as_latex(table),
        "csv": as_csv(table),
        "json": as_json(table),
    }
    paths = tuple(folder / f"{table.name}.{suffix}" for suffix in contents)
    for path, text in zip(paths, contents.values(), strict=True):
        write_whole(path, text.encode())
    return paths


def as_markdown(table: ComparedTable) -> str:
    """Render as Markdown: the paper's rows, LLM-free ones, notes, and the command of each cell."""
    parts = [f"# {table.title}\n", _markdown_rows(table, table.rows)]
    if table.llm_free:
        parts += ["## LLM-free rows\n", _markdown_rows(table, table.llm_free)]
    parts.append("\n".join(f"- {note}" for note in table.all_notes) + "\n")
    parts.append("## Commands\n\n```sh\n" + "\n".join(commands(table)) + "\n```\n")
    return "\n".join(parts)


def as_csv(table: ComparedTable) -> str:
    """Render every cell as a line."""
    return csv_text(_lines(table))


def as_json(table: ComparedTable) -> str:
    """Render all that is known of the table."""
    return TypeAdapter(ComparedTable).dump_json(table, indent=2).decode() + "\n"


def commands(table: ComparedTable) -> Iterator[str]:
    """Yield the commands that make the cells, each once, under the rows they make."""
    for row in (*table.rows, *table.llm_free):
        yield f"# {row.label}"
        made = (cell.command for cell in row.cells if cell is not None and cell.command)
        yield from dict.fromkeys(part for command in made for part in command.split("; "))


def _rich_part(table: ComparedTable, columns: slice) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, show_lines=True)
    shown.add_column("Method")
    for column in table.columns[columns]:
        shown.add_column(f"{column.group}\n{column.metric}".strip(), justify="right")
    for row in table.rows:
        cells = (Text("\n".join(cell_lines(cell))) for cell in row.cells[columns])
        shown.add_row(Text(row.label), *cells)
    if table.llm_free:
        shown.add_section()
        shown.add_row(Text("LLM-free rows", style="italic"))
    for row in table.llm_free:
        cells = (Text("\n".join(cell_lines(cell))) for cell in row.cells[columns])
        shown.add_row(Text(row.label), *cells)
    return shown


def _markdown_rows(table: ComparedTable, rows: Sequence[ComparedRow]) -> str:
    import pandas as pd

    headings = [f"{column.group} {column.metric}".strip() for column in table.columns]
    frame = pd.DataFrame(
        [(row.label, *("<br>".join(cell_lines(cell)) for cell in row.cells)) for row in rows],
        columns=["Method", *headings],
    )
    return str(frame.to_markdown(index=False, disable_numparse=True)) + "\n"


def cell_lines(cell: ComparedCell | None) -> list[str]:
    """Write a cell as lines: ours with interval, what is paper's, delta and verdict."""
    if cell is None:
        return [ABSENT]
    lines = [_ours(cell)]
    if cell.as_text is not None:
        lines.append(f"as the text: {_number(cell.as_text, cell)}")
    if cell.paper:
        lines.append(f"paper {cell.paper}")
    if cell.delta is not None:
        lines.append(f"{cell.delta:+,.{cell.decimals}f} {_verdict(cell)}")
    return lines


def _ours(cell: ComparedCell) -> str:
    ours = cell.ours
    if ours is None:
        return cell.instead or NOT_RUN
    shown = f"{_number(ours.mean, cell)}{ours.mark}"
    of_questions = ours.clusters is not None or ours.percent
    short = cell.n is not None and of_questions and ours.n < cell.n
    if ours.varies or (ours.low is None and of_questions and not short):
        shown += f" {bracketed(ours, f',.{cell.decimals}f')}"
    return f"{shown} ({ours.n}/{cell.n})" if short else shown


def _verdict(cell: ComparedCell) -> str:
    return f"{cell.verdict} {cell.reason}" if cell.verdict == "incomplete" else cell.verdict


def _number(number: float, cell: ComparedCell) -> str:
    return f"{number:,.{cell.decimals}f}"


def _lines(table: ComparedTable) -> Iterator[dict[str, object]]:
    for block, rows in (("paper", table.rows), ("LLM-free", table.llm_free)):
        for row in rows:
            for cell in row.cells:
                if cell is not None:
                    yield {"table": table.name, "block": block, "row": row.label, **_line(cell)}


def _line(cell: ComparedCell) -> dict[str, object]:
    ours = cell.ours
    return {
        "column": cell.column,
        "ours": "" if ours is None else f"{ours.mean:.4f}",
        "low": "" if ours is None or ours.low is None else f"{ours.low:.4f}",
        "high": "" if ours is None or ours.high is None else f"{ours.high:.4f}",
        "n": "" if ours is None else ours.n,
        "as_text": "" if cell.as_text is None else f"{cell.as_text:.4f}",
        "paper": cell.paper,
        "delta": "" if cell.delta is None else f"{cell.delta:.4f}",
        "z": "" if cell.z is None else f"{cell.z:.4f}",
        "verdict": cell.verdict,
        "reason": cell.reason,
        "differences": "; ".join(cell.differences),
        "made_with": cell.made_with,
        "of": "" if cell.n is None else cell.n,
        "runs": " ".join(cell.runs),
        "command": cell.command,
    }
