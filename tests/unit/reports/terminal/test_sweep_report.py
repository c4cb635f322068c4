"""The final output of a sweep in a terminal: the table fits, and failures are readable."""

from io import StringIO

from rich.console import Console

from remem.reports.terminal.sweep_report import ending, show_sweep
from remem.run.sweep_jobs import Job
from remem.tables.sweep_table import SweepBlock, SweepCell, SweepRow, SweepTable
from remem.tables.table import Value

MEAN = Value(31.7, 30.0, 33.0, 40, 10, percent=True)
GAP = Value(-2.5, -4.0, -1.0, 40, 10, percent=True, p_value=0.01)


def shown(width: int) -> list[str]:
    first = SweepRow(Job(0, (), "done"), "whole method", "", "40", (SweepCell(MEAN),) * 3)
    other = SweepRow(Job(1, (), "done"), "no [gists]", "", "40", (SweepCell(MEAN, GAP),) * 3)
    bad = SweepRow(Job(2, (), "failed"), "no facts", "failed: \x1b[2J", "", (None,) * 3)
    block = SweepBlock("", ("F1", "EM", "recall@10"), (first, other, bad), ("a note",), "No winner")
    console = Console(file=StringIO(), width=width)
    console.print(show_sweep(SweepTable("Sweep over ablation", (block,))))
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_row_has_the_mean_the_difference_with_its_star_and_the_interval_below() -> None:
    lines = shown(100)
    assert lines[1] == "Sweep over ablation (n = 40)"
    assert lines[2] == "No winner"
    assert lines[3].split() == ["Job", "F1", "EM", "recall@10"]
    assert lines[5].split() == ["whole", "method", "31.7", "31.7", "31.7"]
    assert lines[6].split() == ["no", "[gists]", *["31.7", "-2.5*"] * 3]
    assert lines[7].split() == ["[-4.0,", "-1.0]"] * 3
    assert lines[8].split() == ["no", "facts", "-", "-", "-"]
    assert "a note" in lines


def test_only_what_failed_is_listed_below_a_heading() -> None:
    done = Job(0, ("method=remem_s",), "done")
    failed = Job(1, ("method=bm25_messages",), "failed", error="no such model")
    assert list(ending([done, done])) == ["2 of 2 jobs are done"]
    assert list(ending([done, failed], 3)) == [
        "1 of 3 jobs are done",
        "Failed:",
        "remem run method=bm25_messages\n  no such model",
        "1 job was not started; run the same command",
    ]


def test_a_narrow_terminal_shows_the_other_scores_below_the_first_ones() -> None:
    lines = shown(45)
    headings = [line.split() for line in lines if line.startswith("Job")]
    assert headings == [["Job", "F1", "EM"], ["Job", "recall@10"]]
    assert max(map(len, lines)) <= 45
