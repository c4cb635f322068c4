"""Cells of a table are marked if their difference from the first row is significant."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from remem.metrics.columns import ScoreColumn
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.results.conventions import score_sets
from remem.tables.significance import sourced_rows, with_tests
from remem.tables.table import Block, Cell, Row, Table, Value
from remem.types import Gold, Record

CONVENTION = score_sets(["resamples=999,bootstrap_unit=questions"]).popitem()[1]
COLUMNS = (
    ScoreColumn("EM", "em"),
    ScoreColumn("EM of 2", "em", "2"),
    ScoreColumn("tokens", "context_tokens"),
)
NUMBER = Value(50.0, 40.0, 60.0, 60, None, percent=True)
CELL = Cell(ours=NUMBER)


def answered(right: list[bool]) -> list[QuestionScores]:
    records = [
        Record(
            *(f"q{at}", "h", at, "What?"),
            Gold(("a boat",), "2" if at % 2 else "1", group=f"g{at % 12}"),
            *("ok", "a boat" if good else "a car"),
        )
        for at, good in enumerate(right)
    ]
    return [question_scores(record, CONVENTION) for record in records]


def table_of(*rows: list[QuestionScores]) -> Table:
    cells = (CELL, CELL, replace(CELL, ours=replace(NUMBER, percent=False)))
    shown = tuple(Row(f"row {at}", cells, answered=60, total=60) for at, _ in enumerate(rows))
    return Table("t", "T", (Block("b", COLUMNS, shown, ("a note",)),))


RIGHT = (np.random.default_rng(0).random(60) < 0.5).tolist()
FIRST, SAME, BETTER = answered(RIGHT), answered(RIGHT), answered([True] * 60)


def with_marks(
    table: Table, scores: Sequence[Sequence[Sequence[QuestionScores]]], convention: ScoreConvention
) -> Table:
    """Return the table with its cells marked; each row was made by one run."""
    pairs = zip(table.blocks, scores, strict=True)
    blocks = [sourced_rows(block, rows, convention) for block, rows in pairs]
    return with_tests(table, blocks, convention)


def test_what_differs_is_marked_and_what_is_the_same_is_not() -> None:
    marked = with_marks(table_of(FIRST, SAME, BETTER), [[FIRST, SAME, BETTER]], CONVENTION)
    marks = [[number.mark for number in row.numbers] for row in marked.blocks[0].rows]
    assert marks == [["", "", ""], ["", "", ""], ["*", "*", ""]]
    p_values = [[number.p_value for number in row.numbers] for row in marked.blocks[0].rows]
    assert p_values[0] == [None, None, None]
    assert p_values[1] == [1.0, 1.0, None]  # tokens are no merit, so they are not tested


def test_the_correction_is_over_the_comparisons_of_one_score_in_one_block() -> None:
    def columns(*scores: str) -> tuple[ScoreColumn, ...]:
        return tuple(ScoreColumn(score, score) for score in scores)

    def p_value(table: Table, scores: list[list[list[QuestionScores]]]) -> float | None:
        first, *_ = with_marks(table, scores, CONVENTION).blocks[0].rows[1].numbers
        return first.p_value

    rows = [FIRST, BETTER]
    shown = tuple(Row(f"row {at}", (CELL, CELL), answered=60, total=60) for at in (0, 1))
    alone = Block("b", columns("em", "f1"), shown, ())
    # The smallest p of 999 draws is 2 / 1000. Another score, and another block, change nothing;
    # the two columns of one score in one block are one family.
    assert p_value(Table("t", "T", (alone,)), [rows]) == 0.002
    assert p_value(Table("t", "T", (alone, alone, alone)), [rows] * 3) == 0.002
    twice = replace(alone, columns=(ScoreColumn("EM", "em"), ScoreColumn("EM of 2", "em", "2")))
    assert p_value(Table("t", "T", (twice,)), [rows]) == 0.004


def test_the_note_says_what_was_tested_and_what_could_be_shown() -> None:
    clustered = replace(CONVENTION, bootstrap_unit="clusters")
    marked = with_marks(table_of(FIRST, BETTER), [[FIRST, BETTER]], clustered)
    kept, tested, smallest = marked.blocks[0].notes
    assert kept == "a note"
    assert "differs from row 0: paired bootstrap over 6 to 12 clusters" in tested
    assert "over all comparisons of the same score in this block (EM and EM of 2: 2;" in tested
    assert smallest.startswith("Smallest difference from it that can be shown")
    assert "EM of 2" in smallest


def test_no_difference_above_100_points_is_said_to_be_what_can_be_shown() -> None:
    def said(*rows: list[QuestionScores]) -> str:
        marked = with_marks(table_of(*rows), [list(rows)], CONVENTION)
        return marked.blocks[0].notes[-1]

    # Of two differences, 1 and 0, the standard error is 0.5; t of one degree of freedom is
    # 12.7062 at 97.5% and 1.3764 at 80%: 100 * 0.5 * 14.0826 = 704 points.
    wrong, half = answered([False] * 2), answered([True, False])
    assert said(wrong, half).endswith("before the correction): EM none: too few questions.")
    # Of sixty, half of them 1: 100 * 0.5 / sqrt(59) * (2.0010 + 0.8478) = 18.5 points.
    many = answered([False] * 60)
    better = answered([at < 30 for at in range(60)])
    assert "EM 18.5 to 18.5 points; EM of 2 " in said(many, better)
    mixed = said(many, better, half)
    assert "EM 18.5 to 18.5 points, in 1 of 2 none: too few questions; " in mixed


def test_a_row_is_only_compared_with_answers_of_the_first_row_to_its_questions() -> None:
    rows: list[list[QuestionScores]] = [[], FIRST, BETTER]
    (block,) = with_marks(table_of(*rows), [rows], CONVENTION).blocks
    assert block.notes == ("a note",)
    assert all(number.p_value is None for row in block.rows for number in row.numbers)
    # and rows without a common question are not tested
    other = [replace(item, query_id=f"other {item.query_id}") for item in BETTER]
    marked = with_marks(table_of(FIRST, other), [[FIRST, other]], CONVENTION)
    assert marked.blocks[0].notes == ("a note",)
    assert all(number.p_value is None for number in marked.blocks[0].rows[1].numbers)
