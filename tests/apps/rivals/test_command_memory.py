"""A user's own program as a memory: what it is sent, what it finds, and how it fails."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.apps.rivals.program import ProgramError
from remem.apps.rivals.program_memory import LOST, SENT, ProgramMemory
from remem.config.run_config import configure
from remem.errors import NothingStoredError, UsageError
from remem.time_scope import TimePoint
from remem.types import Episode, History, Message, Passage, Query

PROGRAM = Path(__file__).parents[2] / "parts" / "memories" / "program.py"
DAYS = (TimePoint(2023, 5, 1, 600), TimePoint(2023, 5, 2, 600))
MESSAGES = (
    Message("D1:1", "Ann", "I sold my boat", DAYS[0], "1 May 2023"),
    Message("D1:2", "Bob", "My dog is called Rex", DAYS[1], "2 May 2023"),
)
CHAT = History("chat", (Episode("session_1", MESSAGES),))
BOAT = Query("q", "chat", 0, "Who sold a boat?")

Make = Callable[..., ProgramMemory]


def given(*program: object) -> str:
    return f"method.build.command=[{','.join(map(str, program))}]"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Make a memory of the program with a fault."""

    def made(fault: str = "none", *settings: str) -> ProgramMemory:
        command = given(sys.executable, PROGRAM, fault, tmp_path / "shared.jsonl")
        memory = configure(
            "method=command", command, "method.build.timeout_seconds=20", *settings
        ).memory_factory()()
        assert isinstance(memory, ProgramMemory)
        return memory

    return made


@pytest.fixture
def scripted(tmp_path: Path) -> Make:
    """Return a function that makes a memory of a program; its code may use `say` and `heard`."""
    head = (
        "import json, os, sys\n"
        "number = 0\n"
        "def say(**told):\n"
        "    sys.stdout.write(json.dumps({'request': number, **told}) + '\\n')\n"
        "    sys.stdout.flush()\n"
        "def heard():\n"
        "    global number\n"
        "    asked = json.loads(sys.stdin.readline())\n"
        "    number = asked['request']\n"
        "    return asked\n"
    )

    def made(program: str, *settings: str) -> ProgramMemory:
        file = tmp_path / "program.py"
        file.write_text(head + program, encoding="utf-8")
        command = given(sys.executable, file)
        memory = configure("method=command", command, *settings).memory_factory()()
        assert isinstance(memory, ProgramMemory)
        return memory

    return made


def test_what_was_said_is_found_with_its_date_and_its_message(make: Make) -> None:
    memory = make()
    memory.index(CHAT)
    (passage,) = memory.recall(BOAT).passages
    assert passage == Passage("D1:1", "Ann: I sold my boat", DAYS[0], ("D1:1",))
    assert memory.program == "notebook 1.0"
    assert memory.index_counts == {SENT: 2}
    assert (memory.index_health.items, memory.index_health.dated) == (2, 2)
    memory.close()


def test_messages_that_are_not_stored_are_counted(make: Make) -> None:
    memory = make("losing")
    memory.index(CHAT)
    assert memory.index_counts == {SENT: 2, LOST: 1}
    assert memory.failures == (("D1:2", "the program reports that it stored nothing"),)


def test_two_items_of_one_message_are_both_found(scripted: Make) -> None:
    memory = scripted(
        "heard(); say(name='chunks')\n"
        "for _ in range(2): heard(); say(stored=1)\n"
        "heard()\n"
        "say(found=[{'text': text, 'id': 'D1:1'} for text in ('a boat', 'a sale', 'a boat')])\n"
        "heard()\n"
    )
    memory.index(CHAT)
    found = memory.recall(BOAT).passages
    assert [(passage.id, passage.text) for passage in found] == [
        ("D1:1", "a boat"),
        ("D1:1#2", "a sale"),
    ]
    assert {passage.source for passage in found} == {("D1:1",)}


def test_the_lines_of_the_protocol(scripted: Make, tmp_path: Path) -> None:
    memory = scripted(
        "lines = [heard()]; say(name='recorder')\n"
        "lines.append(heard()); say(stored=2, ids=['x', 'y'])\n"
        "lines.append(heard())\n"
        f"open({str(tmp_path / 'lines')!r}, 'w').write(json.dumps(lines))\n"
        "say(found=[{'text': 'boat', 'id': 'y'}, {'text': 'sail',"
        " 'source': ['D1:1'], 'time': '2023-05-01'}]); heard()\n"
    )
    memory.index(History("chat", (Episode("session_1", MESSAGES[:1]),)))
    passages = memory.recall(BOAT).passages
    assert passages == (
        Passage("y", "boat", None, ("D1:1",)),
        Passage("item-1", "sail", TimePoint(2023, 5, 1), ("D1:1",)),
    )
    memory.close()
    hello, index, recall = json.loads((tmp_path / "lines").read_text())
    assert hello == {"request": 1, "hello": {"protocol": 2}}
    assert index == {
        "request": 2,
        "index": {
            **{"id": "D1:1", "session": "session_1", "speaker": "Ann", "text": "I sold my boat"},
            **{"date": "1 May 2023", "time": str(DAYS[0]), "history": "chat"},
        },
    }
    asked = {"text": "Who sold a boat?", "top_k": 10, "history": "chat"}
    assert recall == {"request": 3, "recall": asked}


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("crashing", "Own program ended with exit code 3; its last output: the disk .* is full"),
        ("hanging", "Own program hangs: .* its last output: waiting for a model that never answ"),
        (
            "garbage",
            "sent an invalid reply .expected Recalled.: .*'Loading the model...'",
        ),
    ],
)
def test_a_program_that_fails_is_an_error_with_its_last_words(
    make: Make, fault: str, told: str
) -> None:
    memory = make(fault, f"method.build.timeout_seconds={4 if fault == 'hanging' else 60}")
    memory.index(CHAT)
    for _ in range(2):  # the second time it was started again
        with pytest.raises(ProgramError, match=told):
            memory.recall(BOAT)


def test_after_a_crash_the_program_is_started_again_with_what_was_stored(
    scripted: Make, tmp_path: Path
) -> None:
    crashed = tmp_path / "crashed"
    memory = scripted(
        "heard(); say(name='frail'); texts = []\n"
        "while True:\n"
        "    line = heard()\n"
        "    if 'index' in line: texts.append(line['index']['text']); say(stored=1); continue\n"
        f"    if not os.path.exists({str(crashed)!r}):\n"
        f"        open({str(crashed)!r}, 'w').close(); os._exit(1)\n"
        "    say(found=[{'text': text} for text in texts])\n"
    )
    memory.index(CHAT)
    with pytest.raises(ProgramError, match="exit code 1"):
        memory.recall(BOAT)
    found = [passage.text for passage in memory.recall(BOAT).passages]
    assert found == ["I sold my boat", "My dog is called Rex"]
    assert memory.index_counts == {SENT: 2}


def test_a_program_that_refuses_a_message_is_told_with_its_reason(scripted: Make) -> None:
    refusing = (
        "heard(); say(name='full')\nwhile True:\n    line = heard()\n"
        "    say(error='no room') if 'index' in line else say(error='not ready')\n"
    )
    memory = scripted(refusing)
    with pytest.raises(NothingStoredError, match=r"stored nothing of history chat; .* no room"):
        memory.index(CHAT)
    with pytest.raises(ProgramError, match="the program cannot search: not ready"):
        memory.recall(BOAT)


def test_an_answer_too_many_is_an_error_and_not_the_answer_to_the_next_question(
    scripted: Make,
) -> None:
    memory = scripted(
        "heard(); say(name='twice')\n"
        "heard(); say(found=[{'text': 'boat'}]); say(found=[{'text': 'boat'}])\n"
        "heard(); say(found=[{'text': 'dog'}]); heard()\n"
    )
    assert [passage.text for passage in memory.recall(BOAT).passages] == ["boat"]
    told = r"\"request\" is 2, expected 3; for each line that a program reads, it must write"
    with pytest.raises(ProgramError, match=told):
        memory.recall(BOAT)
    assert [passage.text for passage in memory.recall(BOAT).passages] == ["boat"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("stored=10**30", r"stored: Input should be less than or equal to 1000000000"),
        ("stored=-1", r"stored: Input should be greater than or equal to 0"),
        ("stored=1, ids=['x'] * 10_001", r"ids: Tuple should have at most 10000 items"),
        ("stored=1, ids=['x' * 1001]", r"ids\.0: String should have at most 1000 characters"),
    ],
)
def test_an_answer_beyond_a_limit_is_an_error_that_names_it(
    scripted: Make, answer: str, told: str
) -> None:
    memory = scripted(f"heard(); say(name='great'); heard(); say({answer}); heard()")
    with pytest.raises(ProgramError, match=told):
        memory.index(CHAT)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("say(found=[{'text': ''}] * 10_001)", r"found: Tuple should have at most 10000 items"),
        ("say(found=[{'id': 'x'}])", r"found\.0\.text: Field required"),
        ("say(found=[{'text': 'a', 'time': 'soon'}])", "expected an ISO date or time"),
        ("say(found=[], more=1)", "more: Extra inputs are not permitted"),
        ("say(stored=1)", "stored: Extra inputs are not permitted"),
        ("sys.stdout.write('x' * (1 << 24) + 'yy'); sys.stdout.flush()", "a line of more than"),
    ],
)
def test_an_answer_that_is_not_of_the_protocol_is_named(
    scripted: Make, answer: str, told: str
) -> None:
    memory = scripted(f"heard(); say(name='odd'); heard(); {answer}; heard()")
    with pytest.raises(ProgramError, match=told):
        memory.recall(BOAT)


def test_a_program_has_a_home_of_its_own_no_keys_and_leaves_nothing(
    scripted: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    memory = scripted(
        "heard(); say(name=json.dumps([dict(os.environ), os.getcwd()])); heard()\n"
        "open('notes', 'w').close(); say(); heard()\n",
        '+method.build.environment.DATA="{folder}/data"',
    )
    memory.recall(BOAT)
    environment, folder = json.loads(memory.program)
    assert "sk-canary" not in memory.program
    assert (environment["HOME"], environment["DATA"]) == (folder, f"{folder}/data")
    assert (Path(folder) / "notes").exists()
    memory.close()
    assert not Path(folder).exists()


def test_what_a_program_started_ends_with_it(scripted: Make, tmp_path: Path) -> None:
    memory = scripted(
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "heard(); say(name=str(child.pid)); heard(); say(); heard()\n"
    )
    memory.recall(BOAT)
    child = int(memory.program)
    os.kill(child, 0)
    memory.close()
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or ") Z " in state.read_text():
            return
        time.sleep(0.05)
    pytest.fail("the child is still running")


def test_a_flood_of_errors_does_not_fill_the_memory_or_stop_the_program(scripted: Make) -> None:
    memory = scripted(
        "heard(); say(name='loud'); heard()\n"
        "for _ in range(300): sys.stderr.write('x' * 9999 + '\\n')\n"
        "sys.stderr.write('the end\\n'); sys.stderr.flush(); os._exit(2)\n"
    )
    with pytest.raises(ProgramError, match=r"exit code 2; its last output: .*the end$") as ended:
        memory.recall(BOAT)
    assert len(str(ended.value)) < 3000


def test_two_histories_have_a_process_each_or_share_one(make: Make, tmp_path: Path) -> None:
    config = configure(
        *("method=command", given(sys.executable, PROGRAM, "none", tmp_path / "s")),
        "method.build.isolation=namespace",
    )
    factory = config.memory_factory()
    first, second = factory(), factory()
    first.index(CHAT)
    second.index(History("other", (Episode("e", MESSAGES[1:]),)))
    assert [passage.id for passage in first.recall(BOAT).passages] == ["D1:1"]
    assert second.recall(Query("q", "other", 0, "Who sold a boat?")).passages == ()


def test_a_program_is_needed() -> None:
    with pytest.raises(UsageError, match=r"method=command needs a program: set method.build.comm"):
        configure("method=command").memory_factory()()


def test_a_program_that_is_not_there_is_named() -> None:
    memory = configure("method=command", given("no-such-program-x")).memory_factory()()
    with pytest.raises(ProgramError, match=r"Own program cannot be started: .*no-such-program-x"):
        memory.recall(BOAT)
