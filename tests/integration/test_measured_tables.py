"""The tracked tables of `results/measured` are what `remem table` makes of the data."""

import csv
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from remem.tables import table_plan
from remem.tables.table_plan import BlockPlan, read_plan, table_names

MEASURED = Path(__file__).parents[2] / "results" / "measured"
BM25 = ("method=bm25_messages",)
DATED_IN_CONTEXT = (*BM25, "convention.run.embed_date=true", "ranking=contextual")
IN_CONTEXT = ("method=remem_s", "ranking=contextual")
LONGEST_OPTION = ("method=no_memory", "reader=longest_option")
BUDGETS = (250, 500, 1000, 2000, 4000, 8000)
MADE_AGAIN = {
    "real-offline": (("locomo", "realtalk"), (IN_CONTEXT,)),
    "longmemeval": (("longmemeval",), (BM25,)),
    "personamem": (("personamem",), (BM25, LONGEST_OPTION)),
    "fused": (("locomo", "realtalk"), (DATED_IN_CONTEXT,)),
    "frontier": (
        (),
        tuple(("method=oracle_message", f"run.evidence_tokens={size}") for size in BUDGETS),
    ),
    "locomo-plus": (("locomo", "locomo_plus"), (BM25,)),
    "beam": (("beam",), (("method=oracle_message",),)),
}
"""The data that a table needs, and its rows that take little time, by their overrides.

Only the blocks that a tracked file shows are made again: those of the frontier on LoCoMo and
REALTALK would take an hour.
"""
NOT_MADE_AGAIN = {
    "real-model": "needs a model: its bundle is replayed in tests/apps/small_model",
}

Figures = dict[tuple[str, ...], tuple[str, ...]]


def figures(path: Path) -> Figures:
    """Return the mean, interval and n of each cell of a table."""
    cell = ("block", "method", "note", "score", "category", "tokens")
    figure = ("mean", "low", "high", "n")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            tuple(line.get(key, "") for key in cell): tuple(line[key] for key in figure)
            for line in csv.DictReader(file)
        }


def with_rows(block: BlockPlan, chosen: tuple[tuple[str, ...], ...]) -> BlockPlan:
    """Return a block with only the rows that have the chosen overrides, besides a label."""

    def settings(overrides: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for text in overrides if not text.startswith("method.label="))

    rows = tuple(row for row in block.rows if settings(row.overrides) in chosen)
    assert len(rows) == len(chosen)
    return replace(block, rows=rows)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("name", MADE_AGAIN)
def test_rows_of_a_tracked_table_are_made_again_with_the_same_figures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remem: Callable[..., Any]
) -> None:
    data = Path(os.environ.get("REMEM_DATA", tmp_path / "not set"))
    folders, chosen = MADE_AGAIN[name]
    if not all((data / folder).is_dir() for folder in folders):
        pytest.skip(f"REMEM_DATA has no {' or no '.join(folders)}")
    plan = read_plan(name)
    tracked = figures(MEASURED / f"{name}.csv")
    shown = [
        block
        for block in plan.blocks
        if any(title.startswith(block.title) for title, *_ in tracked)
    ]
    few = replace(plan, blocks=tuple(with_rows(block, chosen) for block in shown))
    monkeypatch.setattr(table_plan, "read_plan", lambda *_, **__: few)
    done = remem(tmp_path, "table", name, data=data)
    assert done.code == 0, done.err

    made = figures(tmp_path / "results" / "tables" / name / f"{name}.csv")
    assert {block for block, *_ in made} == {block for block, *_ in tracked}
    assert {cell: tracked.get(cell) for cell in made} == made


def test_every_tracked_table_is_made_again_or_has_a_reason() -> None:
    tracked = {path.stem for path in MEASURED.glob("*.csv")} & {*table_names()}
    assert {*MADE_AGAIN} <= tracked <= {*MADE_AGAIN, *NOT_MADE_AGAIN}
