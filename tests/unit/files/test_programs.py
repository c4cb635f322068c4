"""Started programs leave nothing behind, however they or the process that started them end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remem.files.programs import LONGEST_LINE, LongLineError, Program, run_program

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(77)
    os._exit(0)
sys.stdin.read()
"""
"""Starts a daemon that leaves its session and holds the output."""

Start = Callable[..., Program]


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def parent_of_parent_of(process: int) -> int:
    return parent_of(parent_of(process))


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a program in Python; it is ended with the test."""
    started: list[Program] = []

    def run(code: str) -> Program:
        started.append(Program([sys.executable, "-c", code], environment=None, folder=""))
        return started[-1]

    yield run
    for program in started:
        program.close()


def seconds_left() -> float:
    return 20.0


def line_of(program: Program) -> str:
    return (program.read_line(seconds_left) or b"").decode()


def is_running(process: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it may end while its state is read
        return False


def ends_soon(process: int) -> bool:
    for _ in range(200):
        if not is_running(process):
            return True
        time.sleep(0.01)
    return False


def test_a_daemon_that_holds_the_output_ends_with_its_program(start: Start) -> None:
    program = start(DAEMON)
    daemon = int(line_of(program))
    assert is_running(daemon)
    begun = time.monotonic()
    program.close()
    assert time.monotonic() - begun < 2
    assert not is_running(daemon)


def test_what_a_program_started_ends_when_the_program_ends(start: Start) -> None:
    program = start(DAEMON)
    daemon = int(line_of(program))
    os.kill(program.pid, signal.SIGKILL)
    with pytest.raises(EOFError):
        program.read_line(seconds_left)
    assert ends_soon(daemon)
    assert program.wait(20) == -signal.SIGKILL


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_program_and_its_folder_do_not_outlive_a_killed_starter(
    tmp_path: Path, *, is_stopped: bool
) -> None:
    folder = tmp_path / "of the program"
    folder.mkdir()
    code = (
        "import sys, time; from remem.files.programs import Program\n"
        f"program = Program([sys.executable, '-c', {DAEMON!r}], environment=None, "
        f"folder={str(folder)!r})\n"
        "print(program.pid, program.read_line(lambda: 20.0).decode(), flush=True)\n"
        "time.sleep(77)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        processes = [int(word) for word in starter.stdout.readline().split()]
        assert all(map(is_running, processes))
        if is_stopped:
            os.kill(parent_of_parent_of(processes[0]), signal.SIGSTOP)
        starter.kill()
    assert all(map(ends_soon, processes))
    for _ in range(200):
        if not folder.exists():
            return
        time.sleep(0.01)
    pytest.fail("the folder is still there")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("guard", [parent_of, parent_of_parent_of])
def test_all_of_a_program_ends_soon_even_if_one_guard_was_killed_or_stopped(
    start: Start, guard: Callable[[int], int], number: int
) -> None:
    program = start(DAEMON)
    daemon = int(line_of(program))
    os.kill(guard(program.pid), number)
    begun = time.monotonic()
    program.close()
    assert time.monotonic() - begun < 2
    assert ends_soon(program.pid)
    assert ends_soon(daemon)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; sys.exit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -signal.SIGSEGV),
    ],
)
def test_the_exit_code_is_the_one_of_the_program(start: Start, code: str, expected: int) -> None:
    assert start(code).wait(20) == expected


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program-x"):
        Program(["no-such-program-x"], environment=None, folder="")


def test_it_has_the_given_environment_and_no_file_of_ours() -> None:
    given = {"A": "1", "LC_ALL": ""}
    code = "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1], os.getsid(0))"
    program = Program(["/usr/bin/env"], environment=given, folder="")
    assert [line_of(program), line_of(program)] == ["A=1", "LC_ALL="]
    with pytest.raises(EOFError):
        program.read_line(seconds_left)
    program.close()
    program = Program([sys.executable, "-c", code], environment=None, folder="")
    assert line_of(program) == f"[0, 1, 2] {program.pid}"
    program.close()


def test_a_line_that_is_too_long_is_not_read_to_its_end(start: Start) -> None:
    program = start("import sys\nwhile True: sys.stdout.write('x' * 65536)")
    with pytest.raises(LongLineError, match=f"more than {LONGEST_LINE:,} bytes"):
        program.read_line(seconds_left)


def test_of_a_program_that_runs_to_its_end_the_last_output_is_kept() -> None:
    code = "import sys; print('x' * 10**6 + 'end'); print('why', file=sys.stderr); sys.exit(3)"
    ended = run_program([sys.executable, "-c", code], 20)
    assert (ended.exit_code, ended.output[-4:], ended.errors) == (3, "end\n", "why\n")
    assert len(ended.output) <= 1 << 16
    with pytest.raises(TimeoutError, match=r"did not end within 0\.1 s"):
        run_program([sys.executable, "-c", "import time; time.sleep(77)"], 0.1)


def test_what_is_left_of_a_program_that_has_ended_ends_too_and_delays_nobody() -> None:
    code = "import os, time\nchild = os.fork()\nprint(child) if child else time.sleep(77)"
    begun = time.monotonic()
    ended = run_program([sys.executable, "-c", code], 20)
    assert time.monotonic() - begun < 1.5  # it would be 2 s if the output were still open
    assert ended.exit_code == 0
    assert ends_soon(int(ended.output))
