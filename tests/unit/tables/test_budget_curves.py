"""Rows at several budgets of evidence, and the area under their curves."""

import csv
from pathlib import Path

import pytest

from remem.errors import UsageError
from remem.llm.budget import Price
from remem.metrics.question_scores import QuestionScores
from remem.run.progress import OnProgress, not_shown
from remem.tables.budget_curves import areas, tokens_for
from remem.tables.file_formats import as_csv
from remem.tables.reproduce import reproduce
from remem.tables.table_plan import read_plan, with_rows

TABLE = """
title: T
blocks:
  - title: B
    overrides: [dataset=generated_dialogues, run.histories=1, run.limit=8, paths.results={results}]
    budgets: {budgets}
    columns: [{{score: f1}}, {{score: evidence_recall}}]
    rows:
      - overrides: [method=bm25_messages]
      - overrides: [method=full_context]
      - {{overrides: [method=oracle_message], note: given the evidence}}
"""


class Silent:
    """A progress display that shows nothing."""

    def __call__(self, label: str, price: Price | None) -> "Silent":
        return self

    def __enter__(self) -> OnProgress:
        return not_shown

    def __exit__(self, *_: object) -> None:
        pass


def question(query_id: str, value: float | None) -> QuestionScores:
    return QuestionScores(query_id, "1", query_id, False, False, {"f1": value})


def test_the_area_is_the_mean_over_doublings_and_needs_every_point() -> None:
    points = [
        {"a": question("a", 0.0), "b": question("b", 1.0)},
        {"a": question("a", 0.5), "b": question("b", None)},
        {"a": question("a", 1.0), "b": question("b", 1.0)},
    ]
    # from 250 to 500 the mean is 0.25, and from 500 to 2,000, which is twice as far, 0.75
    (only,) = areas(points, [250, 500, 2000], "f1")
    assert (only.query_id, only.value("f1")) == ("a", pytest.approx((0.25 + 2 * 0.75) / 3))


def test_a_curve_that_never_reaches_a_mean_has_no_tokens_for_it() -> None:
    assert tokens_for(0.9, [0.2, 0.4], [250, 500]) is None
    assert tokens_for(0.1, [0.2, 0.4], [250, 500]) == 250


def test_each_column_of_a_plan_is_a_block_with_a_point_for_each_budget(tmp_path: Path) -> None:
    folder = tmp_path / "conf"
    (folder / "table").mkdir(parents=True)
    text = TABLE.format(results=tmp_path / "results", budgets=[100, 200, 400])
    (folder / "table/t.yaml").write_text(text)
    plan = with_rows(read_plan("t", [folder], trusted=True), ["+bm25_sessions"])
    table = reproduce(plan, ["run.health=warn"], Silent()).table
    assert [block.title for block in table.blocks] == ["B: F1", "B: evidence recall"]
    recall = table.blocks[1]
    assert [column.heading for column in recall.columns] == ["area", "100", "200", "400"]
    labels = ["BM25", "Full-Context", "Oracle Message", "BM25 (sessions)"]
    assert [row.label for row in recall.rows] == labels
    area, *points = (number.mean for number in recall.rows[0].numbers)
    assert area == pytest.approx((points[0] / 2 + points[1] + points[2] / 2) / 2)
    assert points == sorted(points)
    runs = [len(cell.runs) for cell in recall.rows[0].cells if cell is not None]
    assert runs == [3, 1, 1, 1]
    lines = list(csv.DictReader(as_csv(table).splitlines()))
    assert [line["tokens"] for line in lines[:4]] == ["area", "100", "200", "400"]
    assert len({line["run"] for line in lines[:4]}) == 4
    assert any(
        note.startswith("Tokens for 90% of the best evidence recall") for note in recall.notes
    )
    assert any("of Full-Context at 400 (" in note for note in recall.notes)


@pytest.mark.parametrize("budgets", ["[500, 250]", "[250]", "[0, 250]", "[a, b]"])
def test_budgets_that_are_no_ascending_numbers_are_refused(tmp_path: Path, budgets: str) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table/t.yaml").write_text(TABLE.format(results=tmp_path, budgets=budgets))
    with pytest.raises(UsageError, match=r"block 1: budgets is .* ascending order"):
        read_plan("t", [tmp_path], trusted=True)
