"""The chat model: what it sends, what it takes from the store, and what a budget stops."""

import json
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from remem.errors import (
    BudgetReachedError,
    CallStoreError,
    ModelUnavailableError,
    RejectedReplyError,
    UnusableReplyError,
)
from remem.llm.budget import read_price
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointError, EndpointReply, Malformed
from remem.llm.ledger import balance
from remem.llm.replay import ReplayEndpoint, sent_json
from remem.protocols import ChatReply
from remem.types import Usage

Make = Callable[..., Any]

CUT = EndpointError("the connection was cut", retryable=True)


def number_in(reply: ChatReply) -> int:
    """Parse a whole number; a truncated reply is accepted only if it begins with "whole"."""
    if reply.truncated and not reply.text.startswith("whole "):
        raise RejectedReplyError("truncated")
    try:
        return int(reply.text.removeprefix("whole "))
    except ValueError as error:
        raise RejectedReplyError(f"{reply.text!r} is no number") from error


@pytest.fixture
def ask(chat_model: Make, request_of: Make) -> Make:
    """Return a function that asks a new model on the test's store for a whole number."""

    def make(endpoint: Any, text: str = "x", parse: Any = number_in, **differing: Any) -> Any:
        return chat_model(endpoint, **differing).ask(request_of(text), parse)

    return make


@pytest.fixture
def outcomes(tmp_path: Path) -> Callable[[], list[tuple[str, str]]]:
    """Read the text and the outcome of all calls."""

    def read() -> list[tuple[str, str]]:
        with closing(sqlite3.connect(tmp_path / "calls.sqlite")) as connection:
            return connection.execute("SELECT text, outcome FROM calls ORDER BY id").fetchall()

    return read


def test_a_request_is_sent_once_and_served_after_that(
    answering: Make, ask: Make, chat_model: Make, request_of: Make
) -> None:
    endpoint = answering("7", "8")
    model = chat_model(endpoint)
    expected = (7, Usage(1, 10, 2))
    assert model.ask(request_of("How many?"), number_in) == expected
    assert model.ask(request_of("How many?"), number_in) == expected
    assert ask(endpoint, "How many?") == expected
    assert len(endpoint.sent) == 1


def test_a_rejected_reply_is_counted_and_asked_again_and_both_are_remembered(
    answering: Make, ask: Make, outcomes: Make
) -> None:
    endpoint = answering("seven", "7")
    for _ in range(2):
        parsed = ask(endpoint, "How many?")
        assert parsed == (7, Usage(2, 20, 4, rejected_replies=1))
    assert len(endpoint.sent) == 2
    assert outcomes() == [("seven", "rejected"), ("7", "ok")]


def test_a_retry_is_told_the_rejected_reply_and_what_was_wrong(answering: Make, ask: Make) -> None:
    endpoint = answering("one", "two", "3")
    ask(endpoint, "How many?", attempts=3)
    first, second, third = endpoint.sent
    assert second.messages[:-2] == third.messages[:-2] == first.messages
    assert [(message.role, message.content) for message in second.messages[-2:]] == [
        ("assistant", "one"),
        (
            "user",
            "That reply could not be used: 'one' is no number. Reply again, in the form that was "
            "asked for and with nothing else.",
        ),
    ]
    assert third.messages[-2].content == "two"


def test_no_retry_repeats_a_request_of_a_model_that_repeats_its_reply(
    answering: Make, ask: Make
) -> None:
    endpoint = answering(*["one"] * 4)
    with pytest.raises(UnusableReplyError):
        ask(endpoint, "How many?", attempts=4)
    assert [len(request.messages) for request in endpoint.sent] == [1, 3, 5, 7]


def test_a_retry_in_a_later_start_is_told_what_was_stored(answering: Make, ask: Make) -> None:
    with pytest.raises(UnusableReplyError):
        ask(answering("one"), attempts=1)
    later = answering("2")
    assert ask(later, attempts=1)[0] == 2
    assert later.sent[0].messages[-2].content == "one"


def test_a_rejected_reply_stays_rejected_for_a_milder_parser(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    endpoint = answering("seven", "7")
    model = chat_model(endpoint)
    model.ask(request_of("x"), number_in)
    assert model.ask(request_of("x"), lambda reply: reply.text)[0] == "7"


def test_when_no_reply_is_usable_the_stage_and_all_reasons_are_told_and_the_next_start_asks_on(
    answering: Make, ask: Make
) -> None:
    endpoint = answering("one", "two", "3")
    reasons = r"^read: gpt.* \(attempts: 2\): 'one' is no number; 'two' is no number$"
    with pytest.raises(UnusableReplyError, match=reasons):
        ask(endpoint)
    assert len(endpoint.sent) == 2
    with pytest.raises(UnusableReplyError, match=reasons):  # what was recorded ended in it
        ask(ReplayEndpoint(recorded=endpoint))
    took = Usage(3, 30, 6, rejected_replies=2)
    assert ask(endpoint) == (3, took)
    assert len(endpoint.sent) == 3


@pytest.mark.parametrize(
    ("texts", "took", "kept"),
    [
        (["whole 7"], Usage(1, 10, 2, 1), [("whole 7", "ok")]),
        (["1", "whole 7"], Usage(2, 20, 4, 2, 1), [("1", "truncated"), ("whole 7", "ok")]),
    ],
)
def test_a_truncated_reply_is_an_answer_if_the_parser_takes_it_and_is_asked_again_if_not(
    answering: Make, ask: Make, reply: Make, outcomes: Make, texts: Any, took: Usage, kept: Any
) -> None:
    endpoint = answering(*(reply(text, truncated=True) for text in texts))
    for _ in range(2):
        assert ask(endpoint) == (7, took)
    assert outcomes() == kept


def test_a_cut_reply_of_which_the_parser_makes_nothing_is_no_answer_and_is_not_asked_again(
    answering: Make, ask: Make, reply: Make, outcomes: Make
) -> None:
    endpoint = answering(reply("1, 2, ", truncated=True), "1")
    for _ in range(2):
        asked = ask(endpoint, parse=lambda reply: None)
        assert asked == (None, Usage(1, 10, 2, 1))
    assert (len(endpoint.sent), outcomes()) == (1, [("1, 2, ", "truncated")])


def test_an_endpoint_that_fails_is_not_asked_another_time_before_the_next_start(
    answering: Make, ask: Make, outcomes: Make
) -> None:
    endpoint = answering(CUT, "7")
    with pytest.raises(ModelUnavailableError, match=r"^read: the connection was cut$"):
        ask(endpoint)
    assert len(endpoint.sent) == 1
    assert ask(endpoint) == (7, Usage(1, 10, 2))
    assert outcomes() == [("", "error"), ("7", "ok")]


def test_what_a_parser_stumbles_over_is_its_own_error_and_the_reply_is_kept(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    endpoint = answering("{}")
    model = chat_model(endpoint)
    with pytest.raises(KeyError):
        model.ask(request_of("x"), lambda reply: json.loads(reply.text)["answer"])
    assert model.ask(request_of("x"), lambda reply: reply.text)[0] == "{}"
    assert len(endpoint.sent) == 1


def test_64_threads_that_ask_the_same_send_it_once(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    together, another = threading.Barrier(64), threading.Event()

    def wait() -> None:
        if len(endpoint.sent) == 2:
            another.set()
        another.wait(timeout=0.3)  # time for another thread to send the same

    endpoint = answering("seven", "7", waiting=wait)
    model = chat_model(endpoint)

    def ask(_: int) -> tuple[int, Usage]:
        together.wait(timeout=30)
        answer: tuple[int, Usage] = model.ask(request_of("How many?"), number_in)
        return answer

    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(ask, range(64)))
    assert answers == [(7, Usage(2, 20, 4, rejected_replies=1))] * 64
    assert len(endpoint.sent) == 2


def test_different_requests_are_in_flight_at_once(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    together = threading.Barrier(8, timeout=30)  # passes only when all eight are here
    model = chat_model(answering("7", waiting=together.wait))
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda at: model.ask(request_of(str(at)), number_in)[0], range(8))
        assert list(answers) == [7] * 8


def test_two_models_on_one_store_use_the_reply_that_came_first(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    faster, request = chat_model(answering("8")), request_of("x")
    overtaken = answering("9", waiting=lambda: faster.ask(request, number_in))
    assert chat_model(overtaken).ask(request, number_in)[0] == 8


def test_a_budget_stops_before_the_call_that_could_pass_it_and_a_new_one_goes_on(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    endpoint = answering("7")
    # The worst case: about 170 bytes of JSON at $0.40 and 100 tokens at $1.60 a million, $0.00023.
    # Each call then costs 10 x $0.40 + 2 x $1.60 a million: $0.0000072.
    model = chat_model(endpoint, budget_dollars=0.00024)
    model.ask(request_of("0"), number_in)
    with pytest.raises(BudgetReachedError):
        for at in range(100):
            model.ask(request_of(str(at)), number_in)
    stopped_at = len(endpoint.sent)
    assert 1 < stopped_at < 5  # a quarter of the worst case would let 9 through
    assert model.ask(request_of("0"), number_in)[0] == 7  # what the store has costs nothing
    again = chat_model(endpoint, budget_dollars=0.01)
    assert [again.ask(request_of(str(at)), number_in)[0] for at in range(10)] == [7] * 10
    assert len(endpoint.sent) == 10


def test_a_ledger_limits_what_all_models_and_starts_send_until_the_limit_is_raised(
    answering: Make, chat_model: Make, request_of: Make, tmp_path: Path
) -> None:
    endpoint = answering("7")

    def start(dollars: float) -> StoredChatModel:
        model: StoredChatModel = chat_model(
            endpoint, budget_dollars=dollars, ledger=str(tmp_path / "ledger.sqlite")
        )
        return model

    # As above: at most $0.00023 a call, and then $0.0000072.
    with pytest.raises(BudgetReachedError):
        for at in range(10):
            start(0.00024).ask(request_of(str(at)), number_in)
    sent = len(endpoint.sent)
    assert 1 < sent < 5
    assert balance(tmp_path / "ledger.sqlite").dollars == pytest.approx(sent * 0.0000072)
    start(0.001).ask(request_of(str(sent)), number_in)
    assert len(endpoint.sent) == sent + 1


def test_an_endpoint_that_reports_no_usage_reaches_the_budget(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    endpoint = answering(ChatReply("7", (), truncated=False, usage=Usage(1, 0, 0)))
    # The worst case of a call is above $0.0002 (100 tokens at $1.60 a million, and what is sent).
    model = chat_model(endpoint, budget_dollars=0.0009)
    with pytest.raises(BudgetReachedError):
        for at in range(100):
            model.ask(request_of(str(at)), number_in)
    assert 1 <= len(endpoint.sent) <= 4


def test_a_failed_call_gives_its_reserve_back(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    model = chat_model(answering(CUT, CUT, CUT, "7"), budget_dollars=0.00024)
    for _ in range(3):
        with pytest.raises(ModelUnavailableError):
            model.ask(request_of("x"), number_in)
    assert model.ask(request_of("x"), number_in)[0] == 7


def test_a_budget_needs_a_price_and_no_budget_needs_none(answering: Make, chat_model: Make) -> None:
    chat_model(answering("7", model="local"), budget_dollars=None)
    with pytest.raises(ValueError, match="no price for 'local'"):
        chat_model(answering("7", model="local"), budget_dollars=1.0)
    with pytest.raises(ValueError, match="no price for 'local'"):
        chat_model(answering("7", model="local"), ledger="ledger.sqlite")


def test_no_attempt_and_a_repeat_below_zero_are_refused(answering: Make, chat_model: Make) -> None:
    for setting, value in (("attempts", 0), ("repeat", -1)):
        with pytest.raises(ValueError, match=f"{setting} is {value}"):
            chat_model(answering("7"), **{setting: value})


def test_what_stops_one_thread_stops_the_endpoint_for_all(answering: Make, ask: Make) -> None:
    endpoint = answering("7")
    with pytest.raises(BudgetReachedError) as reached:
        ask(endpoint, budget_dollars=0.0)
    assert endpoint.stopped == [reached.value]


def test_the_store_knows_where_a_call_was_sent_and_what_it_waited_apart_from_its_latency(
    answering: Make, chat_model: Make, request_of: Make, tmp_path: Path
) -> None:
    endpoint = answering("7", CUT)
    model = chat_model(endpoint)
    model.ask(request_of("x"), number_in)
    with pytest.raises(ModelUnavailableError):
        model.ask(request_of("y"), number_in)
    with closing(sqlite3.connect(tmp_path / "calls.sqlite")) as connection:
        rows = connection.execute("SELECT address, latency_seconds, waited_seconds > 0 FROM calls")
        assert rows.fetchall() == [(endpoint.address, 0.25, 0), (endpoint.address, 0.0, 1)]


def test_a_reply_that_cannot_be_kept_is_not_lost_silently(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    endpoint = answering("7" * 100_000)
    model = chat_model(endpoint, budget_dollars=1.0)
    file = model._store._file
    file.write(f"PRAGMA max_page_count = {file.write('PRAGMA page_count')[0][0]}")
    lost = (
        r"full; free space .*; the reply to call [0-9a-f]{64} was received but could not be "
        r"stored: 10 tokens"
    )
    with pytest.raises(CallStoreError, match=lost):
        model.ask(request_of("x"), number_in)
    with pytest.raises(CallStoreError, match="free space"):
        model.ask(request_of("y"), number_in)
    assert len(endpoint.sent) == 1  # nothing more is paid for
    assert model._budget.spent == pytest.approx(0.0000072)


def test_what_came_malformed_is_kept_and_paid_for(
    answering: Make, chat_model: Make, request_of: Make, outcomes: Make
) -> None:
    paid = Malformed('{"choices": null}', "no choices", Usage(1, 500_000, 0))  # 20 cents
    endpoint = answering(EndpointError("no reply", retryable=True, malformed=(paid,)), "7")
    model = chat_model(endpoint, budget_dollars=0.21)
    with pytest.raises(ModelUnavailableError):
        model.ask(request_of("x"), number_in)
    assert outcomes() == [('{"choices": null}', "error"), ("", "error")]
    with pytest.raises(BudgetReachedError, match=r"\$0\.2000 are spent"):
        model.ask(request_of("y" * 30_000), number_in)


def stored_dollars(path: Path) -> float:
    """Add up what the rows of a call store cost, at the prices of the model."""
    price = read_price("2026-11-21", "gpt-4.1-mini-2025-04-14")
    with closing(sqlite3.connect(path)) as calls:
        rows = calls.execute("SELECT calls, prompt_tokens, completion_tokens FROM calls").fetchall()
    return sum(price.dollars(Usage(*row)) for row in rows)


UNCOUNTED = Malformed("<html>", "no JSON", Usage(1, 0, 0))


def test_a_try_that_reports_no_usage_counts_as_the_most_that_it_could_cost(
    answering: Make, chat_model: Make, request_of: Make, reply: Make, tmp_path: Path
) -> None:
    endpoint = answering("6", EndpointReply(reply("7"), 0.5, (UNCOUNTED,) * 3))
    model = chat_model(endpoint, budget_dollars=1.0)
    model.ask(request_of("x"), number_in)
    one_reply = model._budget.spent
    model.ask(request_of("y"), number_in)
    # 100 tokens out at $1.60 a million, and one in at $0.40 a million for each byte that is sent
    most = (100 * 1.6 + len(sent_json(endpoint, request_of("y"))) * 0.4) / 1e6
    assert model._budget.spent == pytest.approx(2 * one_reply + 3 * most)
    assert stored_dollars(tmp_path / "calls.sqlite") == pytest.approx(model._budget.spent)


def test_what_a_failure_took_is_told_with_it(answering: Make, ask: Make) -> None:
    with pytest.raises(UnusableReplyError) as rejected:
        ask(answering("one", "two"))
    assert rejected.value.usage == Usage(2, 20, 4, rejected_replies=2)
    cut = answering("one", EndpointError("cut", retryable=True))
    with pytest.raises(ModelUnavailableError) as lost:
        ask(cut, "y")
    assert lost.value.usage == Usage(1, 10, 2, rejected_replies=1)


def test_a_model_that_repeats_what_it_was_told_has_not_answered(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    def one_line(reply: ChatReply) -> str:
        if "\n" in reply.text:
            raise RejectedReplyError("the reply has two lines")
        return reply.text

    endpoint = answering("a\nb", "The reply has two lines.", "Rome")
    model = chat_model(endpoint, attempts=3)
    assert model.ask(request_of("Where?"), one_line)[0] == "Rome"
    assert "repeats why the previous one" in endpoint.sent[2].messages[-1].content
