"""A stranger's memory of a log: its `memory.json` may set plain values only."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from remem.cli import main as cli

SECRET = "k7Gz+canary9Qw4x"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ADDRESS = "http://127.0.0.1:9/v1"
HOSTILE = {
    "a model at an address is asked with a key": (
        "llm=openai_compatible",
        f"llm.build.endpoint.base_url={ADDRESS}",
        "llm.build.endpoint.key_variable=AWS_SECRET_ACCESS_KEY",
    ),
    "texts are embedded at an address": ("embedder=api",),
    "calls are stored elsewhere": ("cache.calls=HERE/elsewhere.sqlite",),
    "results go elsewhere": ("paths.results=HERE/elsewhere",),
    "vectors fill the memory by a reference": (
        "+embedder.many=16000000",
        "embedder.build.dimension=${embedder.many}",
    ),
    "a class is named by a reference": (
        "+reader.what=remem.llm.vector_store.VectorStore",
        "reader.build._target_=${reader.what}",
    ),
    "a package is admitted": ("run.packages=[evil]",),
    "a package is admitted by another spelling": ("+run.packages=[evil]",),
    "code of a model is admitted": ("run.model_code=[nvidia/NV-Embed-v2]",),
    "a program is started": ("method=mem0_2", "method.build.environment=HERE/evil"),
    "a key is read": ("method.label=${oc.env:AWS_SECRET_ACCESS_KEY}",),
    "a folder of configuration is added": ("--config-dir=HERE/evil",),
    "a folder of configuration is trusted": ("--trust-config=HERE/evil",),
    "Hydra is told where to look": ("hydra.searchpath=[file://HERE/evil]",),
}

Remem = Callable[..., tuple[int, str]]


@pytest.fixture
def remem(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Remem:
    """Call `remem log ask` in a folder; return its exit code and its output."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.chdir(tmp_path)
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "evil.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')\n")
    monkeypatch.syspath_prepend(evil)
    (tmp_path / "log.txt").write_text("Date: 8 May 2023\nAnn: I adopted a dog.\n")

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["remem", "log", "ask", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return call


def keep(folder: Path, *overrides: str) -> None:
    """Put overrides into a stored memory, as the author of the memory could."""
    kept = json.loads((folder / "memory.json").read_text())
    (folder / "memory.json").write_text(json.dumps({**kept, "overrides": overrides}))


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("overrides", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_memory_runs_sends_and_writes_nothing(
    remem: Remem, tmp_path: Path, overrides: tuple[str, ...]
) -> None:
    assert remem("memory", "--add", "log.txt")[0] == 0
    keep(tmp_path / "memory", *(override.replace("HERE", str(tmp_path)) for override in overrides))
    before = files(tmp_path)
    code, said = remem("memory", "What did Ann adopt?")
    assert code == 2 and "memory/memory.json: " in said, said
    assert any(override.partition("=")[0].lstrip("+") in said for override in overrides), said
    assert files(tmp_path) == before
    assert SECRET not in said and "Traceback" not in said


def test_what_the_command_line_types_as_well_is_granted(remem: Remem, tmp_path: Path) -> None:
    place = f"paths.results={tmp_path / 'mine'}"
    assert remem("memory", "", "--add", "log.txt", place)[0] == 0
    code, said = remem("memory", "What did Ann adopt?")
    assert code == 2 and "repeat it on the command line" in said
    code, said = remem("memory", "What did Ann adopt?", place)
    assert (code, "dog" in said) == (0, True), said


def test_a_memory_of_ones_own_is_granted_by_name(remem: Remem, tmp_path: Path) -> None:
    assert remem("memory", "", "--add", "log.txt", f"paths.results={tmp_path / 'mine'}")[0] == 0
    code, said = remem("memory", "What did Ann adopt?", "--trust-config", "memory")
    assert (code, "dog" in said) == (0, True), said
    assert "--trust-config lets its files set addresses" in said
    code, said = remem("memory", "What did Ann adopt?", "--trust-config", "evil")
    assert code == 2 and "evil is not the folder of the memory; expected memory" in said


@pytest.mark.parametrize(
    "name", ["a package is admitted", "code of a model is admitted", "a key is read"]
)
def test_trust_admits_no_package_no_code_and_no_environment(
    remem: Remem, tmp_path: Path, name: str
) -> None:
    assert remem("memory", "--add", "log.txt")[0] == 0
    keep(tmp_path / "memory", *HOSTILE[name])
    code, said = remem("memory", "What did Ann adopt?", "--trust-config", "memory")
    assert code == 2 and "memory/memory.json: " in said, said
    assert SECRET not in said and not (tmp_path / "was_run").exists()


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ((f"reader.x=[{'1,' * 200_000}1]",), "has 400,012 characters"),
        (tuple(f"+reader.x{at}=1" for at in range(600)), "found 600 overrides"),
    ],
    ids=["one of 400 kB", "600"],
)
def test_a_memory_has_no_more_overrides_than_are_read_in_seconds(
    remem: Remem, tmp_path: Path, overrides: tuple[str, ...], told: str
) -> None:
    assert remem("memory", "--add", "log.txt")[0] == 0
    keep(tmp_path / "memory", *overrides)
    code, said = remem("memory", "What did Ann adopt?")
    assert code == 2 and told in said and "Traceback" not in said, said


def test_a_password_in_an_address_is_refused_and_written_nowhere(
    remem: Remem, tmp_path: Path
) -> None:
    password = quote(SECRET, safe="")
    address = f"llm.build.endpoint.base_url=http://ann:{password}@127.0.0.1:9/v1"
    code, said = remem("memory", "", "--add", "log.txt", "llm=openai_compatible", address)
    assert code == 2 and "put the key in an environment variable" in said
    assert password not in said
    assert all(password.encode() not in content for content in files(tmp_path).values())


@pytest.mark.parametrize(
    "attack", ["\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\rwell", "\u202egnp"]
)
def test_what_a_log_says_is_printed_without_what_a_terminal_obeys(
    remem: Remem, tmp_path: Path, attack: str
) -> None:
    said_in_log = {"speaker": "Ann", "text": f"I adopted a dog {attack} from the shelter."}
    (tmp_path / "log.jsonl").write_text(json.dumps({**said_in_log, "date": "8 May 2023"}))
    code, said = remem("memory", "What did Ann adopt?", "--add", "log.jsonl")
    assert (code, "from the shelter" in said) == (0, True), said
    assert not STEERING.search(said), ascii(said)
