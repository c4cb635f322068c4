"""A ledger limits the spending of all models, starts and processes, even after a kill."""

import math
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.errors import BudgetReachedError, LedgerError
from remem.files.live_process import Process
from remem.llm.budget import Budget, Price
from remem.llm.ledger import ELSEWHERE_SECONDS, Ledger, balance
from remem.types import Usage

CENT_A_TOKEN = Price(10_000.0, 10_000.0)
ELSEWHERE = Process("elsewhere", 1, "")


def tokens(count: int) -> Usage:
    return Usage(1, count, 0)


def budget(path: Path, dollars: float, price: Price = CENT_A_TOKEN) -> Budget:
    """Return the budget of a new start, or of another model."""
    return Budget(dollars, price, Ledger(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "ledger.sqlite"


CALLS = """
import sys
from pathlib import Path
from remem.llm.budget import Budget, BudgetReachedError
from remem.llm.ledger import Ledger
from remem.llm.budget import Price
from remem.types import Usage

budget = Budget(float(sys.argv[2]), Price(10_000.0, 10_000.0), Ledger(Path(sys.argv[1])))
costs = [int(cost) for cost in sys.argv[3:]]
print("ready", flush=True)
sys.stdin.readline()
calls = 0
try:
    while True:
        reserved = budget.reserve(Usage(1, 9, 0))
        budget.settle(reserved, Usage(1, costs[calls % len(costs)], 0))
        calls += 1
except BudgetReachedError:
    print(calls)
"""
ONE_CALL = f"{CALLS.partition('calls = 0')[0]}budget.reserve(Usage(1, 9, 0))\nprint('sent')\n"


@contextmanager
def processes(code: str, path: Path, *arguments: Sequence[str]) -> Iterator[list[subprocess.Popen]]:
    """Start processes that have opened the ledger; each waits for a line on its stdin."""
    started = [
        subprocess.Popen(
            [sys.executable, "-u", "-c", code, str(path), *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for own in arguments
    ]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def go_on(process: subprocess.Popen) -> str:
    """Let a process continue, and return its next line."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 12)), max_size=30),
    st.integers(0, 40),
)
@settings(max_examples=15, deadline=None)
def test_a_ledger_admits_what_a_sum_admits(steps: list[tuple[int, int, int]], limit: int) -> None:
    """Each step settles the process's open call, or else reserves a new one; costs are in cents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.sqlite"
        ledgers = [Ledger(path, Process(f"host{name}", 1, ""), lambda: 0.0) for name in range(3)]
        settled, in_flight = 0, dict[int, int]()
        for name, most, cost in steps:
            if name in in_flight:
                ledgers[name].settle(in_flight.pop(name) / 100, cost / 100)
                settled += cost
                continue
            shortage = ledgers[name].reserve(most / 100, limit / 100)
            assert (shortage is None) == (settled + sum(in_flight.values()) + most <= limit)
            if shortage is None:
                in_flight[name] = most
            else:
                assert shortage.may_end == (settled + most <= limit)
        assert ledgers[0].spent == settled / 100


def test_models_with_prices_of_their_own_and_later_starts_share_the_limit(path: Path) -> None:
    first, second = budget(path, 1.0), budget(path, 1.0, Price(100_000.0, 0.0))
    first.settle(first.reserve(tokens(30)), tokens(30))
    second.settle(second.reserve(tokens(6)), tokens(6))
    assert balance(path).dollars == pytest.approx(0.9)
    with pytest.raises(BudgetReachedError):
        second.reserve(tokens(2))
    told = r"of \$1\.00 is reached: \$0\.90 are spent and the next call may cost .*_dollars=\d"
    with pytest.raises(BudgetReachedError, match=told):
        budget(path, 1.0).reserve(tokens(11))
    assert budget(path, 2.0).reserve(tokens(11)) == pytest.approx(0.11)


def test_without_a_limit_what_is_spent_is_charged_all_the_same(path: Path) -> None:
    one = budget(path, math.inf)
    one.settle(one.reserve(tokens(500)), tokens(400))
    assert balance(path).dollars == 4.0


def test_many_small_amounts_have_an_exact_sum(path: Path) -> None:
    one = budget(path, 1.0, Price(0.1, 0.0))
    for _ in range(100):
        one.settle(one.reserve(tokens(9)), tokens(7))
    assert balance(path).dollars == 0.00007


def test_a_call_waits_for_those_of_others_and_says_so_once(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere, one = Ledger(path, ELSEWHERE), budget(path, 0.1)
    assert elsewhere.reserve(0.09, 0.1) is None
    waiting = threading.Thread(target=lambda: one.settle(one.reserve(tokens(8)), tokens(1)))
    waiting.start()
    waiting.join(timeout=0.25)
    assert waiting.is_alive()
    elsewhere.settle(0.09, 0.02)
    waiting.join(timeout=10)
    assert balance(path).dollars == 0.03
    (said,) = caplog.messages
    assert said.endswith(
        "calls of other processes reserve the rest of the budget of $0.10; waiting until they end"
    )


def test_a_reservation_of_another_host_is_not_waited_for_without_end(path: Path) -> None:
    Ledger(path, ELSEWHERE, lambda: 100.0).reserve(0.09, 0.1)
    for later, may_end in ((1.0, True), (ELSEWHERE_SECONDS, False)):
        here = Ledger(path, now=lambda at=100.0 + later: at)
        shortage = here.reserve(0.02, 0.1)
        assert shortage is not None and shortage.may_end == may_end
    assert here.spent == 0.09


def test_processes_together_do_not_pass_the_limit(path: Path) -> None:
    costs = [3, 9, 1, 5]
    two = [("5.00", *map(str, costs))] * 2
    with processes(CALLS, path, *two) as started, ThreadPoolExecutor(2) as pool:
        calls = list(map(int, pool.map(go_on, started)))
    total = sum(costs[call % len(costs)] for made in calls for call in range(made))
    assert 500 - 9 < total <= 500
    assert balance(path).dollars == total / 100


def test_a_killed_process_leaves_the_most_that_its_call_could_cost(path: Path) -> None:
    with processes(ONE_CALL, path, ("0.20",)) as (killed,):
        assert go_on(killed) == "sent\n"
        assert balance(path).dollars == 0.0
        killed.kill()
        killed.wait()
    assert (balance(path).dollars, balance(path).lost_calls) == (0.09, 1)
    one = budget(path, 0.20)
    with pytest.raises(
        BudgetReachedError,
        match=r"\$0\.09 are spent \(\$0\.09 of it for 1 calls? of killed processes, at the most "
        r"that they could cost\) and the next call may cost \$0\.12;",
    ):
        one.reserve(tokens(12))
    one.settle(one.reserve(tokens(11)), tokens(1))
    assert balance(path).dollars == 0.10


def test_a_file_that_does_not_exist_or_is_empty_has_spent_nothing(path: Path) -> None:
    assert balance(path).dollars == 0.0
    assert not path.parent.exists()
    path.parent.mkdir()
    path.touch()
    assert balance(path).dollars == 0.0
    assert budget(path, 1.0).reserve(tokens(9)) == 0.09


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE spent (nano_dollars INTEGER)")


@pytest.mark.parametrize(
    "make", [lambda path: path.write_text("my notes"), other_database], ids=["text", "database"]
)
def test_another_file_is_refused_and_left_as_it_is(tmp_path: Path, make: object) -> None:
    path = tmp_path / "mine"
    assert callable(make)
    make(path)
    content = path.read_bytes()
    for use in (Ledger, balance):
        with pytest.raises(
            LedgerError, match=r"mine is not a ledger of remem, and is left unchanged"
        ):
            use(path)
    assert path.read_bytes() == content


def test_a_folder_and_a_damaged_ledger_are_told(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"cannot be used: it is a folder; .* llm\.build\.ledger"):
        Ledger(tmp_path)
    path = tmp_path / "ledger.sqlite"
    del [Ledger(path)][0]
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8000)
    for use in (Ledger, balance):
        with pytest.raises(LedgerError, match=r"if it is damaged, choose a new file with llm\.bui"):
            use(path)
