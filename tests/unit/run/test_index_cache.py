"""An index is built once, shared by all runs that would build the same, and never incomplete."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from omegaconf import DictConfig

from remem.config.run_config import compose_config, run_config
from remem.errors import DiskError
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.run.store import MANIFEST

REMEM_I = ("method=remem_i", "planner=symbolic", "reader=symbolic")
REMEM_S = ("method=remem_s", "reader=symbolic")


@cache
def composed(*overrides: str) -> DictConfig:
    return compose_config(overrides)


def run(results: Path, parts: tuple[str, ...], *overrides: str) -> RunResult:
    config = composed(*parts, *overrides).copy()
    config.paths.results = str(results)
    return run_experiment(run_config(config))


def built_and_reused(result: RunResult) -> tuple[int, int]:
    content = json.loads((result.folder / MANIFEST).read_bytes())
    return content["indexes_built"], content["indexes_reused"]


def artefacts(results: Path) -> list[Path]:
    return sorted((results / "cache" / "indexes").iterdir())


def test_an_index_is_built_once_and_shared_by_methods_readers_and_ablations(
    tmp_path: Path, tiny: tuple[str, ...]
) -> None:
    assert built_and_reused(run(tmp_path, tiny, *REMEM_I)) == (2, 0)
    shared = run(tmp_path, tiny, *REMEM_S)
    assert built_and_reused(shared) == (0, 2)
    assert shared.records == run(tmp_path / "own", tiny, *REMEM_S).records
    for other in (("method=remem_s",), (*REMEM_I, "ablation=no_facts")):
        assert built_and_reused(run(tmp_path, tiny, *other)) == (0, 2)
    otherwise = run(tmp_path, tiny, *REMEM_S, "embedder.build.dimension=64")
    assert built_and_reused(otherwise) == (2, 0)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [flip, Path.unlink])
def test_a_damaged_index_is_named_set_aside_and_made_again(
    tmp_path: Path,
    tiny: tuple[str, ...],
    damage: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    whole = run(tmp_path, tiny, *REMEM_S)
    (tmp_path / "runs").rename(tmp_path / "earlier")
    kept = artefacts(tmp_path)
    for folder in kept:
        damage(folder / "arrays.bin")
    result = run(tmp_path, tiny, *REMEM_S)
    assert result.records == whole.records
    assert built_and_reused(result) == (2, 0)
    for folder in kept:
        assert f"{folder}: not a complete stored memory (arrays.bin " in caplog.text
        assert (folder.parent / f"{folder.name}.set-aside").is_dir()
    (tmp_path / "runs").rename(tmp_path / "second")
    assert built_and_reused(run(tmp_path, tiny, *REMEM_S)) == (0, 2)


def test_an_index_that_was_not_saved_whole_is_not_taken_for_one(
    tmp_path: Path, rehearsed: tuple[str, ...], rehearsal: ModuleType
) -> None:
    kept = ("method.build._target_=rehearsal.Kept", "+method.index_artefact=[]")
    rehearsal.BROKEN.add("saving")
    told = r"\.part cannot be written: No space left on device \(.* free on its disk\); free space"
    with pytest.raises(DiskError, match=told):
        run(tmp_path, rehearsed, *kept)
    assert artefacts(tmp_path) == []

    rehearsal.BROKEN.clear()
    rehearsal.INDEXED.clear()
    assert run(tmp_path, rehearsed, *kept).errors == 0
    assert rehearsal.INDEXED == ["h1", "h2"]
    assert [(folder / "index.txt").read_text() for folder in artefacts(tmp_path)] == ["whole"] * 2
