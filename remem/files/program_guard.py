"""Guard a command: once it or our process ends, kill everything that it started.

The guard uses only the standard library and is run by its path, with the arguments PARENT REPORT
FOLDER COMMAND... The command inherits stdin, stdout and stderr from the guard. The guard kills all
its own descendants when the command ends, when the process PARENT is gone (it then also removes
FOLDER), or on SIGTERM. It exits with the exit code or signal of the command. On Linux, the guard
adopts orphans, so that it can also kill daemons, and it consists of two processes: if the command
kills one of them, the other kills everything.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

WATCH_SECONDS = 0.25
"""Seconds between checks of the parent; no signal reports the end of a parent of many threads."""
END_SECONDS = 2.0
"""The maximum time to end all processes: one that waits for a broken disk cannot be killed."""
REAP_SECONDS = 0.001
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
ON_LINUX = sys.platform.startswith("linux")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main(parent: int, report: int, folder: str, command: list[str]) -> None:
    """Run the command, kill all that it started, and end with the command's exit code or signal."""
    os.set_inheritable(report, False)

    def execute(guard: int) -> None:
        _execute(command, report, guard)

    def guard_again(guard: int) -> None:
        _guard(guard, report, "", execute)

    _guard(parent, report, folder, guard_again if ON_LINUX else execute)


def _guard(parent: int, report: int, folder: str, run: Callable[[int], None]) -> None:
    """Run a function in a child, end all that it starts, and end with its exit code or signal."""
    asked_to_end: list[int] = []
    woken = _wake_at_signals(asked_to_end)
    _control(PR_SET_CHILD_SUBREAPER, 1)
    _control(PR_SET_PDEATHSIG, signal.SIGCONT)  # a guard that is stopped must notice it
    child = _started(run)
    os.close(report)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # else the pipes would not close when the program closes its ends
        os.dup2(nothing, stream)
    statuses: dict[int, int] = {}
    while child not in statuses and not asked_to_end and os.getppid() == parent:
        select.select([woken], [], [], WATCH_SECONDS)
        with suppress(BlockingIOError):
            os.read(woken, 1 << 10)
        _reap(statuses)
    _end_all(child, statuses)
    if folder and os.getppid() != parent:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    _end_as(statuses.get(child, signal.SIGKILL))


def _wake_at_signals(asked_to_end: list[int]) -> int:
    """Return a pipe that gets a byte at each signal that is not ignored."""
    woken, waking = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGCONT):
        signal.signal(number, lambda number, frame: None)
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, frame: asked_to_end.append(number))
    return woken


def _control(option: int, value: int) -> None:
    """Call Linux's `prctl`; do nothing elsewhere, where only the command's group can be ended."""
    if ON_LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def _started(run: Callable[[int], None]) -> int:
    """Run a function in a child with its own session, and return the id of the child."""
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            run(parent)
        finally:
            os._exit(127)
    return child


def _execute(command: list[str], report: int, guard: int) -> None:
    """Replace this process by the command; report its id, or why it cannot be started."""
    _control(PR_SET_PDEATHSIG, signal.SIGKILL)  # if the guard itself is killed
    if os.getppid() != guard:
        return
    os.write(report, b"pid %d\n" % os.getpid())
    for number in IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, _environment())
    except OSError as error:
        os.write(report, b"error %d\n" % (error.errno or 0))


def _environment() -> dict[bytes, bytes]:
    """Return the environment without the variable that Python adds to it in a plain C locale."""
    try:
        with open("/proc/self/environ", "rb") as file:  # noqa: PTH123  pathlib is slow to import
            content = file.read()
    except OSError:
        return dict(os.environb)
    variables = (line.partition(b"=") for line in content.split(b"\0") if line)
    return {name: value for name, _, value in variables}


def _reap(statuses: dict[int, int]) -> bool:
    """Store the statuses of the children that have ended; return whether any child is left.

    Orphans become children of the guard, so no child is left only if no descendant is left.
    """
    with suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return True
            statuses[child] = status
    return False


def _end_all(program: int, statuses: dict[int, int]) -> None:
    """Kill all descendants, and store their statuses."""
    deadline = time.monotonic() + END_SECONDS
    while _reap(statuses) and time.monotonic() < deadline:
        _kill_descendants(program)
        time.sleep(REAP_SECONDS)


def _kill_descendants(program: int) -> None:
    try:
        stopped: set[int] = set()
        while new := _descendants() - stopped:  # one that is stopped starts no further process
            _send(new, signal.SIGSTOP)
            stopped |= new
        _send(stopped, signal.SIGKILL)
    except FileNotFoundError:  # a system without /proc
        with suppress(OSError):
            os.killpg(program, signal.SIGKILL)


def _send(processes: set[int], number: int) -> None:
    for process in processes:
        with suppress(OSError):  # it has ended, or belongs to another user
            os.kill(process, number)


def _descendants() -> set[int]:
    """Return the running processes below this one."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208  as above
        with (
            suppress(OSError),
            open(f"/proc/{name}/stat", "rb") as file,  # noqa: PTH123  as above
        ):
            state, parent, *_ = file.read().rpartition(b")")[2].split()
            if state not in (b"Z", b"X"):
                children.setdefault(int(parent), []).append(int(name))
    below, left = set(), [os.getpid()]
    while left:
        direct = children.pop(left.pop(), [])
        below.update(direct)
        left += direct
    return below


def _end_as(status: int) -> None:
    """End with the exit code of the program, or by the same signal, without a core file."""
    if os.WIFSIGNALED(status):
        import resource

        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
