"""`remem referee certify` writes, signs and checks a certificate; altered files are refused."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from remem.apps.referee.certificates.certificate import CertificatePaths, certificate_paths
from remem.apps.referee.certificates.minisign import check_signature
from remem.apps.referee.certify import certify
from remem.bundle.pack import pack
from remem.bundle.verify import verify
from remem.config.run_config import compose_config, run_config
from remem.errors import UsageError, VerificationFailedError
from remem.reports.html import table_files
from remem.run.experiment import run_experiment
from remem.run.progress import no_view

needs_minisign = pytest.mark.skipif(
    shutil.which("minisign") is None, reason="the program minisign is missing"
)
Change = Callable[[CertificatePaths], object]


def ask(*words: object) -> Result:
    app = typer.Typer()
    app.command()(certify)
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of two questions with its certificate; tests only read it."""
    folder = tmp_path_factory.mktemp("certified")
    overrides = (f"paths.results={folder / 'results'}", "dataset=generated_dialogues")
    small = ("dataset.build.conversations=1", "dataset.build.sessions=2", "run.limit=2")
    config = run_config(compose_config([*overrides, *small, "method=bm25_messages"]))
    run = run_experiment(config)
    path = pack([run.folder], folder / "one.remem", no_view, files=table_files).path
    done = ask(path)
    assert done.exit_code == 0, done.exception
    assert "Not checked:" in done.output and "one.certificate.json" in done.output
    return path


@pytest.fixture
def bundle(certified: Path, tmp_path: Path) -> Path:
    """A copy of that bundle and its certificate, which a test may change."""
    for path in (certified, *certified.parent.glob("one.certificate.*")):
        shutil.copy(path, tmp_path)
    return tmp_path / certified.name


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """A secret key without a password, and its public key."""
    secret, public = tmp_path / "secret.key", tmp_path / "public.key"
    command = ["minisign", "-G", "-W", "-s", secret, "-p", public]
    subprocess.run(command, check=True, capture_output=True)
    return secret, public


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def test_an_unsigned_certificate_is_checked_and_its_page_states_its_sum(bundle: Path) -> None:
    checked = ask(bundle, "--check")
    assert checked.exit_code == 0, checked.exception
    assert "The certificate is not signed" in checked.output
    total = checked.output.split()[-1]
    assert len(total) == 64
    assert total in certificate_paths(bundle).page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda paths: append(paths.json),
        lambda paths: append(paths.page),
        lambda paths: paths.page.unlink(),
        lambda paths: append(paths.json.with_name("one.remem")),
        lambda paths: paths.json.write_text(
            paths.json.read_text("utf-8").replace('"answered":2', '"answered":1'), "utf-8"
        ),
    ],
    ids=["json", "page", "no page", "bundle", "number"],
)
def test_what_was_changed_is_refused(bundle: Path, change: Change) -> None:
    change(certificate_paths(bundle))
    checked = ask(bundle, "--check")
    assert isinstance(checked.exception, VerificationFailedError)


def test_the_certificate_of_another_bundle_is_refused(bundle: Path) -> None:
    paths = certificate_paths(bundle)
    text = paths.json.read_text("utf-8")
    begin = text.index(verify(bundle).sha256)
    paths.json.write_text(text[:begin] + "0" * 64 + text[begin + 64 :], "utf-8")
    checked = ask(bundle, "--check")
    assert isinstance(checked.exception, VerificationFailedError)
    assert "of another bundle" in str(checked.exception)


@needs_minisign
def test_minisign_accepts_the_signature_and_refuses_it_once_the_json_is_changed(
    bundle: Path, keys: tuple[Path, Path]
) -> None:
    secret, public = keys
    signed = ask(bundle, "--sign", secret)
    assert signed.exit_code == 0, signed.exception
    paths = certificate_paths(bundle)
    command = ["minisign", "-V", "-p", str(public), "-m", str(paths.json)]
    accepted = subprocess.run(command, check=False, capture_output=True, text=True)
    assert accepted.returncode == 0, accepted.stderr
    assert "remem certificate of the bundle" in accepted.stdout
    checked = ask(bundle, "--check", "--public-key", public)
    assert checked.exit_code == 0 and "The certificate is signed by the key" in checked.output
    before = paths.signature.read_bytes()
    assert ask(bundle, "--sign", secret).exit_code == 0
    assert paths.signature.read_bytes() == before  # no clock is in it
    text = paths.json.read_text("utf-8").replace('"answered":2', '"answered":1')
    paths.json.write_text(text, "utf-8")
    assert subprocess.run(command, check=False, capture_output=True).returncode != 0


@needs_minisign
def test_a_missing_signature_and_one_of_another_key_are_refused(
    bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    secret, public = keys
    unsigned = ask(bundle, "--check", "--public-key", public)
    assert "is not signed" in str(unsigned.exception)
    assert ask(bundle, "--sign", secret).exit_code == 0
    said = ask(bundle, "--check").output
    assert "was not checked: give --public-key" in said
    other = tmp_path / "other.key"
    command = ["minisign", "-G", "-W", "-s", str(tmp_path / "s.key"), "-p", str(other)]
    subprocess.run(command, check=True, capture_output=True)
    refused = ask(bundle, "--check", "--public-key", other)
    assert isinstance(refused.exception, VerificationFailedError)
    assert "is not a signature of" in str(refused.exception)
    assert "but the key id in the public key is" in str(refused.exception)
    paths = certificate_paths(bundle)
    paths.json.write_text(paths.json.read_text("utf-8").replace('"ms"', '"s"'), "utf-8")
    with pytest.raises(VerificationFailedError, match="Signature verification failed"):
        check_signature(paths.json, paths.signature, public)


def test_without_the_program_nothing_is_written(
    certified: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "secret.key"
    key.touch()
    monkeypatch.setattr("shutil.which", lambda name: None)
    refused = ask(certified, "--sign", key, "--out", tmp_path / "out")
    assert isinstance(refused.exception, UsageError)
    assert "minisign is not installed: apt install minisign" in str(refused.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--public-key", "a"), "--public-key needs --check"),
        (("--check", "--sign", "a"), "--sign and --check cannot be used"),
        (("--check", "--out", "elsewhere"), "make it: remem referee certify"),
        (("--check", "--public-key", "none.pub"), "there is no public key at none.pub"),
    ],
)
def test_options_that_do_not_fit_are_told(bundle: Path, words: tuple[str, ...], said: str) -> None:
    refused = ask(bundle, *words)
    assert isinstance(refused.exception, UsageError)
    assert said in str(refused.exception)
