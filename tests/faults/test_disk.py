"""A disk that is full or read-only leads to a clear error, and the run can be resumed."""

import ctypes
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

LIMITS = (20_000, *(pytest.param(limit, marks=pytest.mark.slow) for limit in (100_000, 250_000)))
ROOM = (600_000, pytest.param(150_000, marks=pytest.mark.slow))
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Callable[[str], None]]:
    """Mount a disk of `size` bytes in memory; yield a function that remounts it with options."""

    def mount(options: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", options, "remem-test", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")

    place.mkdir()
    mount(f"size={size}")
    try:
        yield lambda options: mount(f"remount,{options}")
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def no_question_is_in_error(results: Path) -> bool:
    lines = [line for log in results.rglob("records.jsonl") for line in log.read_bytes().split()]
    return not any(b'"status":"error"' in line for line in lines)


@pytest.mark.parametrize("limit", LIMITS)
def test_files_that_may_not_grow_end_the_run_and_the_next_start_goes_on(
    line: Any, undisturbed: bytes, limit: int
) -> None:
    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code, said = line.ended(preexec_fn=no_room)
    assert code == 1, said
    assert said.startswith("remem: ")
    assert str(line.results) in said
    assert "run the same command to continue" in said
    assert no_question_is_in_error(line.results)
    assert line.finished() == undisturbed


@pytest.mark.parametrize("room", ROOM)
def test_a_full_disk_ends_the_run_with_path_and_room_and_the_next_start_goes_on(
    line: Any, undisturbed: bytes, room: int
) -> None:
    with small_disk(line.results, room) as again:
        code, said = line.ended()
        assert code == 1, said
        assert str(line.results) in said
        assert "free on its disk" in said
        assert "free space on its disk" in said
        assert "run the same command to continue" in said
        assert no_question_is_in_error(line.results)
        again("size=20m")
        assert line.finished() == undisturbed


def test_a_read_only_disk_ends_the_run_with_what_to_do(line: Any, undisturbed: bytes) -> None:
    with small_disk(line.results, 20_000_000) as again:
        # In a process of its own: no file may be open when the disk becomes read-only.
        assert replace(line, overrides=("run.histories=1",)).ended()[0] == 0
        again("ro")
        code, said = line.ended()
        assert code == 1, said
        assert str(line.results) in said
        assert "ead-only file system" in said
        assert "make its disk writable" in said
        again("rw")
        assert no_question_is_in_error(line.results)
        assert line.finished() == undisturbed


def test_results_that_may_not_be_written_are_named(line: Any) -> None:
    line.results.mkdir(mode=0o555)
    code, said = line.ended(preexec_fn=obey_modes)
    assert code == 1
    assert str(line.results) in said
    assert "ermission denied" in said


def test_a_store_that_may_not_be_written_is_named_and_nothing_is_paid(line: Any) -> None:
    line.calls.parent.mkdir(parents=True)
    line.calls.touch(mode=0o444)
    line.calls.with_name("calls.sqlite.lock").touch()
    line.calls.parent.chmod(0o555)
    code, said = line.ended(preexec_fn=obey_modes)
    assert code == 1, said
    assert "calls.sqlite" in said
    assert sum(line.server.counts.bodies.values()) == 0
    line.calls.parent.chmod(0o755)


def test_results_below_a_file_are_refused(line: Any, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("no folder")
    code, said = line.said_here()
    assert code == 2
    assert f"{tmp_path / 'results'} is a file, but a folder is expected" in said


def obey_modes() -> None:
    """Make even root obey the permissions of files."""
    if os.getuid() == 0:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
