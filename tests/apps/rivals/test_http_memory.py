"""A memory behind HTTP: what is sent to it, what it finds, and how it fails."""

import time
from collections.abc import Callable, Iterator
from threading import Thread

import pytest

from remem.apps.rivals.program import ProgramError
from remem.apps.rivals.program_memory import LOST, ProgramMemory
from remem.config.run_config import configure
from remem.errors import NothingStoredError, UsageError
from remem.time_scope import TimePoint
from remem.types import Episode, History, Message, Query
from tests.parts.memories.http_server import (
    KEY,
    Answer,
    Memory,
    asks_for_a_key,
    drips,
    fails,
    floods,
    is_busy,
    is_busy_once,
    is_not_json,
    redirects,
    serving,
    sleeps,
)

DAY = TimePoint(2023, 5, 1, 600)
MESSAGES = (
    Message("D1:1", "Ann", "I sold my boat", DAY, "1 May 2023"),
    Message("D1:2", "Bob", "My dog is called Rex", DAY, "1 May 2023"),
)
CHAT = History("chat", (Episode("session_1", MESSAGES),))
BOAT = Query("q", "chat", 0, "Who sold a boat?")
ROUTES = (
    "method.build.store_route='POST /add'",
    "method.build.store_arguments={user: '{namespace}', id: '{id}', text: '{speaker}: {text}'}",
    *("method.build.stored_list=results", "method.build.stored_id=id"),
    "method.build.search_route='POST /search'",
    "method.build.search_arguments={user: '{namespace}', query: '{query}', limit: '{top_k}'}",
    *("method.build.found_list=hits", "method.build.found_text=text", "method.build.found_id=id"),
)
Make = Callable[..., ProgramMemory]


@pytest.fixture
def make() -> Iterator[Make]:
    """Make a memory of a server with a fault; the servers end with the test."""
    servers = []

    def made(do_post: Answer | None = None, *settings: str) -> ProgramMemory:
        server = serving(do_post)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"method.build.address=http://127.0.0.1:{server.server_port}"
        limit = f"method.build.timeout_seconds={60 if do_post is None else 2}"
        config = configure("method=http", address, limit, *ROUTES, *settings)
        memory = config.memory_factory()()
        assert isinstance(memory, ProgramMemory)
        return memory

    yield made
    for server in servers:
        server.shutdown()
        server.server_close()


def test_what_was_said_is_found_with_its_message(make: Make) -> None:
    memory = make()
    memory.index(CHAT)
    (passage,) = memory.recall(BOAT).passages
    assert (passage.text, passage.source) == ("Ann: I sold my boat", ("D1:1",))
    assert memory.failures == ()


def test_histories_do_not_see_each_other(make: Make) -> None:
    memory = make()
    memory.index(CHAT)
    other = configure("method=http", *_same_address(memory), *ROUTES).memory_factory()()
    other.index(History("other", (Episode("s", MESSAGES[1:]),)))
    assert other.recall(Query("q", "other", 0, "Who sold a boat?")).passages == ()


def _same_address(memory: ProgramMemory) -> tuple[str, ...]:
    return (f"method.build.address={memory.program}",)


def test_a_server_that_asks_to_wait_is_asked_again(make: Make) -> None:
    memory = make(is_busy_once)
    memory.index(CHAT)
    assert memory.index_counts[LOST] == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (fails, r"answered POST /add with status 500: .*out of order"),
        (
            is_busy,
            r"answered with status 429; a retry after 3,600 s would exceed",
        ),
        (sleeps, r"gave no answer to POST: \w*Timeout"),
        (drips, r"gave no answer to POST: \w*Timeout"),
        (floods, r"the reply is too large: more than 16777216 bytes"),
        (redirects, r"the server redirects to http://127\.0\.0\.1:9/elsewhere"),
        (is_not_json, r"expected JSON, found '<html>'"),
        (asks_for_a_key, r"with status 401: .*set method\.build\.key_variable to the name"),
    ],
)
def test_a_server_that_misbehaves_is_an_error_with_its_reason(
    make: Make, fault: Answer, reason: str
) -> None:
    memory = make(fault)
    begun = time.monotonic()
    with pytest.raises(NothingStoredError, match=reason):
        memory.index(CHAT)
    assert time.monotonic() - begun < 20
    with pytest.raises(ProgramError):
        memory.recall(BOAT)


def test_ids_that_were_never_sent_belong_to_no_message(make: Make) -> None:
    def answers_with_wrong_ids(handler: Memory) -> None:
        handler.say({"results": [{"id": "x"}], "hits": [{"text": "a", "id": "y"}]})

    memory = make(answers_with_wrong_ids)
    memory.index(CHAT)
    (passage,) = memory.recall(BOAT).passages
    assert (passage.id, passage.source) == ("y", ())


def test_the_key_of_a_variable_is_sent_and_never_shown(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_MEMORY_KEY", KEY)
    memory = make(asks_for_a_key, "method.build.key_variable=MY_MEMORY_KEY")
    memory.index(CHAT)
    assert memory.failures == ()
    monkeypatch.setenv("MY_MEMORY_KEY", "another-key-of-the-test")
    refused = make(asks_for_a_key, "method.build.key_variable=MY_MEMORY_KEY")
    with pytest.raises(NothingStoredError) as error:
        refused.index(CHAT)
    assert "another-key" not in str(error.value)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("address=ftp://127.0.0.1", r"expected an address without a key"),
        ("address=http://example.com", r"such as https://api\.example\.com"),
        ("store_route=/add", r"expected a method and a path, such as POST /v1/memories"),
        ("store_arguments={text: '{words}'}", r"has the placeholder \{words\}"),
        ("search_arguments={query: '{query}'}", r"use \{namespace\} in method\.build\.search_"),
        ("found_list=''", r"found_list is empty"),
        ("key_variable=NOT_SET_HERE", r"no API key for .*NOT_SET_HERE"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_before_anything_is_sent(
    make: Make, setting: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        make(None, f"method.build.{setting}")
