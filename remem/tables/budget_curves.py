"""Rows of a table at several evidence budgets, to compare memories at equal numbers of tokens.

If a block of a table plan has `budgets`, each of its rows is run once with each budget
(`run.evidence_tokens`). Each column of the plan then becomes a block of the table. That block shows
the score at each budget, and the area under the curve of these scores. Each budget is twice as
large as the one before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log2

import numpy as np

from remem.metrics.columns import ScoreColumn
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import summarise_questions
from remem.tables.rows import RowOutcome
from remem.tables.significance import SourcedRow, row_sources
from remem.tables.table import Block, Cell, Row, own_cell
from remem.tables.table_plan import BlockPlan

AREA = "area"
SHARE_OF_ORACLE = 0.9
WHOLE_HISTORY = "full_context"
"""The method that recalls the full history."""

Curve = Sequence[RowOutcome]
"""A row of a plan at each budget, from the smallest on."""
Scored = Mapping[str, QuestionScores]
"""The scores of the questions by query id."""


def budget_blocks(
    block: BlockPlan, outcomes: Sequence[RowOutcome], notes: Sequence[str], leading: Sequence[str]
) -> Iterator[tuple[Block, list[SourcedRow]]]:
    """Yield a block for each column of the plan, with its rows and the sources of their cells.

    Args:
        block: The plan of the block.
        outcomes: The rows: the first row at each budget, then the second row, and so on.
        notes: The notes on the rows.
        leading: The notes that a terminal always shows.
    """
    step = len(block.budgets)
    curves = [outcomes[at : at + step] for at in range(0, len(outcomes), step)]
    for column in block.columns:
        rows = [_sourced_row(curve, column, block.budgets) for curve in curves]
        about = (_about(block.budgets), *_tokens_for_oracle(curves, column, block.budgets))
        yield (
            Block(
                f"{block.title}: {column.title}",
                _columns(column, block.budgets),
                tuple(row.row for row in rows),
                (*about, *_break_even(curves, column, block.budgets), *notes),
                leading=tuple(leading),
                budgets=block.budgets,
            ),
            rows,
        )


def areas(curve: Sequence[Scored], budgets: Sequence[int], score: str) -> list[QuestionScores]:
    """Return the questions, with one score replaced by the area under the curve of this score.

    Budgets are on a log scale, and the area is divided by their range, so it is a weighted mean of
    the scores. A question that has no score at one of the budgets is left out.

    Args:
        curve: The scores of the questions at each budget.
        budgets: The budgets, in ascending order.
        score: The name of the score.
    """
    places = [log2(budget) for budget in budgets]
    questions = []
    for query_id, question in curve[0].items():
        known = (scored[query_id].value(score) for scored in curve if query_id in scored)
        values = [value for value in known if value is not None]
        if len(values) == len(budgets):
            area = float(np.trapezoid(values, places)) / (places[-1] - places[0])
            questions.append(replace(question, scores={**question.scores, score: area}))
    return questions


def tokens_for(mean: float, means: Sequence[float], budgets: Sequence[int]) -> float | None:
    """Return the budget at which a curve of means reaches `mean`, interpolated between its points.

    Budgets are on a log scale. Return None if the curve never reaches the mean, and the smallest
    budget if the curve starts above the mean.

    >>> tokens_for(0.5, [0.2, 0.4, 0.6], [250, 500, 1000])
    707.1067811865476
    """
    if means[0] >= mean:
        return float(budgets[0])
    for (low, below), (high, above) in pairwise(zip(budgets, means, strict=True)):
        if above >= mean:
            share = (mean - below) / (above - below)
            return float(2 ** (log2(low) + share * (log2(high) - log2(low))))
    return None


def _columns(column: ScoreColumn, budgets: Sequence[int]) -> tuple[ScoreColumn, ...]:
    headings = (AREA, *(f"{budget:,}" for budget in budgets))
    return tuple(replace(column, heading=heading) for heading in headings)


def _sourced_row(curve: Curve, column: ScoreColumn, budgets: Sequence[int]) -> SourcedRow:
    first, convention = curve[0], curve[0].config.score_convention()
    points = [outcome.scores if _is_measured(curve) else {} for outcome in curve]
    under = areas(points, budgets, column.score)
    questions = [under, *(list(scored.values()) for scored in points)]
    folders = [outcome.folder_name for outcome in curve]
    runs = [tuple(folders), *((folder,) for folder in folders)]
    row = Row(
        label=_label(curve),
        llm=first.config.llm,
        answered=min(len(outcome.scores) for outcome in curve),
        total=len(first.records),
        cells=tuple(
            _cell(column, asked, convention, of) for asked, of in zip(questions, runs, strict=True)
        ),
        note=first.plan.note,
    )
    sources = (next(row_sources([column], asked, convention)) for asked in questions)
    return SourcedRow(row, tuple(sources))


def _cell(
    column: ScoreColumn,
    questions: Sequence[QuestionScores],
    convention: ScoreConvention,
    runs: Sequence[str],
) -> Cell | None:
    if not questions:
        return None
    asked = [question.category for question in questions]
    cell = own_cell(column, summarise_questions(questions, asked, convention))
    return None if cell is None else replace(cell, runs=tuple(runs))


def _label(curve: Curve) -> str:
    return curve[0].config.settings.method.label


def _is_measured(curve: Curve) -> bool:
    return not any(outcome.missing or outcome.is_plumbing for outcome in curve)


def _about(budgets: Sequence[int]) -> str:
    return (
        f"{AREA}: the mean score over all budgets from {budgets[0]:,} to {budgets[-1]:,} tokens "
        f"(est.), with equal weight for each doubling. A memory hands over whole items in ranked "
        f"order until the next does not fit; one that does not rank, such as the whole history, "
        f"hands over its first items."
    )


def _means(curve: Curve, column: ScoreColumn) -> list[float]:
    """Return the mean at each budget; empty if the run at any budget is missing."""
    if not _is_measured(curve):
        return []
    cells = [own_cell(column, outcome.run.summary) for outcome in curve if outcome.run is not None]
    return [cell.ours.mean for cell in cells if cell is not None and cell.ours is not None]


def _tokens_for_oracle(
    curves: Sequence[Curve], column: ScoreColumn, budgets: Sequence[int]
) -> Iterator[str]:
    """Yield how many tokens each row needs for a share of the best score of the first oracle."""
    oracle = next((curve for curve in curves if curve[0].config.sees_gold), None)
    means = [] if oracle is None else _means(oracle, column)
    if oracle is not None and len(means) == len(budgets):
        label = _label(oracle)
        what = f"Tokens for {SHARE_OF_ORACLE:.0%} of the best {column.title} of {label}"
        yield _needed(what, SHARE_OF_ORACLE * max(means), curves, column, budgets)


def _break_even(
    curves: Sequence[Curve], column: ScoreColumn, budgets: Sequence[int]
) -> Iterator[str]:
    """Yield the tokens that each row needs for the score of the full history at the top budget."""
    whole = next((curve for curve in curves if _is_whole_history(curve)), None)
    means = [] if whole is None else _means(whole, column)
    if whole is not None and len(means) == len(budgets):
        label = _label(whole)
        what = f"Tokens for the {column.title} of {label} at {budgets[-1]:,}"
        yield _needed(what, means[-1], curves, column, budgets)


def _needed(
    what: str, mean: float, curves: Sequence[Curve], column: ScoreColumn, budgets: Sequence[int]
) -> str:
    parts = []
    for curve in curves:
        means = _means(curve, column)
        if len(means) == len(budgets) and not (
            curve[0].config.sees_gold or _is_whole_history(curve)
        ):
            tokens = tokens_for(mean, means, budgets)
            bound = "at most " if tokens == budgets[0] else ""
            shown = "not reached" if tokens is None else f"{bound}{tokens:,.0f}"
            parts.append(f"{_label(curve)} {shown}")
    return f"{what} ({mean:.1f}): {'; '.join(parts)}."


def _is_whole_history(curve: Curve) -> bool:
    return curve[0].config.settings.method.name == WHOLE_HISTORY
