import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from remem.bundle.differences import first_file_difference
from remem.bundle.layout import PackedTable
from remem.bundle.pack import pack
from remem.bundle.replay import replay
from remem.bundle.tables import (
    WantedTable,
    check_table,
    lay_out,
    packed_table,
)
from remem.errors import UsageError, VerificationFailedError
from remem.metrics.columns import ScoreColumn
from remem.reports.html import table_files
from remem.reports.html.table_files import LEGEND, write_own_table
from remem.run.progress import no_view
from remem.tables.reproduce import reproduce
from remem.tables.table import Table
from remem.tables.table_plan import BlockPlan, RowPlan, TablePlan

OF_TABLE = ("run.limit=6", "convention.score.resamples=50")
OF_HERE = ("runner=threads", "runner.workers=2", "run.health=stop", "logger=none", "cache=use")
"""Repeated defaults and what else changes no number: a table is the same with and without."""
PLAN = TablePlan(
    "offline",
    "Two rows",
    (
        BlockPlan(
            "Dialogues",
            (
                *("dataset=generated_dialogues", "reader=extractive"),
                *("dataset.build.conversations=1", "dataset.build.sessions=4"),
            ),
            (ScoreColumn("F1", "f1"),),
            (RowPlan(("method=remem_s",)), RowPlan(("method=bm25_messages",))),
            (),
        ),
    ),
)


@dataclass(frozen=True)
class OfTable:
    """A small table with finished runs: its files, and its bundle."""

    results: Path
    files: Mapping[str, bytes]
    packed: Path


@pytest.fixture(scope="module")
def of_table(tmp_path_factory: pytest.TempPathFactory) -> OfTable:
    place = tmp_path_factory.mktemp("table")
    results = place / "results"
    changes = [*OF_TABLE, f"paths.results={results}", *OF_HERE]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("remem.bundle.tables.read_plan", lambda name: PLAN)
        made = reproduce(PLAN, changes, no_view)
        paths = write_own_table(PLAN, made.table, changes, results / "tables")
        wanted = WantedTable("offline", tuple(changes))
        packed = pack([], place / "table.remem", no_view, tables=[wanted], files=table_files)
    return OfTable(results, {path.name: path.read_bytes() for path in paths}, packed.path)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remem.bundle.tables.read_plan", lambda name: PLAN)


def test_a_table_is_packed_with_its_runs_and_comes_out_byte_for_byte(
    of_table: OfTable, tmp_path: Path
) -> None:
    found = replay(of_table.packed, tmp_path / "data", tmp_path / "out", no_view, files=table_files)
    assert [run.label for run in found.runs] == ["REMem-S on generated_dialogues", "BM25 on "
                                                 "generated_dialogues"]  # fmt: skip
    assert (found.tables[0].name, found.tables[0].not_compared) == ("offline", None)
    (folder,) = (tmp_path / "out" / "tables").iterdir()
    assert folder.name == "offline+run.limit=6+convention.score.resamples=50"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == of_table.files
    assert str(of_table.results) not in "".join(map(bytes.decode, of_table.files.values()))
    before, after = (
        sorted(path.relative_to(place).as_posix() for path in (place / "runs").glob("*/*/*"))
        for place in (of_table.results, tmp_path / "out")
    )
    assert after == before


def test_another_line_of_a_table_is_named(
    of_table: OfTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.bundle.tables.read_plan", lambda name: TablePlan(
        PLAN.name, "Another title", PLAN.blocks
    ))  # fmt: skip
    told = r"table offline: the first difference: offline\S+\.md, line 1 was .*Two rows.*Another"
    with pytest.raises(VerificationFailedError, match=told):
        replay(of_table.packed, tmp_path / "data", tmp_path / "out", no_view, files=table_files)


def test_a_run_that_this_version_would_not_look_for_is_named(
    of_table: OfTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = PLAN.blocks
    other = BlockPlan(block.title, block.overrides, block.columns, block.rows[:1], ())
    monkeypatch.setattr(
        "remem.bundle.tables.read_plan", lambda name: TablePlan(PLAN.name, PLAN.title, (other,))
    )
    with pytest.raises(VerificationFailedError, match=r"the bundle has the run runs/.*bm25"):
        replay(of_table.packed, tmp_path / "data", tmp_path / "out", no_view, files=table_files)


def test_a_table_without_runs_is_refused(tmp_path: Path) -> None:
    wanted = WantedTable("offline", (f"paths.results={tmp_path / 'none'}",))
    with pytest.raises(
        UsageError, match=r"has no runs in .*; create them with remem table offline"
    ):
        pack([], tmp_path / "no.remem", no_view, tables=[wanted], files=table_files)
    assert not (tmp_path / "no.remem").exists()


@pytest.mark.parametrize(
    "override",
    [
        "run.packages=[evil]",
        "hydra.searchpath=[file:///evil]",
        "reader.build._target_=os.system",
        "+x=1",
        "~reader",
        "method.label=${oc.env:OPENAI_API_KEY}",
        "method=/etc/passwd",
        "dataset.build.data=../../etc",
        "method.label='quoted'",
        "a",
    ],
)
def test_a_table_of_a_stranger_overrides_plain_settings_alone(
    tmp_path: Path, override: str
) -> None:
    with pytest.raises(UsageError, match="may not override"):
        lay_out(WantedTable("offline", (override,)), {}, tmp_path, table_files)


def test_an_override_of_what_one_block_chooses_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = PLAN.blocks
    other = replace(first, overrides=("dataset=generated_dialogues", "reader=typed"))
    plan = replace(PLAN, blocks=(first, other))
    monkeypatch.setattr("remem.bundle.tables.read_plan", lambda name: plan)
    overrides = ("dataset.build.conversations=2", f"paths.results={tmp_path}")
    wanted = WantedTable("offline", overrides)
    with pytest.raises(UsageError, match=f"table offline has no runs in {tmp_path}"):
        pack([], tmp_path / "x.remem", no_view, tables=[wanted], files=table_files)


def test_an_unknown_table_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown table 'x'; choose .*offline.*recollection"):
        packed_table(WantedTable("x"))


def test_the_first_line_that_differs_is_named() -> None:
    before = {"a.md": b"1\n2\n3\n", "b.csv": b"x"}
    assert first_file_difference(before, dict(before)) == ""
    now = {**before, "a.md": b"1\n2!\n3\n"}
    assert first_file_difference(before, now) == r"a.md, line 2 was '2\n', is '2!\n'"
    assert first_file_difference(before, {"b.csv": b"x"}) == "a.md exists only before"
    assert first_file_difference({"a": b"1\n"}, {"a": b"1\n2"}) == "a, line 2 was '', is '2'"
    assert first_file_difference({"a": b"1"}, {"a": b"1\n"}) == r"a, line 1 was '1', is '1\n'"


def cells(*numbers: float | None) -> bytes:
    rows = [{"cells": [n and {"ours": n, "runs": [f"runs/{at}"]}]} for at, n in enumerate(numbers)]
    return json.dumps({"rows": rows, "llm_free": []}).encode()


@pytest.mark.parametrize(
    ("now", "told"),
    [((1.0, None), ""), ((9.0, None), r"row 1, column 1 was .*1\.0.*, is .*9\.0")],
)
def test_where_a_run_is_lacking_the_other_cells_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: tuple[float | None, ...], told: str
) -> None:
    from remem.bundle import tables

    class Bundled:
        index = SimpleNamespace(
            laid_out=(PackedTable("temporal", (), ("temporal.json",), ("runs/0", "runs/1")),)
        )

        def document(self, name: str) -> bytes:
            assert name == "tables/1/1"
            return cells(1.0, 2.0)

    table = Table("temporal", "T", ())
    made = tables.MadeTable(table, {"temporal.json": cells(*now)}, ("runs/0",), 0)
    lay_out_again: Callable[..., tables.MadeTable] = lambda *_: made  # noqa: E731  a stand-in
    monkeypatch.setattr(tables, "lay_out", lay_out_again)
    places = {"results": str(tmp_path)}
    if told:
        with pytest.raises(VerificationFailedError, match=told):
            check_table(Bundled(), 1, places, ["runs/1"], table_files)  # type: ignore[arg-type]  a stand-in
    else:
        _, rest = check_table(Bundled(), 1, places, ["runs/1"], table_files)  # type: ignore[arg-type]  a stand-in
        assert str(rest) == "the same except for 1 cells whose run is missing here"


def test_the_files_of_a_table_are_entries_except_for_its_page(of_table: OfTable) -> None:
    with ZipFile(of_table.packed) as archive:
        contents = [archive.read(f"tables/1/{at}") for at in range(1, 4)]
        assert "tables/1/4" not in archive.namelist()
    files = {name: content for name, content in of_table.files.items() if name != "report.html"}
    assert contents == [*files.values()]


def test_a_page_that_another_version_drew_is_not_compared(
    of_table: OfTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:  # earlier versions packed the page
        patch.setattr("remem.bundle.tables.is_compared", lambda name: True)
        wanted = WantedTable("offline", (*OF_TABLE, f"paths.results={of_table.results}", *OF_HERE))
        old = pack([], tmp_path / "old.remem", no_view, tables=[wanted], files=table_files).path
    monkeypatch.setattr(
        "remem.reports.html.table_files.LEGEND", dict.fromkeys(LEGEND, "drawn anew")
    )
    table = replay(old, tmp_path / "data", tmp_path / "out", no_view, files=table_files).tables[0]
    assert table.not_compared is None
    assert "report.html" not in table.files
