"""A stranger's folder, table, bundle or run starts no program and opens no connection."""

import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.bundle.allowed_names import check_trusted
from remem.cli import main as cli
from remem.config.permissions import app_permissions
from remem.config.run_config import configure
from remem.errors import UsageError

Ended = tuple[int, str]
PROGRAM = "[touch, MARK]"
TABLE = """title: T
blocks:
- title: B
  overrides: []
  columns: [{heading: F1, score: f1}]
  notes: []
  rows: [{overrides: OVERRIDES}]
"""


@pytest.fixture
def remem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Ended]:
    """Call the command in this process; return its exit code and its output."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["remem", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return call


def written(tmp_path: Path, name: str, content: str) -> Path:
    """Write a file in `conf`; MARK becomes the file that the named program would create."""
    file = tmp_path / "conf" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content.replace("MARK", str(tmp_path / "was_here")), encoding="utf-8")
    return tmp_path / "conf"


SETTINGS = [
    ("command", "method.build.command={program}", "a program"),
    ("command", "method.build={{command: {program}}}", "a program"),
    ("command", "+method.build.environment.LD_PRELOAD=MARK", "a program"),
    ("mcp", "method.build.address=http://127.0.0.1:9/mcp", "an address"),
    ("mcp", "method.build.store_tool=delete_all", "a tool of a server"),
    ("mcp", "method.build.search_tool=delete_all", "a tool of a server"),
]


@pytest.mark.parametrize(("method", "setting", "kind"), SETTINGS)
def test_a_row_of_a_strangers_table_names_no_program(
    remem: Callable[..., Ended], tmp_path: Path, method: str, setting: str, kind: str
) -> None:
    overrides = json.dumps([f"method={method}", setting.format(program=PROGRAM)])
    conf = written(tmp_path, "table/mine.yaml", TABLE.replace("OVERRIDES", overrides))
    code, said = remem("table", "mine", "--config-dir", str(conf))
    assert (code, f"sets {kind}" in said, "--trust-config" in said) == (2, True, True), said
    assert not (tmp_path / "was_here").exists()


@pytest.mark.parametrize("target", app_permissions().outside)
@pytest.mark.parametrize("group", ["method", "reader"])
def test_a_strangers_file_names_no_memory_that_is_a_program(
    remem: Callable[..., Ended], tmp_path: Path, target: str, group: str
) -> None:
    content = f"name: mine\nlabel: Mine\nbuild: {{_target_: {target}, command: {PROGRAM}}}\n"
    conf = written(tmp_path, f"{group}/mine.yaml", content)
    code, said = remem("run", "--config-dir", str(conf), f"{group}=mine")
    assert (code, "sets a program to run" in said) == (2, True), said
    assert not (tmp_path / "was_here").exists()


def test_a_file_of_a_stranger_changes_nothing_of_a_program_of_the_command_line(
    remem: Callable[..., Ended], tmp_path: Path
) -> None:
    content = "# @package _global_\nmethod: {build: {environment: {PYTHONSTARTUP: MARK}}}\n"
    conf = written(tmp_path, "reader/mine.yaml", content)
    given = ("method=command", f"method.build.command=[touch,{tmp_path}/was_here]")
    code, said = remem("run", "--config-dir", str(conf), *given, "reader=mine")
    assert (code, "sets a program to run" in said) == (2, True), said
    assert not (tmp_path / "was_here").exists()


@pytest.mark.parametrize("method", ["command", "mcp"])
def test_a_bundle_or_a_run_of_somebody_else_starts_no_program(tmp_path: Path, method: str) -> None:
    config = configure(f"method={method}", f"method.build.command=[touch,{tmp_path}/was_here]")
    with pytest.raises(UsageError, match="may run only the programs of conf/method"):
        check_trusted(config.resolved, [], "<results>/cache/calls.sqlite")


@pytest.mark.parametrize(
    "address",
    [
        *("http://example.com/mcp", "http://192.168.0.1:80/mcp", "http://10.0.0.1/mcp"),
        *("https://127.0.0.1/mcp", "http://127.0.0.1.example.com/mcp", "127.0.0.1:80", "http:///x"),
    ],
)
def test_an_address_is_one_of_this_machine(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *to: pytest.fail(f"connected {to}"))
    arguments = '{query: "{query}", text: "{namespace}"}'
    config = configure(
        *("method=mcp", "method.build.isolation=namespace", f"method.build.address='{address}'"),
        *("method.build.store_tool=a", 'method.build.store_arguments={text: "{namespace}"}'),
        *("method.build.search_tool=b", f"method.build.search_arguments={arguments}"),
    )
    with pytest.raises(UsageError, match="expected an http:// address on this machine"):
        config.memory_factory()()
