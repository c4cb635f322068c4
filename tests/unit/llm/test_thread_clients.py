"""Clients for threads: each keeps its own, and there are only so many."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from remem.llm.thread_clients import CLIENTS, ThreadClients


def test_one_thread_makes_one_client_and_keeps_it() -> None:
    made: list[int] = []
    clients = ThreadClients(lambda: made.append(0) or object())
    assert clients.mine() is clients.mine()
    assert len(made) == 1


def test_many_threads_share_a_few_clients_evenly() -> None:
    clients, together = ThreadClients(object), threading.Barrier(4 * CLIENTS)

    def mine(_: int) -> int:
        together.wait(timeout=30)
        return id(clients.mine())

    with ThreadPoolExecutor(4 * CLIENTS) as pool:
        found = list(pool.map(mine, range(4 * CLIENTS)))
    assert sorted(found.count(item) for item in set(found)) == [4] * CLIENTS


def test_a_client_that_cannot_be_made_is_tried_again() -> None:
    made = iter([OSError("no key"), "client"])

    def connect() -> str:
        one = next(made)
        if isinstance(one, OSError):
            raise one
        return one

    clients = ThreadClients(connect)
    with pytest.raises(OSError, match="no key"):
        clients.mine()
    assert clients.mine() == "client"
