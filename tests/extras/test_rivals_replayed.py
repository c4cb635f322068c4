"""Bundles of rivals are replayed without a socket, with or without the rivals' packages.

The newer rivals are in environments of their own, see test_rivals_elsewhere.py.
"""

import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remem.bundle.pack import pack
from remem.config.run_config import compose_config, run_config
from remem.reports.html import table_files
from remem.run.experiment import run_experiment
from remem.run.progress import no_view
from remem.run.store import CANONICAL
from remem.serve.stub.stub import StubServer

pytestmark = pytest.mark.extra

VARIABLES = {
    name: f"REMEM_{name.upper()}_PYTHON"
    for name in ("mem0_2", "graphiti_new", "langmem", "lightrag", "mempalace", "simplemem")
}
PACKAGES = {"mem0": "mem0", "graphiti": "graphiti_core"}
OFFLINE = """
import socket, sys
def refused(*_):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = refused
socket.getaddrinfo = refused
if sys.argv[1]:
    import importlib.metadata
    found = importlib.metadata.version
    def version(name):
        if name == sys.argv[1]:
            raise importlib.metadata.PackageNotFoundError(name)
        return found(name)
    importlib.metadata.version = version
import typer
from remem.cli.bundle import replay, verify
app = typer.Typer()
app.command()(verify)
app.command()(replay)
app(sys.argv[2:])
"""
MADE = {
    "mem0": "through mem0ai 1.0.11",
    "graphiti": "through graphiti-core 0.20.4",
    "hipporag2": f"by remem {version('remem')}, with its own code",
    "mem0_2": "through mem0ai 2.2.1, in its own environment",
    "graphiti_new": "through graphiti-core 0.31.1, in its own environment",
    "langmem": "through langmem 0.0.30, in its own environment",
    "lightrag": "through lightrag-hku 1.5.7, in its own environment",
    "mempalace": "through mempalace 3.11.0, in its own environment",
    "simplemem": "through simplemem 0.1.0, in its own environment",
}


def rival(name: str) -> Any:
    if name in VARIABLES:
        missing, reason = VARIABLES[name] not in os.environ, f"{VARIABLES[name]} is unset"
    else:
        missing = name in PACKAGES and find_spec(PACKAGES[name]) is None
        reason = f"{name} is not installed"
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=reason))


def replayed(
    file: Path, place: Path, *, without: str = "", **environment: str
) -> tuple[str, set[bytes]]:
    command = [sys.executable, "-c", OFFLINE, without, "replay", str(file), "--results", str(place)]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, {path.read_bytes() for path in place.rglob(CANONICAL)}


@pytest.mark.parametrize("method", [rival(name) for name in MADE])
def test_a_rival_is_made_again_through_its_package_else_its_records_are_taken_and_it_is_said(
    method: str, tmp_path: Path
) -> None:
    folders = []
    with StubServer() as server:
        for reader in ("direct", "extractive"):
            chosen = (
                *(f"method={method}", f"reader={reader}", "llm=loopback-stub"),
                *("embedder=loopback-stub", "dataset=generated_dialogues", "run.limit=2"),
                *("dataset.build.conversations=1", "dataset.build.sessions=2", "run.health=warn"),
                f"llm.build.endpoint.base_url={server.base_url}",
                f"embedder.build.embedder.base_url={server.base_url}",
                f"paths.results={tmp_path / 'results'}",
            )
            folders.append(run_experiment(run_config(compose_config(chosen))).folder)
    file = pack(
        folders, tmp_path / "one.remem", no_view, allow_stub=True, with_text=True, files=table_files
    ).path
    records = {(folder / CANONICAL).read_bytes() for folder in folders}
    said, again = replayed(file, tmp_path / "again")
    assert again == records
    for reader in ("direct", "extractive"):
        (line,) = (
            item
            for item in said.splitlines()
            if f"(reader {reader})" in item and " records: " in item
        )
        assert line.endswith(f"2 records: same result, with its memory built again {MADE[method]}")
    if method == "hipporag2":
        return
    missing = {VARIABLES[method]: str(tmp_path / "no python")} if method in VARIABLES else {}
    package = MADE[method].split()[1]
    without = "" if missing else package
    said, again = replayed(file, tmp_path / "without", without=without, **missing)
    assert again == records
    lines = [item for item in said.splitlines() if "memory not built again" in item]
    assert len(lines) == 2
    assert all("the same records as they were packed" in item and package in item for item in lines)
