"""Code that comes with a model runs only if conf pins the model and the command line allows it.

A stand-in for sentence-transformers records what it is told to load, and how.
"""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from remem.config.conf_files import pinned_models
from remem.config.instantiation import check_targets, instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.embed import sentence_transformer
from remem.errors import StopRunError, UsageError

MODEL = "nvidia/NV-Embed-v2"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PINNED = "7604d305b621f14095a1aa23d351674c2859553a"
SWITCH = f"run.model_code=[{MODEL}]"


class LoadedError(RuntimeError):
    """The stand-in was told to load a model."""


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the stand-in was told to load; its release is 6.0.0, the first that refuses code."""
    told: dict[str, Any] = {"release": "6.0.0"}

    def load(name: str, **settings: object) -> None:
        told.update({"name": name, **settings})
        raise LoadedError

    encoders, torch = ModuleType("sentence_transformers"), ModuleType("torch")
    vars(encoders).update(SentenceTransformer=load, __version__=told["release"])
    cuda = SimpleNamespace(is_available=lambda: False, OutOfMemoryError=MemoryError)
    vars(torch).update(float32="float32", float16="float16", cuda=cuda)
    for module in (encoders, torch):
        module.__spec__ = ModuleSpec(module.__name__, None)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(sentence_transformer, "version", lambda name: "4.42.4")
    return told


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def embed(*overrides: str) -> None:
    """Build an embedder from overrides as a run does, and embed a text."""
    config = run_config(compose_config(overrides))
    build = config.resolved["embedder"]["build"]["embedder"]
    check_targets("embedder", build, ("remem",))
    instantiate_checked(build).embed_documents(["Ann rows."])


def test_conf_pins_one_model_whose_code_may_run() -> None:
    assert pinned_models() == {(MODEL, PINNED)}


def test_code_of_a_pinned_model_runs_if_the_command_line_says_so(loaded: dict[str, Any]) -> None:
    with pytest.raises(LoadedError):
        embed("embedder=nv_embed_v2", SWITCH)
    assert (loaded["name"], loaded["revision"]) == (MODEL, PINNED)
    assert loaded["trust_remote_code"] is True


def test_it_does_not_run_without_that_switch(loaded: dict[str, Any]) -> None:
    for overrides in ([], ["run.model_code=[someone/else]"]):
        with pytest.raises(StopRunError, match=r"run\.model_code=\[nvidia/NV-Embed-v2\]"):
            embed("embedder=nv_embed_v2", *overrides)
    assert "name" not in loaded


@pytest.mark.parametrize(
    ("chosen", "model", "revision"),
    [
        ("sentence_transformer", "someone/model", COMMIT),
        ("sentence_transformer", MODEL, COMMIT),
        ("sentence_transformer", "model", PINNED),
        ("nv_embed_v2", "someone/model", PINNED),
        ("nv_embed_v2", MODEL, COMMIT),
        ("nv_embed_v2", "./nvidia/NV-Embed-v2", PINNED),
    ],
)
def test_no_other_model_and_no_other_commit_brings_code(
    loaded: dict[str, Any], chosen: str, model: str, revision: str
) -> None:
    where = "embedder.build.embedder"
    with pytest.raises(UsageError, match="Only a model whose revision is in the conf"):
        embed(
            *(f"embedder={chosen}", f"{where}.model={model}", f"{where}.revision='{revision}'"),
            *(f"{where}.trust_remote_code=true", f"run.model_code=[{model}]"),
        )
    assert "name" not in loaded


def test_a_folder_of_the_name_of_a_pinned_model_runs_no_code(
    loaded: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / MODEL).mkdir(parents=True)
    with pytest.raises(StopRunError, match="remem never runs the code of a model from a folder"):
        embed("embedder=nv_embed_v2", SWITCH)
    assert "name" not in loaded


def test_a_file_does_not_switch_it_on(tmp_path: Path) -> None:
    file = tmp_path / "conf/reader/mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"# @package _global_\nrun: {{model_code: [{MODEL}]}}\n")
    for option in ("hydra.searchpath=[conf]", f"--trust-config={tmp_path / 'conf'}"):
        with pytest.raises(UsageError, match=r"run\.model_code sets model code to run"):
            compose_config(["reader=mine", option])


@pytest.mark.parametrize("release", ["5.0.0", "5.7.0", "3.4.1"])
def test_releases_that_run_code_though_told_not_to_are_refused(
    loaded: dict[str, Any], monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    monkeypatch.setattr(sys.modules["sentence_transformers"], "__version__", release)
    with pytest.raises(StopRunError, match=r"pip install 'sentence-transformers>=6\.0\.0'"):
        embed("embedder=sentence_transformer")
    assert "name" not in loaded


@pytest.mark.parametrize("type_", ["sentence_transformers.models.Dense", "evil.Module"])
def test_they_load_a_folder_that_names_only_their_own_classes(
    loaded: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, type_: str
) -> None:
    monkeypatch.setattr(sys.modules["sentence_transformers"], "__version__", "5.6.1")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "modules.json").write_text(f'[{{"type": "{type_}"}}]')
    error = StopRunError if "evil" in type_ else LoadedError
    with pytest.raises(error):
        embed("embedder=sentence_transformer", f"embedder.build.embedder.model={folder}")
    assert ("name" in loaded) == ("evil" not in type_)


def test_code_is_refused_to_every_model_that_brings_none(loaded: dict[str, Any]) -> None:
    with pytest.raises(LoadedError):
        embed("embedder=sentence_transformer")
    assert loaded["trust_remote_code"] is False
