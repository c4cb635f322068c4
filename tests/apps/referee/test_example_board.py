"""The commands in the docs page on leaderboards make the board that the page describes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "apps" / "referee" / "certificates.md"
METHODS = "remem_i remem_s bm25_messages embedding_messages full_context oracle_message"
QUESTIONS = "dataset.build.share=0.115"


@pytest.mark.slow
def test_the_commands_of_the_page_rank_its_methods_and_the_recorded_run(tmp_path: Path) -> None:
    block = PAGE.read_text("utf-8").partition("```sh\nmkdir")[2].partition("```")[0]
    commands = f"mkdir{block}"
    assert METHODS in commands and QUESTIONS in commands
    commands = commands.replace(METHODS, "bm25_messages no_memory")
    commands = commands.replace(QUESTIONS, "dataset.build.share=0.02")
    commands = commands.replace("examples/real_model", str(ROOT / "examples" / "real_model"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    numbers = json.loads((tmp_path / "site" / "leaderboard.json").read_bytes())
    systems = {row["system"] for board in numbers["boards"] for row in board["rows"]}
    assert {"BM25", "No memory"} <= {system.partition(" (")[0] for system in systems}
    assert numbers["refused"] == []
    assert len(systems) > 2
