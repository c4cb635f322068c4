"""The outputs that the pages show are those of their commands: each line, and in this order."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OUTPUT = re.compile(r"^```console\n((?:\$ remem [^\n]*\n)+)(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("sweeps.md", "apps/own_log/your_own_log.md")
EXAMPLES = [
    example
    for page in PAGES
    if (ROOT / "docs" / page).exists()  # the page of an app goes with the app
    for example in OUTPUT.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
]


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.slow
@pytest.mark.parametrize(("commands", "output"), EXAMPLES)
def test_an_output_on_a_page_is_that_of_its_command(
    commands: str, output: str, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    unset = {name: text for name, text in os.environ.items() if not name.startswith("REMEM_")}
    done = subprocess.run(
        ["bash", "-euc", commands.replace("$ ", "")],
        cwd=tmp_path,
        env={**unset, "PATH": path, "COLUMNS": "140"},
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = iter(lines(done.stdout))
    assert [line for line in lines(output) if line not in printed] == []
