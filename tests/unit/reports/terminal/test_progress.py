"""Long work is shown in one live view in a terminal, and in one line for each row elsewhere."""

from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from remem.llm.budget import Price
from remem.reports.terminal.progress import ProgressView
from remem.run.progress import Progress
from remem.types import Usage

PRICE = Price(2.0, 10.0)
"""Dollars of a million tokens: in, out."""


def ticking(*seconds: float) -> Callable[[], float]:
    """Return a clock that shows the given seconds in turn, and then the last one forever."""
    times = list(seconds)
    return lambda: times.pop(0) if len(times) > 1 else times[0]


def piped() -> Console:
    return Console(file=StringIO(), width=60)


def printed(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_pipe_gets_one_line_for_each_row_whatever_the_number_of_questions() -> None:
    console = piped()
    view = ProgressView(console, 2, ticking(0, 0, 65, 65, 65))
    with view("locomo: BM25 [dense]", None) as show:
        for done in range(1001):
            show(Progress(done, 1000, min(done, 10), 10))
    with view("locomo: Oracle", None) as show:
        show(Progress(1000, 1000))
    assert printed(console).splitlines() == [
        "[1/2] locomo: BM25 [dense]: 1,000 questions, 0:01:05",
        "[2/2] locomo: Oracle: 1,000 questions, 1,000 already answered, 0:00:00",
    ]


def test_the_line_of_a_row_has_its_failures_calls_tokens_and_dollars() -> None:
    console = piped()
    view = ProgressView(console, 1, ticking(0, 0, 7200))
    with view("REMem-S", PRICE) as show:
        show(Progress(2, 8))
        show(Progress(8, 8, failed=1, usage=Usage(12, 1_500_000, 20_000)))
    assert printed(console).splitlines() == [
        "REMem-S: 8 questions, 2 already answered, 1 failed, 2:00:00, 12 calls, "
        "1,500,000 tokens in, 20,000 out, $3.20"
    ]


def test_no_dollars_are_shown_if_the_price_is_unknown() -> None:
    console = piped()
    with ProgressView(console, None, ticking(0))("a local model", None) as show:
        show(Progress(0, 1))
        show(Progress(1, 1, usage=Usage(1, 5, 5)))
    assert printed(console).splitlines() == [
        "[1] a local model: 1 question, 0:00:00, 1 call, 5 tokens in, 5 out"
    ]


def live(view: ProgressView, console: Console, *rows: Progress) -> str:
    """Show the first and one later progress of each row; return what was printed."""
    for progress in rows:
        with view("tiny: BM25", PRICE) as show:
            show(Progress(0, progress.questions))
            show(progress)
    return printed(console)


class Screen(StringIO):
    """Collects what is sent to a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(width: int = 100, kind: str = "xterm") -> Console:
    return Console(file=Screen(), width=width, _environ={"TERM": kind})


def test_a_terminal_gets_rows_questions_rate_cost_and_the_time_left() -> None:
    console = terminal()
    # 10 s for the 4 questions of the first row, 5 s for 2 of the second: 2 are left, and a third
    # row of 4, at 6 questions in 15 s.
    view = ProgressView(console, 3, ticking(0, 0, 10, 10, 10, 15))
    usage = Usage(2, 500_000, 0)
    shown = live(view, console, Progress(4, 4, usage=usage), Progress(2, 4, 1, 3, 1, usage))
    assert "[2/3] tiny: BM25" in shown
    assert "2 of 4 questions · 1 of 3 histories indexed · 1 failed" in shown
    assert (
        "0:00:15 so far · about 0:00:15 left · 0.4 a second · 4 calls · 1,000,000 tokens in · "
        "0 out · $2.00" in shown
    )


def test_a_sweep_says_which_job_of_how_many_and_the_time_left_of_the_whole_sweep() -> None:
    console = terminal()
    # 10 s for the 4 questions of the first job: 3 more jobs are as long, and 2 of 4 are done of the
    # second, at 6 questions in 15 s: 2 + 4 + 4 are left.
    view = ProgressView(console, 4, ticking(0, 0, 10, 15), whole="of the sweep")
    shown = live(view, console, Progress(4, 4), Progress(2, 4))
    assert "[2/4] tiny: BM25" in shown
    assert "0:00:15 so far · about 0:00:25 left of the sweep · 0.4 a second" in shown


def test_in_a_file_each_job_but_the_last_says_the_time_left_of_the_sweep() -> None:
    console = piped()
    view = ProgressView(console, 2, ticking(0, 0, 8, 8, 8, 16), whole="of the sweep")
    for number in (1, 2):
        with view("BM25", None, number) as show:
            show(Progress(0, 4))
            show(Progress(4, 4))
    assert printed(console).splitlines() == [
        "[1/2] BM25: 4 questions, 0:00:08, about 0:00:08 left of the sweep",
        "[2/2] BM25: 4 questions, 0:00:08",
    ]


def test_a_job_that_fails_counts_its_answers_and_keeps_the_numbers_of_the_others() -> None:
    console = piped()
    view = ProgressView(console, 3, ticking(0, 0, 8, 8, 8, 8), whole="of the sweep")
    with pytest.raises(ValueError, match="no"), view("BM25", None, 1) as show:
        show(Progress(0, 4))
        show(Progress(2, 4))
        raise ValueError("no")
    with view("BM25", None, 3) as show:
        show(Progress(0, 4))
        show(Progress(4, 4))
    assert printed(console).startswith("[3/3] BM25: 4 questions")


def test_a_job_next_to_others_has_a_line_at_its_end_and_no_estimate() -> None:
    console = terminal()
    view = ProgressView(console, 3, ticking(0, 0, 8), whole="of the sweep", alone=False)
    with view("BM25", None, 2) as show:
        show(Progress(0, 4))
        show(Progress(4, 4))
    assert printed(console) == "[2/3] BM25: 4 questions, 0:00:08\n"


def test_the_view_does_not_wrap_in_a_narrow_terminal_and_is_gone_at_the_end() -> None:
    console = terminal(width=40)
    label = "a label that is much longer than the terminal is wide"
    with ProgressView(console, 1)(label, None) as show:
        show(Progress(1, 2))
    lines = printed(console).replace("\r", "\n").splitlines()
    assert any("a label that is" in line and "…" in line for line in lines)
    assert lines[-1].endswith("\x1b[2K")  # the last act is to clear the line


def test_a_terminal_that_cannot_move_its_cursor_gets_the_line_of_a_pipe() -> None:
    console = terminal(kind="dumb")
    with ProgressView(console, 1, ticking(0))("BM25", None) as show:
        show(Progress(0, 2))
        show(Progress(2, 2))
    assert printed(console) == "BM25: 2 questions, 0:00:00\n"


def test_the_time_left_is_unknown_until_a_question_of_this_start_is_answered() -> None:
    console = terminal()
    with ProgressView(console, 1)("resumed", None) as show:
        show(Progress(3, 4))
    assert "left" not in printed(console)
