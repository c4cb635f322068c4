"""A sweep under each of Hydra's launchers runs its jobs in other processes and reports them all."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

REMEM = Path(sys.executable).parent / "remem"
LAUNCHERS = {
    "joblib": ("hydra_plugins.hydra_joblib_launcher", ["hydra/launcher=joblib"]),
    "submitit": (
        "hydra_plugins.hydra_submitit_launcher",
        ["hydra/launcher=submitit_local", "hydra.launcher.timeout_min=5"],
    ),
    "ray": ("hydra_plugins.hydra_ray_launcher", ["hydra/launcher=ray"]),
}


def there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.extra
@pytest.mark.parametrize("name", LAUNCHERS)
def test_a_sweep_runs_its_jobs_and_tells_what_failed(name: str, tmp_path: Path) -> None:
    module, overrides = LAUNCHERS[name]
    if not there(module):
        if name == "ray":  # its cloudpickle is not that of the other extras: make env NAME=ray
            pytest.skip("ray has an environment of its own")
        pytest.skip(f"{module} is not installed")
    command = [
        REMEM, "run", "-m", *overrides, "method=remem_s", "method.build.top_k=3,0,5",
        "run.histories=1", "run.limit=3", "convention.score.resamples=99",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "2 of 3 jobs are done" in done.stderr, done.stderr
    assert "method.build.top_k must be at least 1, found 0" in done.stderr
    assert len(list(tmp_path.glob("results/runs/**/records.canonical.jsonl"))) == 2
    assert len(list(tmp_path.glob("results/sweeps/*/report.html"))) == 1
