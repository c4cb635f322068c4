"""A stranger's run: a report of it builds nothing that a bundle could not name."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from remem import cli
from remem.config import compose_config, run_config
from remem.experiment import run_experiment
from remem.serve.stub import StubServer, StubSettings
from remem.store import open_run

SECRET = "/k7Gz+canary9Qw4x"
API = {
    "_target_": "remem.embed.api.ApiEmbedder",
    "base_url": "URL",
    "api_key_variable": "AWS_SECRET_ACCESS_KEY",
    "model": "m",
    "dimension": 4,
    "instructions": None,
    "sends_role": False,
    "batch_size": 8,
    "timeout_seconds": 5,
    "retries": 0,
    "calls": None,
}
OWN_LOG = {"_target_": "remem.own_log.benchmark.OwnLog", "log": "HERE/private.txt"}
Attack = tuple[str, dict[str, Any], tuple[str, ...], str]
"""What is changed: a dotted key, its value, the options of the report, what the error names."""
SERVER = {
    "_target_": "remem.llm.local_server.LocalServer",
    "engine": "x",
    **dict.fromkeys(("context_tokens", "threads", "start_seconds"), 1),
    **dict.fromkeys(("flash_attention", "cache_prompt"), False),
}
COMMAND = {"_target_": "os.system", "command": "touch HERE/was_run"}
ATTACKS: dict[str, Attack] = {
    "a program is started for the weights of a model": (
        "run.x",
        {**SERVER, "weights": COMMAND},
        ("--with-text",),
        "os.system",
    ),
    "a store is made for the weights of a model": (
        "run.x",
        {
            **SERVER,
            "weights": {
                "_target_": "remem.llm.vector_store.VectorStore",
                **{"store": "HERE/was_run", "model": "m", "dimension": 4},
            },
        },
        ("--with-text",),
        "remem.llm.vector_store.VectorStore",
    ),
    "texts are embedded at an address, with a key": (
        "method.build.retriever.embedder",
        API,
        ("--with-calls",),
        "remem.embed.api.ApiEmbedder",
    ),
    "a class of an admitted package is built for texts": (
        "dataset.build",
        {"_target_": "evil.Data"},
        ("--with-text",),
        "evil.Data",
    ),
    "a class of an admitted package is built for calls": (
        "reader.build",
        {"_target_": "evil.Data"},
        ("--with-calls",),
        "evil.Data",
    ),
    "a private file is read as a log": (
        "dataset.build",
        {**OWN_LOG, "questions": "HERE/private.txt"},
        ("--with-text",),
        "private.txt",
    ),
    "data never end": (
        "dataset.build.conversations",
        {"": 100_000_000},
        (),
        "plausible size",
    ),
}


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """Serve on the loopback; the address, and the keys that were sent to it."""
    sent: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            sent.append(self.headers.get("Authorization", ""))
            self.send_error(400)

        def log_message(self, *parts: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", sent
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one question that a stub answered."""
    overrides = (
        *("dataset=generated_dialogues", "dataset.build.conversations=1"),
        *("dataset.build.sessions=2", "run.limit=1", "run.health=warn", "llm=loopback-stub"),
        *("method=embedding_messages", "reader=direct", "convention.score.resamples=9"),
        f"paths.results={tmp_path / 'results'}",
    )
    with StubServer(StubSettings()) as stub:
        address = f"llm.build.endpoint.base_url={stub.base_url}"
        return run_experiment(run_config(compose_config([*overrides, address]))).folder


@pytest.fixture
def report(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, run: Path
) -> Callable[..., tuple[int, str]]:
    """Write the report of the run as the command does; return its exit code and what it said."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    (tmp_path / "modules").mkdir()
    was_run = str(tmp_path / "was_run")
    (tmp_path / "modules/evil.py").write_text(
        f"open({was_run!r}, 'w')\nclass Data:\n    def __init__(self) -> None: ...\n"
    )
    (tmp_path / "private.txt").write_text("Ann: mine alone.\n")

    def call(*options: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["remem", "report", str(run), *options])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return call


def tamper(run: Path, key: str, value: object) -> None:
    """Change the manifest of a run, as a stranger can, with a right sum."""
    with open_run(run) as store:
        manifest = store.read_manifest()
        *path, last = key.split(".")
        node = manifest["config"]
        for part in path:
            node = node[part]
        node[last] = value
        manifest["config"]["run"]["packages"] = ["evil"]
        store.write_manifest(manifest)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_report_of_a_strangers_run_sends_and_runs_nothing(
    report: Callable[..., tuple[int, str]],
    asked: tuple[str, list[str]],
    run: Path,
    tmp_path: Path,
    attack: Attack,
) -> None:
    url, sent = asked
    key, value, options, named = attack
    written = json.dumps(value.get("", value)).replace("URL", url).replace("HERE", str(tmp_path))
    tamper(run, key, json.loads(written))
    code, said = report(*options)
    assert code == 2 and named in said and "manifest.json names what no report builds" in said, said
    assert sent == [] and not (tmp_path / "was_run").exists()
    assert not (run / "report.html").exists()
    assert SECRET not in said and "Traceback" not in said


@pytest.mark.parametrize("options", [(), ("--with-text",), ("--with-calls",)])
def test_a_run_of_ones_own_is_reported(
    report: Callable[..., tuple[int, str]], run: Path, options: tuple[str, ...]
) -> None:
    code, said = report(*options)
    assert code == 0, said
    page = (run / "report.html").read_bytes()
    assert (b'"calls":[{' in page) == ("--with-calls" in options)
