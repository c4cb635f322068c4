"""The reference memory server of the Model Context Protocol, and what it silently loses."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from remem.apps.rivals.program_memory import SENT, ProgramMemory
from remem.config.run_config import configure
from remem.run.memory_checks import check_memory
from remem.types import Episode, History, Message, Query

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is missing"),
]

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "mcp_memory"
SERVER = ROOT / ".node-server-memory/node_modules/@modelcontextprotocol/server-memory"


@pytest.fixture(autouse=True)
def in_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the example; skip the test if the server is not installed."""
    if not SERVER.is_dir():
        pytest.skip("server-memory is not installed: make env NAME=mcp-server-memory")
    monkeypatch.chdir(EXAMPLE)


def memory(*settings: str) -> ProgramMemory:
    chosen = ("--trust-config=conf", "method=server_memory", *settings)
    made = configure(*chosen).memory_factory()()
    assert isinstance(made, ProgramMemory)
    return made


def failed(*settings: str) -> set[str]:
    return {check.name for check in check_memory(lambda: memory(*settings)) if not check.passed}


def test_it_finds_no_question_as_a_whole_and_keeps_dates_word_by_word() -> None:
    assert failed() == {"finds", "dates"}
    assert failed("method.build.query_by=words") == set()


def test_it_is_a_memory_of_its_own_version_that_stores_all_messages() -> None:
    message = Message("D1:1", "Ann", "I sold my boat", date="8 May 2023")
    server = memory("method.build.query_by=words")
    server.index(History("chat", (Episode("s", (message,)),)))
    (passage,) = server.recall(Query("q", "chat", 0, "Who has a boat?")).passages
    assert passage.text == "[8 May 2023] Ann: I sold my boat"
    assert (passage.id, passage.source) == ("D1:1", ("D1:1",))
    assert server.program.startswith("memory-server ")
    assert server.index_counts == {SENT: 1}


def test_an_entity_of_a_known_name_is_lost_and_counted() -> None:
    same = tuple(Message(f"D1:{at}", "Ann", f"text {at}") for at in range(3))
    server = memory(
        'method.build.store_arguments={entities: [{name: "{speaker}", entityType: person, '
        'observations: ["{text}"]}]}'
    )
    server.index(History("chat", (Episode("s", same),)))
    assert server.index_counts == {SENT: 3, "messages not stored": 2}


def test_the_example_has_it_in_a_table_next_to_remem(tmp_path: Path) -> None:
    smaller = ("run.histories=1", "run.limit=5", "dataset.build.conversations=1")
    settings = (*smaller, "convention.score.resamples=99", f"paths.results={tmp_path}")
    program = Path(sys.executable).with_name("remem")
    command = (program, "table", "mcp_memory", "--trust-config", "conf", *settings)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "tables").glob("mcp_memory*/mcp_memory*.csv")
    with path.open(newline="") as rows:
        methods = {row["method"] for row in csv.DictReader(rows)}
    assert {"server-memory", "server-memory, word by word", "REMem-S"} <= methods
    assert "server-memory failed checks before the first question: finds, dates" in " ".join(
        done.stdout.split()
    )


def test_a_folder_that_is_not_trusted_starts_it_not() -> None:
    program = Path(sys.executable).with_name("remem")
    command = (program, "table", "mcp_memory", "--config-dir", "conf")
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "sets a tool of a server to call" in done.stderr
