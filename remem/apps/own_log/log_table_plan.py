"""The plan of `remem log table`: memories that need no model, on the user's own log."""

import re
from dataclasses import replace
from pathlib import Path

from remem.apps.own_log.logs.benchmark import OwnLog
from remem.config.override_text import quoted
from remem.tables.table_plan import RowPlan, TablePlan, read_plan

NAME = "own_log"
TOP_K = "method.build.top_k="
MOST_FOUND, SHARE_FOUND = 10, 3
"""A memory returns at most ten items, and at most a third of a short log."""


def own_log_plan(log: Path, questions: Path, *, all_branches: bool = False) -> TablePlan:
    """Return the plan of table/own_log.yaml, filled in for a log and a file of questions.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A file cannot be read; the message names its line.
    """
    benchmark = OwnLog(log=str(log), questions=str(questions), all_branches=all_branches)
    (history,) = benchmark.histories()
    messages = len(list(history.messages()))
    asked = len(benchmark.questions(history.id))
    top_k = max(1, min(MOST_FOUND, messages // SHARE_FOUND))
    files = (
        f"dataset.build.log={quoted(str(log))}",
        f"dataset.build.questions={quoted(str(questions))}",
        *(("dataset.build.all_branches=true",) if all_branches else ()),
    )
    plan = read_plan(NAME)
    blocks = tuple(
        replace(
            block,
            overrides=(*block.overrides, *files),
            rows=tuple(_finding(row, top_k) for row in block.rows),
            notes=(f"Each memory returns {top_k} of {messages} messages.", *block.notes),
        )
        for block in plan.blocks
    )
    title = f"{log.name}: {asked} questions of {questions.name} about {messages} messages"
    return replace(
        plan, name=f"{NAME}+{_table_name(log)}+{_table_name(questions)}", title=title, blocks=blocks
    )


def _finding(row: RowPlan, top_k: int) -> RowPlan:
    changed = (f"{TOP_K}{top_k}" if each.startswith(TOP_K) else each for each in row.overrides)
    return replace(row, overrides=tuple(changed))


def _table_name(path: Path) -> str:
    return re.sub(r"[^\w-]+", "_", path.stem)
