"""A memory whose rival runs elsewhere: here a small program that speaks the workers' protocol."""

import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.apps.rivals import external_memory, worker_session
from remem.apps.rivals.external_memory import ExternalMemory
from remem.apps.rivals.gateway_server import Gateway
from remem.apps.rivals.worker_process import WorkerError
from remem.embed.hashing import HashingEmbedder
from remem.errors import ModelUnavailableError, StopRunError
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.protocols import ChatReply, ChatRequest
from remem.time_scope import TimePoint
from remem.types import (
    Episode,
    Evidence,
    History,
    IndexHealth,
    Message,
    Passage,
    Query,
    Usage,
)

CONVERSATION = worker_session.SCRIPT

WORKER = """
import itertools, json, os, sys, time, urllib.request

numbers = itertools.count(1)

def say(answer):
    print(json.dumps({"request": next(numbers), **answer}), flush=True)

def model(url, text):
    body = json.dumps({"model": "lent", "messages": [{"role": "user", "content": text}]}).encode()
    key = f"Bearer {os.environ['OPENAI_API_KEY']}"
    told = {"Content-Type": "application/json", "Authorization": key}
    request = urllib.request.Request(url + "/chat/completions", body, told)
    try:
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]
    except OSError:
        return "swallowed"

told = json.loads(sys.stdin.readline())["start"]
say({"ready": "1.0"})
kept = []
for line in sys.stdin:
    asked = json.loads(line)
    one = asked.get("add")
    if one is None:
        text = asked["recall"]
        if text == "die":
            sys.exit("out of memory")
        if text == "fail":
            say({"found": [], "error": "KeyError: 'x'"})
            continue
        model(asked["url"], text)
        if text == "useless":
            say({"found": [], "rejected": 2})
            continue
        ids = ["never"] if text == "lie" else None
        found = [
            {"id": str(at), "text": text, "time": when, "source": ids or [id_]}
            for at, (id_, when, text) in enumerate(kept)
        ]
        say({"found": found[: told["settings"]["top_k"]]})
    elif "(lost)" in one["text"]:
        say({"stored": 0, "counts": {"notes": 0}, "lost": ["no JSON " * 99]})
    else:
        if "(hang)" in one["text"] and not model(asked["url"], "again").startswith("yes"):
            time.sleep(60)
        said = f"{one['date']} {model(asked['url'], one['text'])}"
        kept.append((one["id"], one["time"], said))
        say({"stored": 1, "counts": {"notes": 1}, "lost": []})
"""

CURIOUS = """
import asyncio, json, os, socket, subprocess, sys, urllib.request

PACKAGE = "pytest"

async def stream(port):
    await asyncio.open_connection("127.0.0.1", port)

def forked(port):
    if not (child := os.fork()):
        os._exit(reached(lambda: socket.create_connection(("127.0.0.1", port))))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def ways(port):
    there, tcp, udp = ("127.0.0.1", port), socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    return {
        "connect": lambda: tcp.connect(there),
        "connect_ex": lambda: tcp.connect_ex(there),
        "listen": lambda: tcp.bind(("127.0.0.1", 0)),
        "datagram": lambda: udp.sendto(b"x", there),
        "message": lambda: udp.sendmsg([b"x"], (), 0, there),
        "asyncio": lambda: asyncio.run(stream(port)),
        "HTTP": lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=1),
        "name": lambda: socket.getaddrinfo("localhost", port),
        "old name": lambda: socket.gethostbyname("localhost"),
        "program": lambda: subprocess.run([sys.executable, "-c", ""]),
        "shell": lambda: os.system("true"),
    }

def reached(way):
    try:
        way()
    except OSError as error:
        return int("a worker may only call its models" not in str(error))
    return 1

def tried(port):
    found = {name: reached(way) for name, way in ways(port).items()}
    return found | {"fork": forked(port)}

def start(told):
    return Curious(told["settings"]["port"])

class Curious:
    def __init__(self, port):
        self.port = port
        self.at_first = tried(port)

    def add(self, episode, url):
        self.said = self.model(url, episode["text"])
        counts = {f"{name} at first": one for name, one in self.at_first.items()}
        return {"stored": 1, "counts": counts | tried(self.port), "lost": []}

    def recall(self, text, url):
        return {"found": [{"id": "0", "text": self.said, "time": None, "source": []}]}

    def model(self, url, text):
        body = json.dumps({"model": "lent", "messages": [{"role": "user", "content": text}]})
        key = f"Bearer {os.environ['OPENAI_API_KEY']}"
        told = {"Content-Type": "application/json", "Authorization": key}
        request = urllib.request.Request(url + "/chat/completions", body.encode(), told)
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]
"""

Make = Callable[..., ExternalMemory]


class Echo:
    """An endpoint that returns the last message in capitals and fails after `cut_after` calls."""

    kind = "scripted-chat"
    model = "gpt-4.1-mini-2025-04-14"
    settings: dict[str, Any] = {}  # noqa: RUF012
    max_output_tokens = 100
    address = "in memory"

    def __init__(self, cut_after: int | None = None) -> None:
        self.sent: list[tuple[str, str]] = []
        self.cut_after = cut_after

    def stop(self, reason: StopRunError) -> None:
        """Do nothing, because no request is pending."""

    def send(self, request: ChatRequest) -> EndpointReply:
        if self.cut_after is not None and len(self.sent) >= self.cut_after:
            raise EndpointError("the connection was cut", retryable=True)
        text = request.messages[-1].content
        self.sent.append((request.stage, text))
        return EndpointReply(ChatReply(text.upper(), (), False, Usage(1, 10, 1)), 0.0)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that makes a memory on the test's call store, like a restart of a run."""
    script = tmp_path / "conversation.py"
    script.write_text(WORKER, encoding="utf-8")
    monkeypatch.setattr(worker_session, "SCRIPT", script)
    monkeypatch.setattr(external_memory, "find_python", lambda *args: Path(sys.executable))

    def making(
        endpoint: Echo, *, unit: Any = "message", timeout_seconds: float = 20, port: int = 0
    ) -> Any:
        return ExternalMemory(
            chat_model=StoredChatModel(
                endpoint=endpoint,
                store=str(tmp_path / "calls.sqlite"),
                attempts=1,
                repeat=0,
                budget_dollars=None,
                prices="2026-11-21",
            ),
            embedder=HashingEmbedder(dimension=16),
            gateway=Gateway,
            worker="rival",
            package="rival==1.0",
            environment=".venv-rival",
            python_variable="REMEM_RIVAL_PYTHON",
            command="make rival",
            unit=unit,
            settings={"top_k": 10, "port": port},
            timeout_seconds=timeout_seconds,
        )

    return making


def chat(*texts: str) -> History:
    time = TimePoint(2023, 5, 8, 600)
    messages = [Message(f"m{at}", "Ann", text, time, "8 May") for at, text in enumerate(texts)]
    return History(
        "a chat", (Episode("one", tuple(messages[:2])), Episode("two", (*messages[2:],)))
    )


CHAT = chat("Hello", "I sold a boat", "It was red", "Bye")
WHO = Query("q", "a chat", 0, "Who?")


def test_messages_go_there_in_order_and_come_back_with_their_sources(make: Make) -> None:
    memory = make(endpoint := Echo())
    memory.index(CHAT)
    evidence = memory.recall(WHO)
    said = ["ANN: HELLO", "ANN: I SOLD A BOAT", "ANN: IT WAS RED", "ANN: BYE"]
    time = TimePoint(2023, 5, 8, 600)
    assert evidence.passages == tuple(
        Passage(str(at), f"8 May {text}", time, (f"m{at}",)) for at, text in enumerate(said)
    )
    assert [stage for stage, _ in endpoint.sent] == ["index"] * 4 + ["recall"]
    assert memory.index_usage == Usage(4, 40, 4)
    assert evidence.usage == Usage(1, 10, 1)
    assert memory.index_counts == {"notes": 4}


def test_its_health_counts_what_is_kept_and_what_of_it_was_said_at_a_known_time(
    make: Make,
) -> None:
    memory = make(Echo())
    assert memory.index_health == IndexHealth(0, 0, 10)
    memory.index(chat("Hello", "Nothing (lost)", "Bye"))
    assert memory.index_health == IndexHealth(2, 2, 10)
    memory.index(History("a chat", (Episode("e", (Message("m", "", "E1 was here."),)),)))
    assert memory.index_health == IndexHealth(3, 2, 10)


def test_a_worker_reaches_the_models_and_nothing_else(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = tmp_path / "workers"
    workers.mkdir()
    shutil.copy(CONVERSATION, workers)
    (workers / "rival.py").write_text(CURIOUS, encoding="utf-8")
    monkeypatch.setattr(worker_session, "SCRIPT", workers / "conversation.py")
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        memory = make(endpoint := Echo(), port=somebody.getsockname()[1])
        memory.index(History("h", (Episode("e", (Message("m", "", "Hello"),)),)))
        somebody.setblocking(False)
        with pytest.raises(BlockingIOError):
            somebody.accept()
    assert endpoint.sent == [("index", "Hello")]
    assert memory.recall(WHO).passages[0].text == "HELLO"
    tried = memory.index_counts
    assert len(tried) == 24
    assert [way for way, reached in tried.items() if reached] == []


def test_sessions_go_there_whole(make: Make) -> None:
    memory = make(endpoint := Echo(), unit="session")
    memory.index(CHAT)
    assert [text for _, text in endpoint.sent] == [
        "Ann: Hello\nAnn: I sold a boat",
        "Ann: It was red\nAnn: Bye",
    ]
    assert [passage.source for passage in memory.recall(WHO).passages] == [
        ("m0", "m1"),
        ("m2", "m3"),
    ]


def test_an_undated_message_has_no_time(make: Make) -> None:
    memory = make(Echo())
    memory.index(History("h", (Episode("e", (Message("m", "", "E1 was here."),)),)))
    assert memory.recall(WHO).passages == (Passage("0", " E1 WAS HERE.", None, ("m",)),)


def test_before_an_index_nothing_is_recalled_and_nothing_started(make: Make) -> None:
    memory = make(Echo())
    memory._plan = None  # type: ignore[assignment]  # what would be started
    assert memory.recall(WHO) == Evidence()
    memory.index(History("a chat", (Episode("empty", ()),)))


def test_what_is_lost_is_counted(make: Make) -> None:
    memory = make(Echo())
    memory.index(chat("Hello", "Nothing (lost)"))
    ((message, reason),) = memory.failures
    assert (message, len(reason)) == ("m1", 200)
    assert memory.index_counts == {"notes": 1}
    with pytest.raises(StopRunError, match="nothing of history a chat was stored; lost replies: 2"):
        make(Echo()).index(chat("(lost)", "(lost)"))


def test_replies_of_no_use_to_the_package_are_counted_for_the_question(make: Make) -> None:
    memory = make(Echo())
    memory.index(CHAT)
    assert memory.recall(Query("q", "a chat", 0, "useless")).usage.rejected_replies == 2
    assert memory.recall(WHO).usage.rejected_replies == 0


def test_a_second_run_sends_nothing(make: Make) -> None:
    recalled = []
    for endpoint in (first := Echo(), second := Echo()):
        memory = make(endpoint)
        memory.index(CHAT)
        recalled.append((memory.recall(WHO), memory.index_usage))
    assert recalled[0] == recalled[1]
    assert (len(first.sent), len(second.sent)) == (5, 0)


@pytest.mark.parametrize(("cut_after", "same"), [(0, True), (1, False), (3, True)])
def test_an_outage_ends_the_index_and_a_resume_loses_and_repeats_nothing(
    make: Make, tmp_path: Path, cut_after: int, same: bool
) -> None:
    whole = make(Echo())
    whole.index(CHAT)
    expected = whole.recall(WHO)
    (tmp_path / "calls.sqlite").unlink()
    memory = make(endpoint := Echo(cut_after))
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        memory.index(CHAT)  # though the worker swallows it
    if not same:
        memory = make(endpoint)
    endpoint.cut_after = None
    memory.index(CHAT)
    assert memory.recall(WHO) == expected
    assert len(endpoint.sent) == 5
    assert (memory.index_counts, memory.index_usage) == (whole.index_counts, whole.index_usage)


def test_an_outage_costs_the_question_that_met_it_alone(make: Make) -> None:
    memory = make(endpoint := Echo(cut_after=4))
    memory.index(CHAT)
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        memory.recall(WHO)
    endpoint.cut_after = None
    assert len(memory.recall(WHO).passages) == 4


def test_a_worker_that_dies_costs_one_question_and_the_next_is_told_all_again(make: Make) -> None:
    memory = make(endpoint := Echo())
    memory.index(CHAT)
    expected = memory.recall(WHO)
    with pytest.raises(WorkerError, match=r"rival ended with exit code 1.*: out of memory"):
        memory.recall(Query("q", "a chat", 0, "die"))
    assert memory.recall(WHO) == expected
    assert (len(endpoint.sent), memory.index_counts) == (5, {"notes": 4})


def test_a_worker_that_hangs_in_an_episode_is_given_up(make: Make) -> None:
    memory = make(Echo(), timeout_seconds=0.2)
    with pytest.raises(WorkerError, match=r"rival hangs: no answer and no model call in 0.2 s"):
        memory.index(chat("Hello", "wait (hang)"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fail", "rival cannot search: KeyError: 'x'"),
        ("lie", "returned 0 with the source 'never', which was never added"),
    ],
)
def test_an_answer_of_no_use_is_an_error(make: Make, text: str, told: str) -> None:
    memory = make(Echo())
    memory.index(CHAT)
    with pytest.raises(RuntimeError, match=told):
        memory.recall(Query("q", "a chat", 0, text))
    assert len(memory.recall(WHO).passages) == 4


def test_a_memory_that_is_let_go_ends_its_worker(make: Make) -> None:
    memory = make(Echo())
    memory.index(CHAT)
    session = memory._session
    assert session is not None
    program = session._worker._program
    assert program.exit_code is None
    del memory
    assert program.exit_code is not None
