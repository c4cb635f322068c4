"""HTTP clients for threads, limited in number, and the allowed values of Retry-After."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.llm.http_client import CLIENTS, ThreadClients, read_retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_many_threads_share_a_few_clients_evenly() -> None:
    clients, together = ThreadClients(object), threading.Barrier(4 * CLIENTS)

    def mine(_: int) -> int:
        together.wait(timeout=30)
        return id(clients.mine())

    with ThreadPoolExecutor(4 * CLIENTS) as pool:
        used = list(pool.map(mine, range(4 * CLIENTS)))
    assert sorted(used.count(client) for client in set(used)) == [4] * CLIENTS


def test_a_client_that_cannot_be_made_is_tried_again() -> None:
    outcomes = iter([OSError("no key"), "client"])

    def connect() -> str:
        outcome = next(outcomes)
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    clients = ThreadClients(connect)
    with pytest.raises(OSError, match="no key"):
        clients.mine()
    assert [clients.mine(), clients.mine()] == ["client"] * 2  # made once


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Fri, 02 Jan 2026 03:05:05 GMT"}, 60.0),
        ({"retry-after": "Fri, 02 Jan 2026 04:05:05 +0100"}, 60.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, 0.0),
        ({}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Fri, 99 Jan 2026 03:05:05 GMT"}, None),
    ],
)
def test_seconds_milliseconds_and_dates_are_read(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert read_retry_after(headers, NOW) == seconds


@given(st.text(), st.text())
def test_whatever_a_server_says_is_a_time_to_wait_or_nothing(wait: str, milliseconds: str) -> None:
    seconds = read_retry_after({"retry-after": wait, "retry-after-ms": milliseconds}, NOW)
    assert seconds is None or (seconds >= 0 and math.isfinite(seconds))
