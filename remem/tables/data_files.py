"""Write the files of a table for other programs: a CSV line or a JSON object for each cell."""

from collections.abc import Iterator

from remem.files.csv_text import csv_text
from remem.metrics.columns import Column
from remem.tables.table import Block, Cell, Row, Table, Value

BLOCKS = ("paper", "LLM-free")
"""The names of the two blocks of a table of the paper in its CSV file."""


def as_csv(table: Table) -> str:
    """Render a table as CSV, with a line for each cell that can have a number or a text."""
    if table.of_texts:
        return csv_text(
            {**_text_place(block, row), **_text_line(column, cell)}
            for block in table.blocks
            for row in block.rows
            for column, cell in zip(block.columns, row.cells, strict=True)
            if cell is not None
        )
    if table.number is None:
        return csv_text(
            _own_line(block, row, column, cell.ours)
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
    """Render all data of a table of the paper, or of its worked examples, as JSON."""
    from pydantic_core import to_json

    if table.of_texts:
        return to_json(table, indent=2).decode() + "\n"
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


def _own_line(block: Block, row: Row, column: Column, ours: Value) -> dict[str, object]:
    return {
        "block": block.title,
        "method": row.label,
        "note": row.note,
        "llm": row.llm,
        "prompts": row.prompts,
        "judge_prompt": row.judge_prompt,
        "run": row.run,
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


def _text_place(block: Block, row: Row) -> dict[str, object]:
    facts = "; ".join(block.facts)
    return {"block": block.title, "facts": facts, "method": row.label, "llm": row.llm}


def _text_line(column: Column, cell: Cell) -> dict[str, object]:
    return {
        "column": column.heading,
        "text": cell.instead,
        "differences": "; ".join(cell.differences),
        "runs": " ".join(cell.runs),
        "command": cell.command,
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
