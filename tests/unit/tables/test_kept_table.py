"""A finished table is shown as it was stored, until something that it depends on changes."""

from pathlib import Path

import pytest

from remem.metrics.columns import ScoreColumn
from remem.tables.kept_table import TableKeeper, is_kept
from remem.tables.table import Block, Cell, Row, Table, Value

ROW = Row(
    "A", (Cell(ours=Value(50.0, 25.0, 80.0, 3, 2, percent=True, p_value=0.01)), None), run="a/b"
)
TABLE = Table("t", "T", (Block("B", (ScoreColumn("F1", "f1"), ScoreColumn("EM", "em")), (ROW,)),))
RUNS = ("runs/d/m/finished", "runs/d/m/absent")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / RUNS[0]
    folder.mkdir(parents=True)
    (folder / "records.jsonl").write_text("one record\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "chats.json").write_text("[]")
    (tmp_path / "page.html").write_text("page")
    return tmp_path


def keeper(results: Path, request: object = ("t", ())) -> TableKeeper:
    return TableKeeper.of(request, (results / "data", results / "none"), results, "t")


def keep(results: Path) -> None:
    keeper(results).keep(TABLE, (), RUNS, (results / "page.html",))


def test_a_kept_table_is_the_table(results: Path) -> None:
    keep(results)
    kept = keeper(results).read()
    assert kept is not None
    assert (kept.table, kept.costs) == (TABLE, ())
    assert kept.files_in(results) == (results / "page.html",)
    (results / "page.html").write_text("other")  # a changed file is written again
    assert kept.files_in(results) == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"{RUNS[0]}/records.jsonl", "one Record\n"),
        (f"{RUNS[1]}/records.jsonl", "a run that was not there"),
        ("data/more.json", "[]"),
        ("cache/tables/t.json", "{"),
    ],
)
def test_any_change_of_what_it_comes_from_makes_it_anew(
    results: Path, path: str, text: str
) -> None:
    keep(results)
    (results / path).parent.mkdir(parents=True, exist_ok=True)
    (results / path).write_text(text)
    assert keeper(results).read() is None


def test_other_overrides_or_another_setting_are_another_table(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(results)
    assert keeper(results, ("t", ("convention.score.f1=strict",))).read() is None
    monkeypatch.setenv("REMEM_SOMETHING", "else")
    assert keeper(results).read() is None


def test_a_table_that_code_of_the_user_makes_is_not_kept() -> None:
    assert is_kept(["run.limit=2", "convention.score.f1=strict"])
    assert not is_kept(["run.packages=[mine]"])
    assert not is_kept(["+score=[mine]"])
    assert not is_kept(["hydra.searchpath=[file:///home/me/conf]"])
    assert not is_kept(["llm.build.prices=my/prices.csv"])
    assert is_kept(["paths.results=/tmp/results"])
