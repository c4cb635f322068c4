"""The results of commands as JSON values, for `--json`; shares are from 0 to 1.

A single dataclass is written field by field. This module builds the values that combine several
dataclasses.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from remem.metrics.columns import REFUSAL_SCORES, ScoreColumn
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval
from remem.metrics.scores import Summary
from remem.results.diagnosis import Diagnosis
from remem.results.rescore import Rescored
from remem.tables.notes import BlockCosts
from remem.tables.table import Block, Cell, Row, Table, Value

Json = dict[str, Any]
PER_CENT = 100.0


def as_json(command: str, parts: Json) -> str:
    """Return the result of a command as JSON in ASCII, without terminal control characters."""
    content = to_jsonable_python({"command": command, **parts})
    return json.dumps(content, indent=2, allow_nan=False)


def questions(asked: int, answered: int) -> Json:
    """Return how many questions were asked, how many were answered, and how many failed."""
    return {"asked": asked, "answered": answered, "failed": asked - answered}


def summary_scores(summary: Summary, names: Sequence[str]) -> Iterator[Json]:
    """Yield the named scores over all questions and per category, then the scores of refusals.

    `mean` is None if no question has the score.
    """
    for part in (summary.overall, *summary.categories):
        for name in names:
            yield _score(summary.convention, name, part.category, part.means[name])
    for name in REFUSAL_SCORES:
        interval = getattr(summary.refusal_intervals, name.removeprefix("refusal_"))
        yield _score(summary.convention, name, None, interval)


def rescored_run(folder: Path, ways: Sequence[Rescored], notes: Sequence[str]) -> Json:
    """Return the scores of a run by each way of scoring: a convention or corrected labels."""
    return {"folder": folder, "ways": list(map(_way, ways)), "notes": notes}


def diagnosed_run(folder: Path, diagnosis: Diagnosis) -> Json:
    """Return how often each cause of wrong answers occurs in a run, and the cause per question."""
    return {
        "folder": folder,
        "label": diagnosis.label,
        "answered": len(diagnosis.answered),
        "wrong": len(diagnosis.causes),
        "score": diagnosis.score,
        "notes": diagnosis.notes,
        "causes": [
            {"cause": cause, "n": of.count, "share": of.mean, "low": of.low, "high": of.high}
            for cause, of in diagnosis.shares().items()
        ],
        "questions": diagnosis.causes,
        "lost_by": diagnosis.lost_by,
    }


def table_parts(
    table: Table,
    results: Path,
    files: Sequence[Path],
    errors: Sequence[str],
    costs: Sequence[BlockCosts] = (),
) -> Json:
    """Return every cell of a table, with the folders of its runs relative to `results`.

    `files` is empty if the table was not written because questions failed.
    """
    return {
        "name": table.name,
        "title": table.title,
        "results": results,
        "blocks": [
            {
                "title": block.title,
                "rows": [_row(block, row) for row in block.rows],
                "notes": table.notes_below(block),
            }
            for block in table.blocks
        ],
        "notes": table.all_notes,
        "files": files,
        "errors": errors,
        "costs": costs,
    }


def _score(
    convention: ScoreConvention, name: str, category: str | None, interval: Interval | None
) -> Json:
    share = name in REFUSAL_SCORES or convention.is_share(name)
    place = {"score": name, "heading": convention.heading(name), "category": category}
    return {**place, "unit": _unit(share=share), **_ends(interval)}


def _ends(interval: Interval | None) -> Json:
    if interval is None:
        return {"mean": None, "low": None, "high": None, "n": 0, "clusters": None}
    return {name: getattr(interval, name) for name in Interval.__slots__}


def _unit(*, share: bool) -> str:
    return "share" if share else "count"


def _way(rescored: Rescored) -> Json:
    scores = [
        {
            "score": name,
            "heading": estimate.heading,
            "category": category,
            "unit": _unit(share=estimate.share),
            "over_questions": estimate.over_questions,
            "over_clusters": estimate.over_clusters,
        }
        for (name, category), estimate in rescored.estimates.items()
    ]
    return {
        "name": rescored.name,
        "scores": scores,
        "refusals": rescored.refusal,
        "judge_calls": rescored.judge_calls,
    }


def _row(block: Block, row: Row) -> Json:
    cells = zip(block.columns, row.cells, strict=True)
    return {
        "method": row.label,
        "note": row.note,
        "llm": row.llm,
        "run": row.run,
        "questions": questions(row.total, row.answered),
        "wrong": row.causes,
        "scores": [_cell(column, cell) for column, cell in cells if cell is not None],
    }


def _cell(column: ScoreColumn, cell: Cell) -> Json:
    """Return a number of a row, or `text` if the cell has no number.

    `p_holm` is the corrected p value of the difference from the first row. `paper` is what the
    paper prints, and `verdict` and `reason` say how our number compares with it.
    """
    number = (
        {"unit": None, **_ends(None), "p_holm": None}
        if cell.ours is None
        else _score_json(cell.ours)
    )
    return {
        "score": column.score,
        "heading": column.title,
        "category": column.category,
        **number,
        "text": cell.instead,
        "paper": cell.paper,
        "verdict": cell.verdict,
        "reason": cell.reason,
        "runs": cell.runs,
    }


def _score_json(value: Value) -> Json:
    scale = PER_CENT if value.percent else 1.0
    low, high = (None if end is None else end / scale for end in (value.low, value.high))
    interval = Interval(value.mean / scale, low, high, value.n, value.clusters)
    return {"unit": _unit(share=value.percent), **_ends(interval), "p_holm": value.p_value}
