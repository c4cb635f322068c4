"""Progress is a few plain lines where there is no terminal, a bar where there is one."""

from io import StringIO

from rich.console import Console

from remem.reports.terminal.progress import show_progress


def lines(*done: int, total: int) -> list[str]:
    console = Console(file=StringIO(), width=80)
    with show_progress(console, "[1/9] tiny: BM25") as show:
        for count in done:
            show(count, total)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_a_log_gets_a_line_at_the_start_and_at_each_quarter() -> None:
    shown = lines(*range(101), total=100)
    assert shown == [f"[1/9] tiny: BM25: {done} of 100 questions" for done in (0, 25, 50, 75, 100)]


def test_a_resumed_run_starts_with_what_is_done() -> None:
    assert lines(60, 61, 100, total=100) == [
        "[1/9] tiny: BM25: 60 of 100 questions",
        "[1/9] tiny: BM25: 100 of 100 questions",
    ]


def test_a_run_without_questions_says_so_once() -> None:
    assert lines(0, 0, total=0) == ["[1/9] tiny: BM25: 0 of 0 questions"]


def test_a_terminal_gets_a_bar_with_the_counts() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=80)
    with show_progress(console, "tiny: BM25") as show:
        show(3, 4)
    assert isinstance(console.file, StringIO)
    assert "3/4" in console.file.getvalue()
