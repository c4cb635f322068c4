"""Whether a process still runs, identified by its id and its start time."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from remem.files.live_process import Process

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def test_this_process_runs() -> None:
    assert Process.current().is_alive()


def test_a_process_that_has_ended_does_not_run() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert not Process("here", ended.pid, "").is_alive()


@NEEDS_PROC
def test_another_process_with_the_same_id_is_another_one() -> None:
    assert not replace(Process.current(), started="1").is_alive()


@NEEDS_PROC
def test_a_killed_process_that_nobody_has_waited_for_does_not_run() -> None:
    code = "import sys; print(open('/proc/self/stat').read(), flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as killed:  # type: ignore[call-overload]
        started = killed.stdout.readline().rpartition(b")")[2].split()[19].decode()
        process = Process("here", killed.pid, started)
        assert process.is_alive()
        killed.kill()
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
        assert not process.is_alive()
