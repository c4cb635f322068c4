"""`make example-leaderboard`, with two methods: ranked, and a changed bundle is refused."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "example_leaderboard.py"


@pytest.mark.slow
def test_two_methods_are_ranked_and_a_changed_bundle_is_refused(
    tmp_path: Path,
    remem: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run_here(
        command: Sequence[str | Path], *, env: dict[str, str], **_: Any
    ) -> "subprocess.CompletedProcess[str]":
        assert command[:3] == [sys.executable, "-m", "remem"]
        done = remem(tmp_path, *command[3:], results=env["REMEM_RESULTS"])
        return subprocess.CompletedProcess(command, done.code, done.out, done.err)

    spec = spec_from_file_location("example_leaderboard", SCRIPT)
    assert spec is not None and spec.loader is not None
    script = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "example_leaderboard", script)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "subprocess", type("Here", (), {"run": run_here}))
    few = [each.replace("share=0.115", "share=0.02") for each in script.QUESTIONS]
    monkeypatch.setattr(script, "QUESTIONS", few)
    asked = ["no_memory", "hipporag2", "--out", str(tmp_path / "here")]
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *asked])
    script.main()
    said = capsys.readouterr().out
    assert said.endswith(f"Open {tmp_path / 'here' / 'site' / 'index.html'}\n")
    assert "As it should be: remem: 1 of 3 bundles refused: changed.remem: " in said
    numbers = json.loads((tmp_path / "here" / "site" / "leaderboard.json").read_bytes())
    assert [each["file"] for each in numbers["refused"]] == ["changed.remem"]
    assert numbers["refused"][0]["reason"].startswith("runs/1/questions.jsonl: its sha256 is not")
    names = {row["system"].partition(" (")[0] for row in numbers["boards"][0]["rows"]}
    assert names == {"No memory", "HippoRAG 2"}
