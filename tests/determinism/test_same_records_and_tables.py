"""The same configuration, data and store give the same records and tables, byte for byte.

The other Pythons are those that `make env NAME=3.12` has set up.
"""

import json
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EVERY_PART = Path(__file__).with_name("every_part.py")
PYTHONS = sorted(ROOT.glob(".venv-3.*/bin/python"))
MULTIPLY = "import numpy as np; np.ones((64, 64)) @ np.ones((64, 64))"

Sums = dict[str, str]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("same") / "first"


@pytest.fixture(scope="module")
def expected(store: Path) -> Sums:
    return sums(store)


def sums(*words: object, python: object = sys.executable, **environment: str) -> Sums:
    """Run every part in a process of its own, and return the checksums of its files."""
    done = subprocess.run(
        [str(python), str(EVERY_PART), *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@cache
def kernels() -> tuple[str, ...]:
    """Return the processors whose OpenBLAS kernels run on this machine.

    A kernel for a newer processor, such as one with AVX-512, ends the process.
    """
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    named = ("Prescott", "Haswell", "SkylakeX", "Zen") if is_x86 else ("ARMV8", "NEOVERSEN1")
    return tuple(kernel for kernel in named if runs(kernel))


def runs(kernel: str) -> bool:
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    command = [sys.executable, "-c", MULTIPLY]
    return not subprocess.run(command, env=environment, capture_output=True, check=False).returncode


def test_it_is_the_whole_line(expected: Sums) -> None:
    records = [name for name in expected if name.endswith("records.canonical.jsonl")]
    assert len(records) == 6 and len(expected) == 11
    assert sum("loopback-stub" in name for name in records) == 2


def test_two_workers_on_the_same_store_change_nothing(
    store: Path, expected: Sums, tmp_path: Path
) -> None:
    assert sums(tmp_path / "it", "--store", store, "--workers", 2) == expected


@pytest.mark.slow
def test_texts_embedded_one_at_a_time_change_nothing(expected: Sums, tmp_path: Path) -> None:
    assert sums(tmp_path / "it", "--single") == expected


@pytest.mark.slow
def test_the_kernels_of_another_processor_change_nothing(
    store: Path, expected: Sums, tmp_path: Path
) -> None:
    found = sums(tmp_path / "it", "--store", store, OPENBLAS_CORETYPE=kernels()[0])
    assert found == expected


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parent.parent.name)
def test_another_python_changes_nothing(
    store: Path, expected: Sums, tmp_path: Path, python: Path
) -> None:
    assert sums(tmp_path / "it", "--store", store, python=python) == expected


INTERVALS = """
import numpy as np
from remem.metrics.intervals import mean_ratio, ratio_intervals
scores = np.random.default_rng(3).random((20, 560))
print(ratio_intervals([mean_ratio(one) for one in scores], resamples=500, seed=1))
"""


def test_intervals_are_the_same_to_the_last_digit_whatever_the_kernel() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", INTERVALS],
            env={**os.environ, "OPENBLAS_CORETYPE": kernel},
            capture_output=True,
            check=True,
        ).stdout
        for kernel in kernels()
    }
    assert len(said) == 1
