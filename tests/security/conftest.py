"""The command next to private files, and a stranger's run and server."""

import gc
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from remem.cli import main as cli
from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment
from remem.run.store import open_run
from remem.serve.stub.stub import StubServer, StubSettings

SECRET = "/k7Gz+canary9Qw4x"
"""As base64 may begin, and so like a path."""
KEY = "sk-canary-7f3a9b2c"
Remem = Callable[..., tuple[int, str]]
Tamper = Callable[[str, object], None]


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """Start a loopback server; return its address, and the list of keys that it is sent."""
    sent: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            sent.append(self.headers.get("Authorization", ""))
            self.send_error(400)

        do_GET = do_POST  # noqa: N815  the name that http.server looks for

        def log_message(self, *parts: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", sent
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def stubbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with a run of one question that a stub answered."""
    results = tmp_path_factory.mktemp("stubbed") / "results"
    overrides = (
        *("dataset=generated_dialogues", "dataset.build.conversations=1"),
        *("dataset.build.sessions=2", "run.limit=1", "run.health=warn", "llm=loopback-stub"),
        *("method=embedding_messages", "reader=direct", "convention.score.resamples=9"),
        f"paths.results={results}",
    )
    with StubServer(StubSettings()) as stub:
        address = f"llm.build.endpoint.base_url={stub.base_url}"
        run_experiment(run_config(compose_config([*overrides, address])))
    gc.collect()  # closes the call store, whose files would vanish while they are copied
    return results


@pytest.fixture
def run(stubbed: Path, tmp_path: Path) -> Path:
    """A copy of that run, to tamper with."""
    results = shutil.copytree(stubbed, tmp_path / "results")
    [manifest] = results.rglob("manifest.json")
    return manifest.parent


@pytest.fixture
def remem(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Remem:
    """Return a function that runs the command in a folder with private files."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("HYDRA_FULL_ERROR", "")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("AWS_SECRET_ACCESS_KEY", "OPENAI_APIKEY", "GITHUB_PAT"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    (tmp_path / "modules").mkdir()
    was_run = str(tmp_path / "was_run")
    (tmp_path / "modules/evil.py").write_text(
        f"open({was_run!r}, 'w')\nclass Data:\n    def __init__(self) -> None: ...\n"
    )
    (tmp_path / "private.txt").write_text("Ann: mine alone.\n")
    python = tmp_path / "evil/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {was_run}\n")
    python.chmod(0o755)
    (tmp_path / "model").mkdir()

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["remem", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return call


@pytest.fixture
def tamper(run: Path) -> Tamper:
    """Return a function that changes a key of the run's manifest, and its checksum too."""

    def change(key: str, value: object) -> None:
        with open_run(run) as store:
            manifest = store.read_manifest()
            *path, last = key.split(".")
            node = manifest["config"]
            for part in path:
                node = node[part]
            node[last] = value
            manifest["config"]["run"]["packages"] = ["evil"]
            store.write_manifest(manifest)

    return change
