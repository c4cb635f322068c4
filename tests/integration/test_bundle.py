"""A run over HTTP on the loopback stub is packed, and replayed elsewhere without key or socket."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from remem.bundle.pack import Packed, pack
from remem.bundle.replay import replay
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.embed.served_encoder import ServedEncoder
from remem.errors import VerificationFailedError
from remem.reports.html import table_files
from remem.results.judging import judge_run
from remem.run.experiment import run_experiment
from remem.run.progress import no_view
from remem.run.store import CANONICAL, read_manifest, read_records
from remem.serve.stub.faults import CONTENT, FaultPlan
from remem.serve.stub.stub import StubServer, StubSettings

CANARY = "sk-canary-7f3a9b2c"
LINE = (
    "llm=loopback-stub",
    "method=remem_i",
    "extractor=llm",
    "planner=llm",
    "reader=direct",
    "runner=threads",
    "embedder=loopback-stub",
)
GENERATED = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=4",
    "run.limit=8",
)
REAL = ("dataset=locomo", "run.histories=1", "run.limit=25")
OFFLINE = """
import os, socket, sys
def refused(*_):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = refused
socket.getaddrinfo = refused
assert "OPENAI_API_KEY" not in os.environ
import typer
from remem.cli.bundle import replay, verify
app = typer.Typer()
app.command()(verify)
app.command()(replay)
app(["verify", sys.argv[1]], standalone_mode=False)
app(["replay", sys.argv[1], "--results", sys.argv[2]])
"""


@dataclass(frozen=True, slots=True)
class Bundled:
    """A run with a model, a run without one, and their bundle."""

    config: RunConfig
    folders: list[Path]
    packed: Packed
    results: Path


def bundled(data: Iterable[str], place: Path) -> Bundled:
    """Make and judge a run over HTTP with spoiled replies, make a second run, and pack both."""
    results = place / "results"
    with StubServer(StubSettings(faults=FaultPlan(tuple(CONTENT), 0.3, 1))) as server:
        urls = [f"{part}.base_url={server.base_url}" for part in (
            "llm.build.endpoint", "embedder.build.embedder"
        )]  # fmt: skip
        chosen = [*LINE, *data, *urls, f"paths.results={results}"]
        config = run_config(compose_config(chosen))
        folders = [run_experiment(config).folder]
        judging = run_config(compose_config([*chosen, "judge=llm"]))
        judge_run(judging, folders[0], read_records(folders[0]))
    plain = run_config(compose_config([*data, "method=remem_i", f"paths.results={results}"]))
    folders.append(run_experiment(plain).folder)
    packed = pack(folders, place / "table.remem", no_view, allow_stub=True, files=table_files)
    return Bundled(config, folders, packed, results)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundled]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", CANARY)
        yield bundled(GENERATED, tmp_path_factory.mktemp("generated"))


def test_a_stranger_replays_it_without_a_socket_or_a_key(
    generated: Bundled, tmp_path: Path
) -> None:
    file = tmp_path / "got.remem"
    shutil.copy(generated.packed.path, file)
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, file, tmp_path / "mine"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "OPENAI_API_KEY"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"sha256 {generated.packed.sha256}" in done.stdout
    assert "2 runs, 16 records: same result" in done.stdout
    before = {(folder / CANONICAL).read_bytes() for folder in generated.folders}
    after = {item.read_bytes() for item in (tmp_path / "mine").rglob(CANONICAL)}
    assert after == before
    assert {item.name for item in tmp_path.iterdir()} == {"got.remem", "mine"}
    encoders = {read_manifest(item.parent).encoder for item in (tmp_path / "mine").rglob(CANONICAL)}
    assert encoders == {ServedEncoder("loopback-stub"), None}


def test_a_run_without_a_served_encoder_is_packed_as_by_earlier_versions(
    generated: Bundled,
) -> None:
    with ZipFile(generated.packed.path) as archive:
        notes = [json.loads(archive.read(f"runs/{number}/run.json")) for number in (1, 2)]
    encoders = [note["environment"].get("encoder", "absent") for note in notes]
    assert encoders == [{"name": "loopback-stub", "model": "", "revision": ""}, "absent"]


def test_only_what_the_runs_need_travels_and_packing_again_gives_the_same_bytes(
    generated: Bundled, tmp_path: Path
) -> None:
    results = generated.results
    more = ("dataset.build.seed=8", "run.limit=3", f"paths.results={results}")
    with StubServer() as server:
        urls = (
            f"llm.build.endpoint.base_url={server.base_url}",
            f"embedder.build.embedder.base_url={server.base_url}",
        )
        run_experiment(run_config(compose_config([*LINE, *GENERATED[:3], *more, *urls])))
    again = pack(
        generated.folders, tmp_path / "again.remem", no_view, allow_stub=True, files=table_files
    )
    assert again.sha256 == generated.packed.sha256


def test_replies_in_a_store_of_an_earlier_version_are_packed_and_it_stays_as_it_is(
    generated: Bundled, tmp_path: Path
) -> None:
    store = generated.results / "cache" / "calls.sqlite"  # the tests below read the bundle only
    with closing(sqlite3.connect(store)) as connection:
        for column in ("sum", "model", "remarks"):
            connection.execute(f"ALTER TABLE calls DROP COLUMN {column}")
    content = store.read_bytes()
    out = tmp_path / "old.remem"
    again = pack(generated.folders, out, no_view, allow_stub=True, files=table_files)
    lost = {"model": "", "remarks": []}
    expected = [call | lost for call in packed_calls(generated.packed)]
    assert [lost | call for call in packed_calls(again)] == expected
    assert store.read_bytes() == content


def packed_calls(packed: Packed) -> list[dict[str, object]]:
    with ZipFile(packed.path) as archive:
        return [json.loads(line) for line in archive.read("calls.jsonl").splitlines()]


def test_no_key_gets_into_a_bundle(generated: Bundled) -> None:
    with ZipFile(generated.packed.path) as archive:
        for name in archive.namelist():
            assert CANARY.encode() not in archive.read(name), name


@pytest.fixture
def packed(generated: Bundled) -> Path:
    """The bundle that `rewrite` changes."""
    return generated.packed.path


def test_a_reply_that_is_lacking_or_changed_is_named(
    packed: Path, rewrite: Callable[..., Path], tmp_path: Path
) -> None:
    with ZipFile(packed) as archive:
        calls = archive.read("calls.jsonl").splitlines()
    read = [at for at, line in enumerate(calls) if json.loads(line)["stage"] == "read"]
    told = {
        "missing": r"no stored reply of loopback-stub",
        "changed": r"question \S+ differs in answer",
    }
    for kind, expected in told.items():
        lines = list(calls)
        for at in read:
            if kind == "changed":
                changed = {**json.loads(lines[at]), "text": "Thought: no\nAnswer: made up"}
                lines[at] = json.dumps(changed).encode()
        if kind == "missing":
            lines = [line for at, line in enumerate(calls) if at not in read]
        path = rewrite({"calls.jsonl": b"".join(line + b"\n" for line in lines)})
        with pytest.raises(VerificationFailedError, match=f"the first difference: .*{expected}"):
            replay(path, tmp_path, tmp_path / f"{kind}-out", no_view, files=table_files)


WORD = re.compile(r"\w+")


def runs_of_words(text: str, length: int = 8) -> set[tuple[str, ...]]:
    words = WORD.findall(text.lower())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def test_no_eight_words_of_the_data_stand_outside_of_replies(generated: Bundled) -> None:
    check_words(generated)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_no_eight_words_of_real_data_stand_there_and_it_is_replayed(tmp_path: Path) -> None:
    made = bundled(REAL, tmp_path)
    check_words(made)
    data = Path(os.environ["REMEM_DATA"])
    assert replay(made.packed.path, data, tmp_path / "o", no_view, files=table_files)


def check_words(made: Bundled) -> None:
    """Check that the bundle repeats no eight consecutive words of the data, except in replies."""
    benchmark = made.config.build_benchmark()
    theirs: set[tuple[str, ...]] = set()
    for history in benchmark.histories():
        for message in history.messages():
            theirs |= runs_of_words(message.text) | runs_of_words(message.caption)
        for question in benchmark.questions(history.id):
            theirs |= runs_of_words(question.query.text) | runs_of_words(question.query.prompt)
            for gold in (*question.gold.answers, *question.gold.items):
                theirs |= runs_of_words(gold)
    assert theirs
    replies = 0
    with ZipFile(made.packed.path) as archive:
        for name in archive.namelist():
            if name == "calls.jsonl":
                for line in archive.read(name).splitlines():
                    call = json.loads(line)
                    replies += bool(call.pop("text") or call.pop("tool_calls"))
                    assert not runs_of_words(json.dumps(call)) & theirs
            elif not name.endswith(".f32"):
                text = archive.read(name).decode().replace("\\n", " ")
                assert not runs_of_words(text) & theirs, name
    assert replies
