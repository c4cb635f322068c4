"""What the commands print with `--json`; measured times and folders are masked.

Regenerate with: pytest tests/apps/own_log --regenerate-golden
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from remem.cli.main import app

GOLDEN = Path(__file__).with_name("json_outputs.json")
LOG = Path(__file__).parents[3] / "examples" / "own_log"
MEASURED = {"p50", "p95", "p99", "total"}
OF_A_PATH = re.compile(r"(?<=^runs/own_log/)(.*-)[0-9a-f]{12}$")
"""The folder of a run on a log of one's own: its fingerprint contains the path of the log."""


@pytest.fixture
def few(tmp_path: Path) -> tuple[str, ...]:
    return (f"paths.results={tmp_path}", "convention.score.resamples=99")


def test_the_json_of_the_commands_stays(
    tmp_path: Path, few: Sequence[str], pytestconfig: pytest.Config
) -> None:
    def printed(*words: object) -> Any:
        done = CliRunner().invoke(app, [*map(str, words), "--json"])
        assert done.exit_code == 0, done.output
        return masked(json.loads(done.stdout), tmp_path)

    log, questions = LOG / "diary.txt", LOG / "questions.jsonl"
    outputs = {
        "table": printed("log", "table", log, questions, *few),
        "ask": printed(
            "log", "ask", tmp_path / "memory", "When did Ann adopt a dog?", "--add", log
        ),
    }
    lines = ",\n".join(f"{json.dumps(verb)}: {json.dumps(outputs[verb])}" for verb in outputs)
    text = f"{{\n{lines}\n}}\n"
    if pytestconfig.getoption("--regenerate-golden"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(GOLDEN.read_text(encoding="utf-8"))


def masked(value: Any, results: Path) -> Any:
    """Return the JSON value without measured times and without folders of this machine."""
    if isinstance(value, dict):
        measured = value.keys() >= MEASURED
        return {
            key: "measured" if measured and key in MEASURED else masked(item, results)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, results) for item in value]
    if isinstance(value, str):
        named = value.replace(str(results), "<results>").replace(str(LOG), "<log>")
        return OF_A_PATH.sub(r"\1<fingerprint>", named)
    return value
