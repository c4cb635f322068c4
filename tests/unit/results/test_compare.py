"""Paired differences: equal questions, numeric scores, counted ties."""

from dataclasses import replace
from pathlib import Path

import pytest

from remem.errors import UsageError
from remem.metrics.columns import ScoreColumn
from remem.metrics.convention import ScoreConvention
from remem.results.compare import (
    Comparison,
    ScoredRuns,
    TableTest,
    compare_scored,
    format_comparison,
    table_tests,
)
from remem.results.conventions import score_sets
from remem.results.standings import standings
from remem.tables.render import write_files
from remem.tables.table import Block, Cell, Row, Table, Value
from remem.types import Gold, Record

NAMES = ("REMem-S", "BM25")
(CONVENTION,) = score_sets(["paper,bootstrap_unit=questions,resamples=99"]).values()


def records(*answers: str, gold: str = "a boat", category: str = "1") -> list[Record]:
    return [
        Record(f"q{at}", "h", at, f"What {at}?", Gold((gold,), category), "ok", answer=answer)
        for at, answer in enumerate(answers)
    ]


def compared(
    first: list[Record],
    second: list[Record],
    score: str = "em",
    category: str | None = None,
    convention: ScoreConvention = CONVENTION,
) -> Comparison:
    how = {"score": score, "category": category, "convention": convention}
    return compare_scored(ScoredRuns.of_records((first, second), (None, None), **how))


def test_the_difference_is_first_minus_second_over_the_questions_of_both():
    first, second = records("boat", "boat", "car", "boat"), records("car", "boat", "car")
    found = compared(first, second)
    assert found.difference.mean == pytest.approx(1 / 3)  # q3 is in one run only
    assert (found.first_better, found.second_better, found.equal) == (1, 0, 2)


def test_a_category_is_compared_alone():
    asked = {"category": "2"}
    found = compared(records("boat", **asked), records("car", **asked), "f1", **asked)
    assert found.difference.n == 1
    with pytest.raises(UsageError, match="no question of category 3"):
        compared(records("x"), records("y"), "f1", category="3")


def test_two_best_runs_with_the_same_score_are_both_named():
    runs = [records("boat"), records("boat"), records("car")]
    how = {"score": "f1", "category": None, "convention": CONVENTION}
    scored = ScoredRuns.of_records(runs, [{}, {}, {}], **how)
    sentence = standings(("A", "B", "C"), scored).sentence
    assert sentence.startswith("No certain winner: A and B both score highest, F1 100.0")


def test_runs_on_other_questions_are_refused():
    other = [replace(record, query_id=f"other/{record.query_id}") for record in records("boat")]
    with pytest.raises(UsageError, match="both runs have no questions in common"):
        compared(records("boat"), other)
    with pytest.raises(UsageError, match="q0 is not the same question"):
        compared(records("boat"), records("boat", gold="a car"))
    with pytest.raises(UsageError, match="unknown score"):
        compared(records("x"), records("y"), "query_id")


def test_a_comparison_has_its_tests_and_says_them():
    first = records(*["boat"] * 8, *["car"] * 2, *["boat"] * 10)
    second = records(*["car"] * 8, *["boat"] * 2, *["boat"] * 10)
    found = compared(first, second)
    assert (found.first_better, found.second_better, found.equal) == (8, 2, 10)
    assert found.mcnemar == pytest.approx(112 / 1024)  # 2 * (1 + 10 + 45) / 2 ** 10
    assert found.over_questions == found.difference
    # sd of 8 times 1, twice -1, ten times 0: sqrt((10 - 20 * .09) / 19) = .657; error .147
    assert found.smallest == pytest.approx(0.147 * (2.093 + 0.861), rel=0.01)
    lines = format_comparison(found, NAMES)
    assert "EM: REMem-S minus BM25 = +30.0 points (higher is better)" in lines[0]
    assert lines[1] == "REMem-S better on 8, BM25 on 2, equal on 10"
    assert "b = 8, c = 2, two-sided p = 0.1094" in lines[2]
    assert lines[3].endswith(": 43.4 points")


def test_both_ps_are_said_that_of_the_comparison_alone_and_those_of_tables():
    found = compared(records(*["boat"] * 9), records(*["car"] * 9))
    first, second, *_ = format_comparison(found, NAMES, [TableTest("offline", "Chats", 8, 0.0312)])
    assert first.endswith("p = 0.0039 (paired bootstrap, for this comparison only)")  # 2 ** -8
    assert second.startswith("p = 0.0312 ")
    assert "8 comparisons of EM in table offline, block 'Chats'" in second


def test_questions_of_one_history_are_compared_as_questions_and_it_says_so():
    clustered = replace(CONVENTION, bootstrap_unit="clusters", resamples=999)
    first, second = (
        [replace(item, gold=replace(item.gold, group="h")) for item in side]
        for side in (records(*["boat"] * 3, *["car"] * 3), records(*["car"] * 4, "boat", "car"))
    )
    found = compared(first, second, convention=clustered)
    assert found.difference.low < found.difference.mean < found.difference.high
    lines = format_comparison(found, NAMES)
    assert "(6 questions in 1 cluster)" in lines[0] and "†" in lines[0]
    assert not any(line.startswith("over single questions") for line in lines)
    assert lines[-1].startswith("† Caution: the questions behind this interval come from one")
    one = format_comparison(compared(records("boat"), records("car")), NAMES)[0]
    assert "+100.0 points" in one and "no interval and no p" in one


def test_a_score_between_0_and_1_has_no_mcnemar_and_clusters_have_both_intervals():
    first, second = records("boat", "red boat", "car"), records("car", "boat", "car")
    clustered = replace(CONVENTION, bootstrap_unit="clusters")
    found = compared(first, second, "f1", convention=clustered)
    assert found.mcnemar is None
    assert not any("McNemar" in line for line in format_comparison(found, NAMES))
    assert found.difference.clusters == 3
    assert found.over_questions.clusters is None
    lines = format_comparison(found, NAMES)
    assert lines[1].startswith("over single questions")
    assert lines[-2].startswith("Caution: intervals over fewer than 20 clusters")
    assert lines[-1].startswith("If an interval and p (or its star) disagree, believe p: ")


def test_a_score_in_which_neither_direction_is_better_is_higher_not_better():
    refusal = "no information available"
    found = compared(records(refusal, "boat"), records("boat", "boat"), "refused")
    assert found.mcnemar == 1.0  # one question differs: either way is as likely
    assert "REMem-S higher on 1, BM25 on 0, equal on 1" in format_comparison(found, NAMES)


COLUMNS = (ScoreColumn("F1", "f1"), ScoreColumn("F1 of 2", "f1", "2"), ScoreColumn("EM", "em"))


def cell_with(p_value: float | None) -> Cell:
    return Cell(ours=Value(50.0, 40.0, 60.0, 60, 20, percent=True, p_value=p_value))


def table_row(name: str, *p_values: float | None) -> Row:
    return Row(name, tuple(map(cell_with, p_values)), answered=60, total=60, run=f"runs/d/{name}/m")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    rows = (
        table_row("a", None, None, None),
        table_row("b", 0.01, 0.02, 0.03),
        table_row("c", 0.04, 0.05, 0.06),
    )
    blocks = (Block("One", COLUMNS, rows, ()), Block("Two", COLUMNS, rows[::-1][:1], ()))
    write_files(Table("mine", "T", blocks), tmp_path / "tables/mine")
    (tmp_path / "tables/of_the_paper").mkdir()
    (tmp_path / "tables/of_the_paper/x.csv").write_text("table,block,row\nx,paper,A\n")
    return tmp_path


def found_in(
    results: Path, first: str, second: str, category: str | None = None
) -> list[TableTest]:
    folders = (results / f"runs/d/{name}/m" for name in (first, second))
    return list(table_tests(*folders, score="f1", category=category))


def test_a_pair_with_the_first_row_has_its_p_and_the_size_of_its_family(results: Path) -> None:
    assert found_in(results, "a", "b") == [TableTest("mine", "One", 4, 0.01)]
    assert found_in(results, "c", "a") == [TableTest("mine", "One", 4, 0.04)]
    assert found_in(results, "a", "c", "2") == [TableTest("mine", "One", 4, 0.05)]


def test_a_pair_that_no_table_compares_has_none(results: Path) -> None:
    assert found_in(results, "b", "c") == []
    assert found_in(results, "a", "a") == []
    assert found_in(results, "a", "b", "3") == []
    assert list(table_tests(Path("/"), Path("/x"), score="f1", category=None)) == []
