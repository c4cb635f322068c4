"""`remem table` writes a page beside its files; `remem table cases` shows the worked examples."""

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.cli import main as cli

Ended = tuple[int, str, str]


@pytest.fixture
def remem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Call the command with results of its own and without data."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("REMEM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("REMEM_RESULTS", str(tmp_path / "results"))

    def call(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["remem", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return call


def test_a_table_of_the_paper_has_a_page(tmp_path: Path, remem: Callable[..., Ended]) -> None:
    code, out, _ = remem("table", "refusal")
    page = tmp_path / "results" / "tables" / "refusal" / "report.html"
    assert code == 0
    assert str(page) in out.replace("\n", "")
    assert "REMem, paper: 64.0" in page.read_text(encoding="utf-8")


def test_the_cases_are_shown_without_data_by_their_ids(
    tmp_path: Path, remem: Callable[..., Ended]
) -> None:
    code, out, _ = remem("table", "cases")
    assert code == 0
    assert "locomo, question conv-43/q156" in out and "no data of locomo at hand" in out
    with (tmp_path / "results" / "tables" / "cases" / "cases.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    q3 = [(line["method"], line["text"]) for line in lines if line["block"].startswith("Q3:")]
    assert q3 == [
        ("NV-Embed-v2", "3 months"),
        ("NV-Embed-v2", "right"),
        ("NV-Embed-v2", "(not run)"),
        ("REMem", "1 month"),
        ("REMem", "wrong"),
        ("REMem", "(not run)"),
    ]


def test_the_cases_are_not_run_and_have_no_rows_of_ones_own(remem: Callable[..., Ended]) -> None:
    assert remem("table", "cases", "--models")[0] == 2
    assert remem("table", "cases", "--rows", "+bm25_messages")[0] == 2
