"""How a program in another environment is called, and how its loss is noticed."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remem.apps.rivals.worker_process import WorkerError, WorkerProcess
from remem.apps.rivals.worker_replies import Ready

TOLD = {"OPENAI_API_KEY": "its own"}
Start = Callable[..., WorkerProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Run a program as a worker; it is ended with the test."""
    started: list[WorkerProcess] = []

    def run(program: str, timeout_seconds: float = 20) -> WorkerProcess:
        command = [sys.executable, "-c", program]
        started.append(WorkerProcess("rival", command, timeout_seconds, TOLD))
        return started[-1]

    yield run
    for worker in started:
        worker.close()


def asked(worker: WorkerProcess, text: str = "", progress: Callable[[], object] = int) -> str:
    return worker.ask({"text": text}, Ready, progress).ready


ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"request": asked["request"], "ready": asked["text"]}), flush=True)
"""


@pytest.mark.parametrize("text", ["", "two\nlines", "Grüße, \u2028 \U0001f600", "x" * 300_000])
def test_an_object_goes_there_and_one_comes_back(start: Start, text: str) -> None:
    worker = start(ECHO)
    assert [asked(worker, text), asked(worker, "next")] == [text, "next"]


def test_one_that_ends_is_told_with_its_exit_code_and_last_lines(start: Start) -> None:
    lines = "".join(f"line {at}\n" for at in range(9))
    worker = start(f"import sys; sys.stdin.readline(); sys.exit({lines!r})")
    told = (
        "rival ended with exit code 1; its last output: line 4 / line 5 / line 6 / line 7 / line 8"
    )
    with pytest.raises(WorkerError, match=told):
        asked(worker)
    with pytest.raises(WorkerError, match="ended with exit code 1"):
        asked(worker)


def test_one_that_hangs_is_given_up_unless_there_is_progress(start: Start) -> None:
    told = "rival hangs: no answer and no model call in 0.05 s; it printed nothing"
    with pytest.raises(WorkerError, match=told):
        asked(start("import time; time.sleep(60)", 0.05))
    slow = start(f"import time; time.sleep(0.3)\n{ECHO}", 0.05)
    moments = iter(range(1000))
    assert asked(slow, "late", lambda: next(moments)) == "late"


@pytest.mark.parametrize(
    "program",
    [
        "import sys, time\nwhile True: sys.stdout.write('x'); sys.stdout.flush(); time.sleep(0.05)",
        "import os, time\nwhile True: os.read(0, 64); time.sleep(0.05)",
    ],
)
def test_a_byte_now_and_then_is_no_progress(start: Start, program: str) -> None:
    worker = start(program, 0.3)
    begun = time.monotonic()
    with pytest.raises(WorkerError, match=r"hangs: .* 0\.3 s; it printed nothing"):
        asked(worker, "x" * 300_000)
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Loading...", "line: Invalid JSON.*'Loading...'"),
        ('{"request": 1, "ready": 1}', "ready: Input should be a valid string"),
        ('{"request": 1, "ready": "1", "run": "rm"}', "run: Extra inputs are not permitted"),
        ('{"ready": "1"}', '"request" is none, expected 1; for each line that a program reads'),
        ('{"request": "1", "ready": "1"}', "request: Input should be a valid integer"),
        ('{"request": 1, "ready": "1", "ready": "2"}', "line: it has the key 'ready' twice"),
        ('{"request": 7, "stored": 1}', '"request" is 7, expected 1; for each line that a program'),
        ("\\xff", "line: Invalid JSON"),
    ],
)
def test_what_is_no_such_reply_is_an_error(start: Start, line: str, told: str) -> None:
    program = f"import sys; sys.stdin.readline(); sys.stdout.buffer.write(b'{line}\\n')"
    with pytest.raises(WorkerError, match=f"rival sent an invalid reply .expected Ready.: {told}"):
        asked(start(program))


def test_an_error_that_quotes_it_shows_no_key(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-canary")
    program = "import sys; sys.stdin.readline(); print('it said canary-canary')"
    with pytest.raises(WorkerError, match=r"in 'it said \*\*\*'"):
        asked(start(program))


def test_it_sees_no_key_no_proxy_and_no_home_of_ours(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "HTTPS_PROXY", "PYTHONPATH"):
        monkeypatch.setenv(name, "ours")
    program = (
        "import json, os, sys; sys.stdin.readline()\n"
        "seen = {name: one for name, one in os.environ.items() if one in ('ours', 'its own')}\n"
        "ready = json.dumps([seen, os.environ['HOME'], os.getcwd()])\n"
        "print(json.dumps({'request': 1, 'ready': ready}))"
    )
    worker = start(program)
    seen, home, folder = json.loads(asked(worker))
    assert seen == TOLD
    assert home == folder != os.environ.get("HOME")
    worker.close()
    assert not Path(folder).exists()
