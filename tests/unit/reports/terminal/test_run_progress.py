"""The progress of a run: indexes, questions, the rate and the cost so far."""

from io import StringIO

import pytest
from rich.console import Console

from remem.reports.terminal import run_progress
from remem.reports.terminal.run_progress import show_run
from remem.types import Usage


def test_a_log_tells_histories_quarters_rate_and_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((100.0, 102.0, 104.0, 106.0, 108.0))
    monkeypatch.setattr(run_progress.time, "monotonic", lambda: next(clock))
    console = Console(file=StringIO(), width=90)
    with show_run(console, "BM25", lambda usage: usage.prompt_tokens / 1000) as shown:
        shown.indexed(0, 1)
        shown.taken(Usage(1, 250, 0))
        shown.indexed(1, 1)
        for done in range(9):
            shown.answered(done, 8)
            shown.taken(Usage(1, 500, 0))
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().splitlines() == [
        "BM25: 0 of 1 histories indexed, $0.00",
        "BM25: 1 of 1 histories indexed, $0.25",
        "BM25: 0 of 8 questions, $0.25",
        "BM25: 2 of 8 questions, 1.0 a second, $1.25",
        "BM25: 4 of 8 questions, 1.0 a second, $2.25",
        "BM25: 6 of 8 questions, 1.0 a second, $3.25",
        "BM25: 8 of 8 questions, 1.0 a second, $4.25",
    ]


def test_a_terminal_gets_a_bar_for_each_and_no_cost_where_no_price_is_known() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=120)
    with show_run(console, "REMem-S", lambda usage: None) as shown:
        shown.indexed(1, 3)
        shown.answered(3, 4)
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert "1/3" in said
    assert "3/4" in said
    assert "$" not in said
