"""Write a table for other programs, as LaTeX in the paper's style, as CSV or as JSON.

In LaTeX, intervals are sub- and superscripts, and texts are escaped, so that labels are shown
literally and cannot run commands.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from remem.files.plain_text import csv_text, printable
from remem.metrics.columns import ScoreColumn
from remem.tables.table import NOT_RUN, Block, Cell, Row, Table, Value

BLOCKS = ("paper", "LLM-free")
"""The names of the two blocks of a table of the paper in its CSV file."""
_ESCAPED = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%_#${}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)
AFTER_LINE_BREAK = ("[", "*")
r"""Characters that LaTeX would read as an argument of the `\\` at the end of the previous row."""
SIGNS = {"agrees": r"\checkmark", "near": r"\sim", "differs": r"\neq"}
"""Signs of verdicts; other verdicts are written as words."""


def in_latex(text: str) -> str:
    r"""Escape a text for a cell of a table.

    >>> in_latex("a_b\\input{x}\n100 %")
    'a\\_b\\textbackslash{}input\\{x\\} 100 \\%'
    """
    return printable(text).translate(_ESCAPED)


def as_latex(table: Table) -> str:
    """Render a table in LaTeX: one tabular per block, or a single one for a table of the paper."""
    if table.number is None:
        return "\n".join(_own_tabular(block) for block in table.blocks)
    first, *others = (block for block in table.blocks if block.rows)
    body = [
        *_headings(first),
        r"\midrule",
        *(line for row in first.rows for line in _compared_lines(row)),
    ]
    for block in others:
        body += [
            r"\midrule",
            rf"\multicolumn{{{len(block.columns) + 1}}}{{l}}{{\textit{{{block.title}}}}} \\",
            *(_line(row.label, _cells(row, _pooled)) for row in block.rows),
        ]
    return _tabular(table.title, len(first.columns), body, table.all_notes)


def _own_tabular(block: Block) -> str:
    headings = ("n", *(in_latex(column.heading) for column in block.columns))
    rows = (_line(row.title, (row.count, *_cells(row, _our_number, "-"))) for row in block.rows)
    body = (_line("Method", headings), r"\midrule", *rows)
    return _tabular(block.title, len(headings), body, block.all_notes)


def _tabular(title: str, columns: int, body: Sequence[str], notes: Sequence[str]) -> str:
    lines = (
        rf"\begin{{tabular}}{{l{'r' * columns}}}",
        r"\toprule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    )
    return "\n".join((_comment(title), *lines, *map(_comment, notes))) + "\n"


def _headings(block: Block) -> Iterator[str]:
    groups = [
        (name, len(list(same))) for name, same in groupby(column.group for column in block.columns)
    ]
    if any(name for name, _ in groups):
        spans = (rf"\multicolumn{{{size}}}{{c}}{{{in_latex(name)}}}" for name, size in groups)
        yield _line("", tuple(spans))
    yield _line("Method", [in_latex(column.heading) for column in block.columns])


def _compared_lines(row: Row) -> Iterator[str]:
    """Yield the lines of a row of the paper: our numbers, the paper's, and the differences."""
    yield _line(row.label, _cells(row, _pooled))
    yield _line(r"\quad paper", _cells(row, _paper), escaped=True)
    if any(cell is not None and cell.delta is not None for cell in row.cells):
        yield _line(r"\quad delta", _cells(row, _delta), escaped=True)


def _cells(row: Row, write: Callable[[Cell], str], absent: str = "--") -> list[str]:
    return [absent if cell is None else write(cell) for cell in row.cells]


def _line(label: str, cells: Sequence[str], *, escaped: bool = False) -> str:
    shown = label if escaped else in_latex(label)
    if shown.startswith(AFTER_LINE_BREAK):
        shown = f"{{{shown[0]}}}{shown[1:]}"
    return " & ".join((shown, *cells)) + r" \\"


def _comment(text: str) -> str:
    return f"% {printable(text)}"


def _our_number(cell: Cell) -> str:
    ours = cell.ours
    if ours is None:
        return in_latex(cell.instead or NOT_RUN)
    if ours.low is None or ours.high is None:
        return f"{_mean(cell, ours)} {ours.interval('')}"
    return _with_interval(cell, ours, ours.low, ours.high)


def _pooled(cell: Cell) -> str:
    ours = cell.ours
    if ours is None:
        return in_latex(cell.instead or NOT_RUN)
    if not ours.varies or ours.low is None or ours.high is None:
        return _mean(cell, ours)
    return _with_interval(cell, ours, ours.low, ours.high)


def _mean(cell: Cell, ours: Value) -> str:
    return f"${ours.mean:.{cell.decimals}f}${ours.mark}"


def _with_interval(cell: Cell, ours: Value, low: float, high: float) -> str:
    mean, below, above = (
        f"{number:.{cell.decimals}f}"
        for number in (ours.mean, abs(low - ours.mean), abs(high - ours.mean))
    )
    dagger = r"$^\dagger$" if ours.clusters == 1 else ""
    return f"${mean}_{{-{below}}}^{{+{above}}}${ours.mark}{dagger}"


def _paper(cell: Cell) -> str:
    if not cell.paper:
        return "--"
    printed, *ends = map(in_latex, cell.paper.split())
    return f"${printed}_{{{ends[0]}}}^{{{ends[1]}}}$" if ends else f"${printed}$"


def _delta(cell: Cell) -> str:
    if cell.delta is None:
        return in_latex(cell.verdict)
    sign = SIGNS.get(cell.verdict)
    verdict = f"${sign}$" if sign else f"({in_latex(cell.verdict)})"
    return f"${cell.delta:+.{cell.decimals}f}$ {verdict}"


def as_csv(table: Table) -> str:
    """Render a table as CSV, with a line for each cell that can have a number."""
    if table.number is None:
        has_budgets = any(block.budgets for block in table.blocks)
        return csv_text(
            _own_line(block, row, column, cell)
            | ({"tokens": column.heading if block.budgets else ""} if has_budgets else {})
            for block in table.blocks
            for row in block.rows
            for column, cell in zip(block.columns, row.cells, strict=True)
            if cell is not None and cell.ours is not None
        )
    return csv_text(
        {"table": table.name, "block": name, "row": row.label, **_compared_line(cell)}
        for name, block in zip(BLOCKS, table.blocks, strict=True)
        for row in block.rows
        for cell in row.cells
        if cell is not None
    )


def as_json(table: Table) -> str:
    """Render all data of a table of the paper as JSON."""
    from pydantic_core import to_json

    printed, llm_free = (list(_json_rows(block)) for block in table.blocks)
    columns = table.blocks[0].columns
    content = {
        "name": table.name,
        "number": table.number,
        "title": table.title,
        "columns": [
            {"key": column.score, "group": column.group, "metric": column.heading}
            for column in columns
        ],
        "rows": printed,
        "llm_free": llm_free,
        "notes": table.notes,
    }
    return to_json(content, indent=2).decode() + "\n"


def _json_rows(block: Block) -> Iterator[dict[str, object]]:
    for row in block.rows:
        yield {"label": row.label, "cells": row.cells, "note": row.note}


def _own_line(block: Block, row: Row, column: ScoreColumn, cell: Cell) -> dict[str, object]:
    assert cell.ours is not None  # the caller leaves others out
    ours = cell.ours
    return {
        "block": block.title,
        "method": row.label,
        "note": row.note,
        "llm": row.llm,
        "prompts": row.prompts,
        "judge_prompt": row.judge_prompt,
        "run": " ".join(cell.runs) or row.run,
        "score": column.score,
        "category": column.category or "all",
        "mean": f"{ours.mean:.4f}",
        "low": _fixed(ours.low),
        "high": _fixed(ours.high),
        "n": ours.n,
        "clusters": "" if ours.clusters is None else ours.clusters,
        "p_holm": _fixed(ours.p_value),
        "answered": row.answered,
        "total": row.total,
    }


def _compared_line(cell: Cell) -> dict[str, object]:
    ours = cell.ours
    return {
        "column": cell.column,
        "ours": "" if ours is None else f"{ours.mean:.4f}",
        "low": "" if ours is None else _fixed(ours.low),
        "high": "" if ours is None else _fixed(ours.high),
        "n": "" if ours is None else ours.n,
        "as_text": _fixed(cell.as_text),
        "paper": cell.paper,
        "delta": _fixed(cell.delta),
        "z": _fixed(cell.z),
        "verdict": cell.verdict,
        "reason": cell.reason,
        "differences": "; ".join(cell.differences),
        "made_with": cell.made_with,
        "of": "" if cell.n is None else cell.n,
        "runs": " ".join(cell.runs),
        "command": cell.command,
    }


def _fixed(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}"
