"""A disk that is full or may not be written: a clear complaint, and a resume from what is there."""

import ctypes
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LIMITS = (20_000, 100_000, 250_000)
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


@pytest.mark.parametrize("limit", LIMITS)
def test_files_that_may_not_grow_end_the_run_and_the_next_start_goes_on(
    line: Any, undisturbed: bytes, limit: int, figure: Callable[[str, int], None]
) -> None:
    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code, said = line.ended(preexec_fn=no_room)
    assert code in (1, 3), said
    assert said.startswith("remem: ")
    assert line.finished() == undisturbed
    figure("faults injected", 1)


def test_results_that_may_not_be_written_are_named(
    line: Any, figure: Callable[[str, int], None]
) -> None:
    line.results.mkdir(mode=0o555)
    code, said = line.ended(preexec_fn=obey_modes)
    assert code == 1
    assert str(line.results) in said
    assert "ermission denied" in said
    figure("faults injected", 1)


def test_a_store_that_may_not_be_written_is_named_and_nothing_is_paid(
    line: Any, figure: Callable[[str, int], None]
) -> None:
    line.calls.parent.mkdir(parents=True)
    line.calls.touch(mode=0o444)
    line.calls.with_name("calls.sqlite.lock").touch()
    line.calls.parent.chmod(0o555)
    code, said = line.ended(preexec_fn=obey_modes)
    assert code == 1, said
    assert "calls.sqlite" in said
    assert sum(line.server.counts.bodies.values()) == 0
    line.calls.parent.chmod(0o755)
    figure("faults injected", 1)


def test_results_below_a_file_are_refused(
    line: Any, tmp_path: Path, figure: Callable[[str, int], None]
) -> None:
    (tmp_path / "results").write_text("no folder")
    code, said = line.ended()
    assert code == 1
    assert str(tmp_path / "results") in said
    figure("faults injected", 1)


def obey_modes() -> None:
    """Let root, too, write only what the modes of files allow."""
    if os.getuid() == 0:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)
