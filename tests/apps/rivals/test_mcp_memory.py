"""Memory servers of the Model Context Protocol, over standard input and output and over HTTP."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from remem.apps.rivals.program import ProgramError
from remem.apps.rivals.program_memory import SENT, ProgramMemory
from remem.config.run_config import configure
from remem.errors import UsageError
from remem.run.memory_checks import check_memory
from remem.time_scope import TimePoint
from remem.types import Episode, History, Message, Passage, Query

pytestmark = pytest.mark.extra

SERVER = Path(__file__).parents[2] / "parts" / "memories" / "mcp_server.py"
DAYS = (TimePoint(2023, 5, 1, 600), TimePoint(2023, 5, 2, 600))
MESSAGES = (
    Message("D1:1", "Ann", "I sold my boat", DAYS[0], "1 May 2023"),
    Message("D1:2", "Bob", "My dog is called Rex", DAYS[1], "2 May 2023"),
)
CHAT = History("chat", (Episode("session_1", MESSAGES),))
OTHER = History("other", (Episode("session_1", MESSAGES[1:]),))
BOAT = Query("q", "chat", 0, "Who sold a boat?")
NAMED = ', namespace: "{namespace}"'
STORE = 'method.build.store_arguments={id: "{id}", text: "{speaker}: {text}", time: "{time}"%s}'
SEARCH = 'method.build.search_arguments={query: "{query}", limit: "{top_k}"%s}'
TOOLS = (
    *("method=mcp", "method.build.store_tool=remember", "method.build.search_tool=search"),
    *("method.build.stored_list=stored", "method.build.stored_id=id"),
    *("method.build.found_list=results", "method.build.found_text=text"),
    *("method.build.found_id=id", "method.build.found_time=time"),
)
ALONE = (STORE % "", SEARCH % "")
IN_A_NAMESPACE = (STORE % NAMED, SEARCH % NAMED, "method.build.isolation=namespace")

"""The checks that some faults fail; tests/unit/run/test_memory_checks.py has all of them."""

Make = Callable[..., ProgramMemory]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes a memory whose server, with a fault, starts for each history."""

    def made(fault: str = "none", *settings: str) -> ProgramMemory:
        command = f"[{sys.executable},{SERVER},{fault},{tmp_path / 'shared.jsonl'}]"
        chosen = [*TOOLS, *ALONE, f"method.build.command={command}", *settings]
        memory = configure(*chosen).memory_factory()()
        assert isinstance(memory, ProgramMemory)
        return memory

    return made


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Serve the memory over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVER), "none", str(tmp_path / "shared"), str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(600):
        with socket.socket() as tried:
            if not tried.connect_ex(("127.0.0.1", port)):
                break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}/mcp"
    server.kill()
    server.wait()


def test_what_was_said_is_found_with_its_date_and_its_message(make: Make) -> None:
    memory = make()
    memory.index(CHAT)
    (passage,) = memory.recall(BOAT).passages
    assert passage == Passage("D1:1", "Ann: I sold my boat", DAYS[0], ("D1:1",))
    assert memory.program == "notebook 1.0"
    assert memory.index_counts == {SENT: 2}


def test_a_server_over_http_separates_histories_by_name(address: str) -> None:
    factory = configure(*TOOLS, *IN_A_NAMESPACE, f"method.build.address={address}").memory_factory()
    chat, other = factory(), factory()
    chat.index(CHAT)
    other.index(OTHER)
    assert [passage.id for passage in chat.recall(BOAT).passages] == ["D1:1"]
    assert other.recall(Query("q", "other", 0, "Who sold a boat?")).passages == ()
    again = factory()  # what an earlier run left is not found
    assert again.recall(BOAT).passages == ()


def test_one_process_for_all_histories_is_started_once(make: Make, tmp_path: Path) -> None:
    command = f"method.build.command=[{sys.executable},{SERVER},none,{tmp_path / 's'}]"
    factory = configure(*TOOLS, *IN_A_NAMESPACE, command).memory_factory()
    chat, other = factory(), factory()
    chat.index(CHAT)
    other.index(OTHER)
    assert [passage.id for passage in chat.recall(BOAT).passages] == ["D1:1"]
    assert other.recall(Query("q", "other", 0, "Who sold a boat?")).passages == ()
    assert chat._connection.session is other._connection.session


def test_a_server_over_http_passes_the_checks(address: str) -> None:
    settings = (*TOOLS, *IN_A_NAMESPACE, f"method.build.address={address}")
    checks = check_memory(configure(*settings).memory_factory())
    assert [check.name for check in checks if not check.passed] == []


def test_plain_text_is_found_by_what_it_says(make: Make) -> None:
    memory = make(
        *("none", "method.build.search_tool=search_text", "method.build.found_list=''"),
        'method.build.search_arguments={query: "{query}"}',
        *("method.build.nothing_found='No memories'", "method.build.query_by=words"),
    )
    assert memory.recall(BOAT).passages == ()
    memory.index(CHAT)
    (passage,) = memory.recall(BOAT).passages
    assert passage.text == f"[{DAYS[0]}] Ann: I sold my boat"
    assert passage.source == ("D1:1",)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("crashing", r"could not answer search: Connection closed; its last output: the disk .* f"),
        ("hanging", r"did not answer search in 3 s; its last output: waiting for a model that nev"),
        (
            "garbage",
            r"did not start in 3 s; it wrote a line that is not a message: " r".*Loading the model",
        ),
    ],
)
def test_a_server_that_fails_is_an_error_with_its_last_words(
    make: Make, fault: str, told: str
) -> None:
    memory = make(fault, "method.build.timeout_seconds=3")
    with pytest.raises(ProgramError, match=f"^MCP server {told}"):
        memory.recall(BOAT)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("method.build.store_tool=save", r"has no tool 'save' .*its tools are remember, search, "),
        (
            'method.build.store_arguments={content: "{text}"}',
            r"remember of MCP server has no argument 'content' .*arguments are id, text, time",
        ),
        ("method.build.found_list=items", r"there is no list at method\.build\.found_list=items"),
    ],
)
def test_settings_that_do_not_fit_the_server_are_named(make: Make, setting: str, told: str) -> None:
    with pytest.raises(ProgramError, match=told):
        make("none", setting).recall(BOAT)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (("method.build.command=[]",), "needs a program or an address, not both"),
        (("method.build.store_tool=''",), r"method\.build\.store_tool is empty"),
        (("method.build.isolation=namespace",), r"use \{namespace\} in method\.build\.store_arg"),
        (
            ("method.build.command=[]", "method.build.address=http://127.0.0.1:9/mcp"),
            "one server at method.build.address serves all histories",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_named(
    make: Make, settings: tuple[str, ...], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        make("none", *settings)


def test_a_program_that_is_not_there_is_named(make: Make) -> None:
    with pytest.raises(ProgramError, match=r"MCP server cannot be started: .*no-such-program-x"):
        make("none", "method.build.command=[no-such-program-x]").recall(BOAT)


def test_nothing_listens_at_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/mcp"
    memory = configure(*TOOLS, *IN_A_NAMESPACE, f"method.build.address={address}")
    with pytest.raises(ProgramError, match="could not start: ConnectError"):
        memory.memory_factory()().recall(BOAT)
