"""`remem referee leaderboard` makes a site of verified bundles, and names those it refuses."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from remem.apps.referee.certificates.certificate import (
    certificate_bytes,
    certificate_paths,
    read_certificate,
)
from remem.apps.referee.certify import certify
from remem.apps.referee.leaderboard import leaderboard
from remem.bundle.pack import pack
from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError, VerificationFailedError
from remem.reports.html import table_files
from remem.run.experiment import run_experiment
from remem.run.progress import no_view
from remem.run.store import open_run

UNSUPPORTED = "Nothing else supports these facts: whether each run was replayed"


def ask(*words: object) -> Result:
    app = typer.Typer()
    for verb in (certify, leaderboard):
        app.command()(verb)
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundles of two methods and their certificates; tests only read it."""
    folder = tmp_path_factory.mktemp("board")
    overrides = (f"paths.results={folder / 'results'}", "dataset=generated_dialogues")
    small = ("dataset.build.conversations=1", "dataset.build.sessions=2", "run.limit=4")
    for method in ("bm25_messages", "no_memory"):
        config = run_config(compose_config([*overrides, *small, f"method={method}"]))
        run = run_experiment(config)
        path = pack([run.folder], folder / f"{method}.remem", no_view, files=table_files).path
        assert ask("certify", path).exit_code == 0
    return folder


@pytest.fixture
def folder(certified: Path, tmp_path: Path) -> Path:
    """A copy of that folder, which a test may change."""
    copy = tmp_path / "bundles"
    copy.mkdir()
    for path in certified.glob("*.*"):
        shutil.copy(path, copy)
    return copy


def test_the_site_has_a_board_for_each_convention_and_the_certificates(
    folder: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    done = ask("leaderboard", folder, "--out", site)
    assert done.exit_code == 0, done.exception
    assert "2 bundles, 3 boards" in done.output
    listed = json.loads((site / "leaderboard.json").read_bytes())
    assert [board["convention"] for board in listed["boards"]] == ["paper", "reference", "strict"]
    assert [row["rank"] for row in listed["boards"][0]["rows"]] == [
        1,
        1,
    ]  # 4 questions tell nothing
    assert {row["system"] for row in listed["boards"][0]["rows"]} == {
        "BM25 (reader extractive, hashing)",
        "No memory (reader extractive, hashing)",
    }
    page = (site / "index.html").read_text("utf-8")
    for path in folder.glob("*.certificate.json"):
        certificate, content = read_certificate(path)
        place = f"certificates/{certificate.bundle.sha256}"
        assert f'href="{place}.html#run-1"' in page
        assert (site / f"{place}.json").read_bytes() == content
        assert (site / f"{place}.html").is_file()
    assert str(folder) not in page
    assert "1 pair compared." in page
    for file in site.rglob("*.html"):
        assert UNSUPPORTED in file.read_text("utf-8")
    assert ">1 run, certified by" in (site / f"{place}.html").read_text("utf-8")


def test_a_refused_bundle_is_named_on_the_page_and_by_the_exit_code(
    folder: Path, tmp_path: Path
) -> None:
    certificate_paths(folder / "no_memory.remem").json.unlink()
    site = tmp_path / "site"
    done = ask("leaderboard", folder, "--out", site)
    assert isinstance(done.exception, VerificationFailedError)
    assert "no_memory.remem has no no_memory.certificate.json" in str(done.exception)
    page = (site / "index.html").read_text("utf-8")
    assert "1 verified bundle, 1 refused" in page
    assert (
        "no_memory.remem: no_memory.remem has no no_memory.certificate.json; "
        "make it: remem referee certify no_memory.remem"
    ) in page
    replayed = ask("leaderboard", folder, "--out", tmp_path / "replayed", "--replay")
    assert replayed.exit_code == 0, replayed.exception
    assert "replayed for this page" in (tmp_path / "replayed" / "index.html").read_text("utf-8")
    for file in (tmp_path / "replayed").rglob("*.html"):
        assert UNSUPPORTED not in file.read_text("utf-8")


@pytest.mark.skipif(shutil.which("minisign") is None, reason="the program minisign is missing")
def test_with_keys_only_what_one_of_them_signed_is_accepted(folder: Path, tmp_path: Path) -> None:
    for name in ("mine", "yours"):
        made = ["minisign", "-G", "-W", "-s", tmp_path / f"{name}.key", "-p", tmp_path / name]
        subprocess.run(made, check=True, capture_output=True)
    signed = ask("certify", folder / "no_memory.remem", "--sign", tmp_path / "mine.key")
    assert signed.exit_code == 0, signed.exception
    keys = ("--public-key", tmp_path / "yours", "--public-key", tmp_path / "mine")
    done = ask("leaderboard", folder, "--out", tmp_path / "site", *keys)
    assert isinstance(done.exception, VerificationFailedError)
    assert "bm25_messages.certificate.json is not signed" in str(done.exception)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "1 verified bundle, 1 refused" in page and "by its signed certificate" in page


def test_no_site_is_written_without_a_bundle_or_over_other_files(
    folder: Path, tmp_path: Path
) -> None:
    for path in folder.glob("*.certificate.json"):
        path.unlink()
    site = tmp_path / "site"
    done = ask("leaderboard", folder, "--out", site)
    assert isinstance(done.exception, UsageError)
    assert "no bundle was accepted; the first, bm25_messages.remem, was refused" in str(
        done.exception
    )
    assert not site.exists()
    before = sorted(folder.iterdir())
    done = ask("leaderboard", folder, "--out", folder)
    assert isinstance(done.exception, UsageError) and "is not empty" in str(done.exception)
    assert sorted(folder.iterdir()) == before
    done = ask("leaderboard", folder, "--out", folder, "--replay", "--public-key", "a.pub")
    assert "but --replay reads none" in str(done.exception)


def test_the_same_bundles_give_the_same_page(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert ask("leaderboard", folder, "--out", tmp_path / name).exit_code == 0
    for path in (tmp_path / "one").rglob("*.*"):
        if path.is_file():
            there = tmp_path / "two" / path.relative_to(tmp_path / "one")
            assert there.read_bytes() == path.read_bytes()


def test_the_label_of_a_method_replaces_no_system(folder: Path, tmp_path: Path) -> None:
    small = ("dataset.build.conversations=1", "dataset.build.sessions=2", "run.limit=4")
    overrides = (f"paths.results={tmp_path / 'results'}", "dataset=generated_dialogues", *small)
    config = run_config(compose_config([*overrides, "method=no_memory", "method.label=BM25"]))
    run = run_experiment(config)
    path = pack([run.folder], folder / "false.remem", no_view, files=table_files).path
    assert ask("certify", path).exit_code == 0
    done = ask("leaderboard", folder, "--out", tmp_path / "site")
    assert done.exit_code == 0, done.exception
    rows = json.loads((tmp_path / "site" / "leaderboard.json").read_bytes())["boards"][0]["rows"]
    named = [row["system"] for row in rows if row["system"].startswith("BM25 (")]
    assert len(rows) == 3 and len(set(named)) == 2
    assert all(", settings " in name for name in named)
    assert not any(row["earlier"] for row in rows)


def test_a_later_run_of_equal_settings_has_the_first_as_its_history(
    folder: Path, tmp_path: Path
) -> None:
    small = ("dataset.build.conversations=1", "dataset.build.sessions=2", "run.limit=4")
    overrides = (f"paths.results={tmp_path / 'results'}", "dataset=generated_dialogues", *small)
    run = run_experiment(run_config(compose_config([*overrides, "method=no_memory"])))
    with open_run(run.folder) as store:  # the first run may have ended within the same second
        store.write_manifest({**store.read_manifest(), "finished": "2100-01-01T00:00:00+00:00"})
    path = pack([run.folder], folder / "again.remem", no_view, files=table_files).path
    assert ask("certify", path).exit_code == 0
    done = ask("leaderboard", folder, "--out", tmp_path / "site")
    assert done.exit_code == 0, done.exception
    rows = json.loads((tmp_path / "site" / "leaderboard.json").read_bytes())["boards"][0]["rows"]
    assert {row["system"]: len(row["earlier"]) for row in rows} == {
        "BM25 (reader extractive, hashing)": 0,
        "No memory (reader extractive, hashing)": 1,
    }


def test_texts_of_a_bundle_stay_texts(folder: Path, tmp_path: Path) -> None:
    """A certificate's note on its replay is not checked against the bundle, but it is escaped."""
    paths = certificate_paths(folder / "no_memory.remem")
    certificate, _ = read_certificate(paths.json)
    hostile = certificate_bytes(certificate)
    hostile = hostile.replace(b'"certified_with":"', b'"certified_with":"<img src=x>')
    paths.json.write_bytes(hostile)
    done = ask("leaderboard", folder, "--out", tmp_path / "site")
    assert isinstance(done.exception, VerificationFailedError)
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text("utf-8")
        assert "<img src=x>" not in text
