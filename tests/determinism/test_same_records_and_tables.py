"""The same configuration, data and store give the same records and tables, byte for byte.

`make determinism` prints the whole matrix, and gets the Pythons that this file looks for.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from measure.determinism import (
    Outcome,
    Variant,
    kernels,
    python_release,
    run_line,
    run_variant,
)
from measure.figures import note_figure

ROOT = Path(__file__).parent.parent.parent
PYTHONS = sorted(ROOT.glob(".venv-3.*/bin/python"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("same") / "first"


@pytest.fixture(scope="module")
def expected(store: Path) -> Outcome:
    return run_line(store, None, workers=1, single=False)


def assert_same(found: Outcome, expected: Outcome, across: str) -> None:
    assert found.difference(expected) == ""
    assert found.bytes == expected.bytes
    note_figure("canonical bytes equal across", found.bytes, across=across)


def test_it_is_the_whole_line(expected: Outcome) -> None:
    records = [name for name in expected.sums if name.endswith("records.canonical.jsonl")]
    assert len(records) == 6 and len(expected.sums) == 11
    assert sum("loopback-stub" in name for name in records) == 2


def test_two_workers_on_the_same_store_change_nothing(
    store: Path, expected: Outcome, tmp_path: Path
) -> None:
    assert_same(run_line(tmp_path / "it", store, workers=2, single=False), expected, "2 workers")


def test_texts_embedded_one_at_a_time_change_nothing(expected: Outcome, tmp_path: Path) -> None:
    assert_same(run_line(tmp_path / "it", None, workers=1, single=True), expected, "single")


@pytest.mark.parametrize("at", [0, 1])
def test_the_kernels_of_another_processor_change_nothing(
    store: Path, expected: Outcome, tmp_path: Path, at: int
) -> None:
    kernel = kernels()[at]
    variant = Variant(kernel, environment={"OPENBLAS_CORETYPE": kernel})
    assert_same(run_variant(variant, tmp_path / "it", store), expected, kernel)


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parent.parent.name)
def test_another_python_changes_nothing(
    store: Path, expected: Outcome, tmp_path: Path, python: Path
) -> None:
    release = f"Python {python_release(str(python))}"
    variant = Variant(release, str(python))
    assert_same(run_variant(variant, tmp_path / "it", store), expected, release)


@pytest.mark.skipif("REMEM_PYTHONS" not in os.environ, reason="make trust asks for them all")
def test_every_python_that_is_asked_for_was_compared() -> None:
    releases = {python_release(str(python)).rpartition(".")[0] for python in PYTHONS}
    assert {*os.environ["REMEM_PYTHONS"].split()} <= releases


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
