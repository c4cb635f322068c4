"""What runner=ray refuses without a cluster; the other tests: tests/extras/test_ray_runner.py."""

import sys
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import NetworkDiskError, UsageError
from remem.run.experiment import run_experiment

SMALL = ("runner=ray", "dataset.build.conversations=1", "run.limit=1")


def run(tmp_path: Path, *overrides: str) -> None:
    run_experiment(run_config(compose_config([*SMALL, f"paths.results={tmp_path}", *overrides])))


def test_without_the_package_the_error_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"runner=ray needs .* pip install '\.\[ray\]'"):
        run(tmp_path)


def test_a_run_is_not_timed_on_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="runner=ray does not measure times"):
        run(tmp_path, "cache=bypass")


def test_a_memory_does_not_grow_on_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="runner=ray sends complete histories"):
        run(tmp_path, "run.stream=session")


def test_the_results_of_a_cluster_lie_at_an_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"paths\.results is 'results', expected an absolute path"):
        run(tmp_path, "runner.address=auto", "paths.results=results")


def test_a_call_store_on_a_network_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("head:/ / nfs4 rw 0 0\n")
    monkeypatch.setattr("remem.run.ray_runner.MOUNTS", mounts)
    with pytest.raises(NetworkDiskError, match="is on nfs4"):
        run(tmp_path)


def fingerprint(*overrides: str) -> str:
    config = run_config(compose_config(["dataset=generated_dialogues", *overrides]))
    return config.fingerprint(config.build_benchmark().files())


def test_where_a_run_was_made_is_no_part_of_its_fingerprint() -> None:
    assert fingerprint("runner=ray", "runner.gpus_per_history=2") == fingerprint("runner=serial")


@pytest.mark.parametrize("gpus", ["-1", "1.5", "nan"])
def test_a_number_of_gpus_that_no_cluster_can_give_is_refused(tmp_path: Path, gpus: str) -> None:
    with pytest.raises(ValueError, match=r"runner\.gpus_per_history is .*, expected 0, a part"):
        run(tmp_path, f"runner.gpus_per_history={gpus}")
