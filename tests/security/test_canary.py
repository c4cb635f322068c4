"""A key in the environment must not appear in anything that the commands write, print or log.

The endpoint is the worst possible: it fails, refuses, and repeats the key that it was sent.
"""

import base64
import json
import logging
import sqlite3
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
import yaml

from remem.cli import main as cli
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.serve.stub.stub import StubServer

CANARY = "sk-canary/7f3a+9b2c=d4e5f6&0815"
"""With characters that base64, addresses and JSON write in other ways."""
FORMS = {
    CANARY,
    quote(CANARY, safe=""),
    quote(CANARY),
    CANARY.replace("/", "\\/"),
    *(base64.b64encode(b"x" * shift + CANARY.encode())[4:-4].decode() for shift in range(3)),
    CANARY.encode().hex(),
    CANARY.replace("-", r"\u002d"),
    CANARY.replace("-", r"\\u002d"),
    CANARY[3:20],
}
LINE = (
    *("dataset=generated_dialogues", "dataset.build.conversations=1", "dataset.build.sessions=1"),
    *("run.limit=1", "method=remem_i", "extractor=llm", "planner=llm", "reader=direct"),
    *("llm=loopback-stub", "llm.build.endpoint.key_variable=OPENAI_API_KEY"),
    *("embedder=loopback-stub", "embedder.build.embedder.api_key_variable=OPENAI_API_KEY"),
    *("judge=llm", "convention.score.resamples=9", "llm.build.endpoint.tries=2"),
)

Commands = Callable[..., int]


class Said:
    """All that was written to stdout, stderr and logs."""

    def __init__(self) -> None:
        self.text = ""


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def remem(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    said: Said,
    tmp_path: Path,
) -> Commands:
    """Return a function that calls the command with the canary in its environment."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("HYDRA_FULL_ERROR", "")
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG)

    def call(*arguments: object) -> int:
        monkeypatch.setattr(sys, "argv", ["remem", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = capfd.readouterr()
        said.text += f"{printed.out}\n{printed.err}\n{caplog.text}\n"
        caplog.clear()
        return int(ended.value.code or 0)

    return call


def at(url: str, results: Path) -> tuple[str, ...]:
    return (
        f"llm.build.endpoint.base_url={url}",
        f"embedder.build.embedder.base_url={url}",
        f"paths.results={results}",
    )


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of every file; archives and databases are unpacked."""
    for path in folder.rglob("*"):
        yield str(path), str(path).encode()
        if not path.is_file():
            continue
        yield str(path), path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{path}!{name}", archive.read(name)) for name in archive.namelist())
        if path.suffix == ".sqlite":
            with sqlite3.connect(path) as store:
                yield str(path), "\n".join(store.iterdump()).encode()


def leaks(folder: Path, said: str) -> list[str]:
    found = [("what was said", said.encode()), *contents(folder)]
    return [
        f"{form} in {name}" for name, content in found for form in FORMS if form.encode() in content
    ]


def test_the_search_finds_every_form(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text(f"a {CANARY} b")
    (tmp_path / "url.txt").write_text(quote(CANARY, safe=""))
    for shift in range(3):
        coded = base64.b64encode(b"u" * shift + CANARY.encode() + b"end")
        (tmp_path / f"coded{shift}.txt").write_bytes(coded)
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner", CANARY)
    with sqlite3.connect(tmp_path / "x.sqlite") as store:
        store.execute("CREATE TABLE t (a)")
        store.execute("INSERT INTO t VALUES (?)", (CANARY,))
    found = "\n".join(leaks(tmp_path, ""))
    for name in ("plain", "url", "coded0", "coded1", "coded2", "packed.zip!inner", "x.sqlite"):
        assert name in found


def test_the_whole_line_leaks_no_key(remem: Commands, said: Said, tmp_path: Path) -> None:
    results = tmp_path / "results"
    with StubServer() as server:
        line = (*LINE, *at(server.base_url, results))
        assert remem("run", *line) == 0, said.text
        [manifest] = results.rglob("manifest.json")
        run = manifest.parent
        assert remem("judge", "run", run, *line) in (0, 1, 2)
        assert remem("report", run, "--with-text", "--with-calls") == 0, said.text
        assert remem("bundle", "pack", run, "--out", tmp_path / "x.remem", "--allow-stub") == 0, (
            said.text
        )
        assert remem("bundle", "verify", tmp_path / "x.remem") == 0, said.text
        assert remem("doctor", *line) in (0, 1)
        conf = table_of(line, tmp_path)
        options = ("--trust-config", conf, "--rehearse", f"paths.results={results}")
        assert remem("table", "mine", *options) == 0, said.text
        if find_spec("remem.apps.rivals"):
            said.text += through_a_gateway(line)
    assert sum(1 for _ in results.rglob("*")) > 10
    found = leaks(tmp_path, said.text)
    assert found == []


def table_of(line: tuple[str, ...], place: Path) -> Path:
    block = {
        "title": "Block",
        "overrides": list(line),
        "columns": [{"heading": "F1", "score": "f1"}],
        "rows": [{"overrides": []}],
        "notes": [],
    }
    (place / "conf/table").mkdir(parents=True)
    content = yaml.safe_dump({"title": "T", "blocks": [block]})
    (place / "conf/table/mine.yaml").write_text(content)
    return place / "conf"


def through_a_gateway(line: tuple[str, ...]) -> str:
    """Ask a gateway, whose clients have their own key; return everything that it replies."""
    from remem.apps.rivals.gateway_server import Gateway

    resolved = run_config(compose_config(line)).resolved
    model, embedder = (instantiate_checked(resolved[part]["build"]) for part in ("llm", "embedder"))
    asked = {"model": "loopback-stub", "messages": [{"role": "user", "content": "Ann rows."}]}
    with Gateway(model, embedder, "loopback-stub", 0) as gateway:
        key = {"Authorization": f"Bearer {gateway.token}"}
        request = Request(
            f"{gateway.url}/v1/chat/completions",
            json.dumps(asked).encode(),
            {"Content-Type": "application/json", **key},
        )
        with urlopen(request, timeout=30) as reply:
            told = reply.read().decode()
        with urlopen(Request(f"{gateway.url}/usage", headers=key), timeout=30) as reply:
            return told + reply.read().decode()


class Repeating(BaseHTTPRequestHandler):
    """An endpoint that repeats the key it was sent, in errors, invalid replies and replies."""

    count = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        type(self).count += 1
        self.reply(*self.answer(self.key(), type(self).count))

    def do_GET(self) -> None:
        listed = {"id": "loopback-stub", "owned_by": "remem", "model": f"model {self.key()}"}
        self.reply(200, json.dumps({"data": [listed]}).replace("-", r"\u002d").encode())

    def key(self) -> str:
        return self.headers["Authorization"].removeprefix("Bearer ")

    def reply(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer(self, key: str, count: int) -> tuple[int, bytes]:
        error = json.dumps({"error": {"message": f"Incorrect API key provided: {key}."}}).encode()
        choice = {"finish_reason": "stop", "message": {"content": f"Your key is {key}"}}
        usage = {"prompt_tokens": 10_000, "completion_tokens": 1}  # more than any prompt has
        reply = json.dumps({"choices": [choice], "usage": usage}).encode()
        escaped = reply.replace(b"-", rb"\u002d").replace(b"/", rb"\/")
        wrong = error.replace(b"-", rb"\u002d")
        inner = json.dumps({"answer": f"Your key is {key}"}).replace("-", r"\u002d")
        choice = {"finish_reason": "stop", "message": {"content": inner}}
        twice = json.dumps({"choices": [choice], "usage": usage}).encode()
        answers = (
            *((401, error), (500, error), (429, error), (200, error), (200, wrong)),
            *((200, reply), (200, escaped), (200, twice)),
        )
        return (*answers[count % len(answers)],)

    def log_message(self, *parts: object) -> None: ...


def test_an_endpoint_that_repeats_the_key_leaks_none(
    remem: Commands, said: Said, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repeating)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/v1"
        chat = [part for part in LINE if not part.startswith("embedder")]
        where = (f"llm.build.endpoint.base_url={url}", f"paths.results={results}")
        remem("run", *chat, *where, "extractor=rules", "run.health=warn")
        remem("run", *chat, *where, "run.health=warn")
        assert remem("run", *LINE, *at(url, tmp_path / "other")) != 0
        remem("doctor", *LINE, *at(url, results))
        for manifest in results.rglob("manifest.json"):
            remem("report", manifest.parent, "--with-calls")
    finally:
        server.shutdown()
        server.server_close()
    assert Repeating.count >= 8 and "***" in said.text  # every answer was given
    found = leaks(tmp_path, said.text)
    assert found == []


@pytest.mark.parametrize("part", ["llm.build.endpoint", "embedder.build.embedder"])
def test_a_password_in_an_address_is_refused_and_written_nowhere(
    remem: Commands, said: Said, tmp_path: Path, part: str
) -> None:
    address = f"http://ann:{quote(CANARY, safe='')}@127.0.0.1:9/v1"
    line = (*LINE, f"paths.results={tmp_path / 'results'}", f"{part}.base_url={address}")
    for verb in (("run",), ("run", "-m", "run.limit=1,2")):
        assert remem(*verb, *line) == 2, said.text
    assert "put the key in an environment variable" in said.text
    assert leaks(tmp_path, said.text) == []
