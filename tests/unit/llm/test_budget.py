"""The budget reserves each call's highest possible cost; prices, and lists that are wrong."""

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import BudgetReachedError
from remem.llm.budget import Budget, Price, read_price, read_prices
from remem.llm.ledger import Ledger
from remem.types import Usage

DOLLAR_A_TOKEN = Price(1_000_000.0, 1_000_000.0)


def tokens(count: int) -> Usage:
    return Usage(1, count, 0)


Make = Callable[[float], Budget]


@pytest.fixture(params=["own", "shared"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Return a function that makes a budget of some dollars, with or without a ledger file."""
    ledger = Ledger(tmp_path / "ledger.sqlite") if request.param == "shared" else None
    return lambda dollars: Budget(dollars, DOLLAR_A_TOKEN, ledger)


def test_what_was_reserved_and_not_used_is_free_again() -> None:
    budget = Budget(10.0, DOLLAR_A_TOKEN)
    for _ in range(3):
        budget.settle(budget.reserve(tokens(8)), tokens(1))
    assert budget.spent == 3
    told = r"\$10\.0000 is reached: \$3\.0000 are spent.*set llm\.build\.budget_dollars=<dollars>"
    with pytest.raises(BudgetReachedError, match=told):
        budget.reserve(tokens(8))
    assert budget.reserve(tokens(7)) == 7


def test_a_reply_that_reports_no_usage_costs_what_was_reserved_and_it_is_said_once(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    budget = make(10.0)
    for _ in range(2):
        budget.settle(budget.reserve(tokens(4)), Usage(1, 0, 0))
    assert budget.spent == 8
    assert [record.message.partition(",")[0] for record in caplog.records] == [
        "a reply reports no token usage"
    ]
    budget.settle(budget.reserve(tokens(1)), Usage(1, 0, 1))  # what was written was counted alone
    with pytest.raises(BudgetReachedError, match=r"\$9\.00\d* are spent"):
        budget.reserve(tokens(2))


def test_a_budget_of_nothing_allows_only_what_is_free() -> None:
    assert Budget(0.0, Price(0.0, 0.0)).reserve(tokens(5)) == 0
    with pytest.raises(BudgetReachedError):
        Budget(0.0, DOLLAR_A_TOKEN).reserve(tokens(1))


@pytest.mark.parametrize("dollars", [-1.0, math.nan])
def test_a_budget_that_is_none_is_refused(dollars: float) -> None:
    with pytest.raises(ValueError, match="expected at least 0"):
        Budget(dollars, DOLLAR_A_TOKEN)


def test_what_calls_in_flight_may_cost_leaves_no_room_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budget = Budget(10.0, DOLLAR_A_TOKEN)
    budget.settle(budget.reserve(tokens(1)), tokens(1))  # the first call goes alone in any case
    first = budget.reserve(tokens(6))
    waits: list[object] = []

    def first_ends(condition: object) -> None:
        waits.append(condition)
        budget.settle(first, tokens(6))

    monkeypatch.setattr(threading.Condition, "wait", first_ends)
    with pytest.raises(BudgetReachedError, match=r"\$7\.0000 are spent"):
        budget.reserve(tokens(6))  # 1 + 6 + 6 > 10: it waits for the call of 6, which costs all
    assert len(waits) == 1


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=20), st.integers(0, 99))
def test_no_series_of_calls_spends_more_than_the_limit(
    calls: list[tuple[int, int]], limit: int
) -> None:
    budget = Budget(limit / 3, Price(1e6 / 3, 1e6 / 7))
    for one, other in calls:
        most, used = max(one, other), min(one, other)
        try:
            budget.settle(budget.reserve(tokens(most)), tokens(used))
        except BudgetReachedError:
            break
        assert budget.spent <= limit / 3 + 1e-9


def spent_by(threads: int, budget: Budget, costs: int) -> int:
    """Return how many calls of at most 1 dollar the threads make until the budget stops them."""
    together = threading.Barrier(threads, timeout=0.2)

    def calls(_: int) -> int:
        made = 0
        while made < 100:
            try:
                reserved = budget.reserve(tokens(1))
            except BudgetReachedError:
                return made
            with suppress(threading.BrokenBarrierError):
                together.wait()  # where all may be in flight at once, they are
            budget.settle(reserved, tokens(costs))
            made += 1
        return made

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(calls, range(threads)))


def test_an_endpoint_that_bills_more_than_allowed_passes_the_budget_by_one_call_at_most(
    make: Make,
) -> None:
    budget = make(8.0)
    assert (spent_by(8, budget, costs=50), budget.spent) == (1, 50.0)
    with pytest.raises(BudgetReachedError, match=r"\$50\.00\d* are spent"):
        budget.reserve(tokens(1))


def test_what_an_endpoint_has_billed_is_reserved_for_each_next_call(make: Make) -> None:
    budget = make(100.0)
    # 9 calls of 11 dollars make 99: a tenth would need 11 more.
    assert (spent_by(8, budget, costs=11), budget.spent) == (9, 99.0)


def test_an_endpoint_that_begins_to_bill_more_is_sent_one_call_at_a_time(make: Make) -> None:
    budget = make(100.0)
    budget.settle(budget.reserve(tokens(1)), tokens(1))
    first, second = budget.reserve(tokens(1)), budget.reserve(tokens(1))
    budget.settle(first, tokens(10))
    waiting = threading.Thread(target=lambda: budget.settle(budget.reserve(tokens(1)), tokens(1)))
    waiting.start()
    waiting.join(timeout=0.2)
    assert waiting.is_alive()
    budget.settle(second, tokens(1))
    waiting.join(timeout=10)
    assert not waiting.is_alive()


def test_several_paid_tries_of_one_call_are_no_breach(make: Make) -> None:
    budget = make(100.0)
    budget.settle(budget.reserve(tokens(1)), Usage(3, 3, 0))
    assert (budget.reserve(tokens(1)), budget.reserve(tokens(1))) == (3, 3)


LIST = "2026-11-21"


@pytest.mark.parametrize(
    ("millions_in", "millions_out", "dollars"),
    [
        (1.19, 0.17, 0.75),  # NV-Embed-v2: inference alone
        (0.90 + 18.10, 0.72 + 0.79, 10.02),  # REMem-I: indexing and inference
        (0.90 + 1.83, 0.72 + 0.18, 2.53),  # REMem-S
    ],
)
def test_the_tokens_of_the_paper_cost_its_dollars(
    millions_in: float, millions_out: float, dollars: float
) -> None:
    usage = Usage(1986, round(millions_in * 1e6), round(millions_out * 1e6))
    price = read_price(LIST, "gpt-4.1-mini-2025-04-14")
    assert round(price.dollars(usage), 2) == dollars


def test_every_price_has_a_source_and_a_date() -> None:
    prices = read_prices(LIST)
    assert {"gpt-4.1-mini-2025-04-14", "gpt-5-chat", "gpt-5-chat-latest"} <= set(prices)
    assert all(price.source and len(price.date) == 10 for price in prices.values())
    assert not prices["gpt-5-chat"].verified


def test_a_list_of_ones_own_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("local:\n  input: 0\n  output: 2.5\n")
    assert read_price(str(path), "local") == Price(0.0, 2.5)


def test_an_unknown_model_names_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"no price for 'gpt-9', only for gpt-4\.1-mini"):
        read_price(LIST, "gpt-9")


def test_an_unknown_list_names_those_that_there_are() -> None:
    with pytest.raises(FileNotFoundError, match=r"1999\.yaml; choose one of .*2026-11-21"):
        read_prices("1999")


def test_a_list_that_is_none_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("local:\n  input: cheap\n  output: 1\n")
    with pytest.raises(ValueError, match=r"mine\.yaml: local\.input: .*number"):
        read_prices(str(path))
