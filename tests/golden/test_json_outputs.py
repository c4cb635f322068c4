"""What five verbs print with `--json`; measured times and folders are masked.

Regenerate with: pytest tests/golden --regenerate-golden
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from remem.cli.main import app
from remem.config.conf_files import conf_folder

GOLDEN = Path(__file__).with_name("json_outputs.json")
SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=6",
    "run.limit=3",
    "reader=extractive",
)
FIRST = ("run.histories=1", "run.limit=2", "run.health=warn")
MEASURED = {"p50", "p95", "p99", "total"}


@pytest.fixture
def few(tmp_path: Path) -> tuple[str, ...]:
    return (f"paths.results={tmp_path}", "convention.score.resamples=99")


def test_the_json_of_five_verbs_stays(
    tmp_path: Path, few: Sequence[str], pytestconfig: pytest.Config
) -> None:
    def printed(*words: object) -> Any:
        done = CliRunner().invoke(app, [*map(str, words), "--json"])
        assert done.exit_code == 0, done.output
        return masked(json.loads(done.stdout), tmp_path)

    runs = [printed("run", f"method={name}", *SMALL, *few) for name in ("bm25_messages", "remem_s")]
    folders = [run["folder"].replace("<results>", str(tmp_path)) for run in runs]
    outputs = {
        "run": runs[0],
        "score": printed("score", folders[0], "--set", "paper", "--set", "strict"),
        "compare": printed("compare", *folders, "--score", "f1", *few),
        "table": printed("table", "offline", "--rows", "bm25_messages", *FIRST, *few),
        "list": of_the_core(printed("list", "method")),
    }
    lines = ",\n".join(f"{json.dumps(verb)}: {json.dumps(outputs[verb])}" for verb in outputs)
    text = f"{{\n{lines}\n}}\n"
    if pytestconfig.getoption("--regenerate-golden"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(GOLDEN.read_text(encoding="utf-8"))


def of_the_core(listed: Any) -> Any:
    """Leave out the choices that belong to apps, which can be removed."""
    for group in listed["groups"]:
        names = {file.stem for file in (conf_folder() / group["group"]).glob("*.yaml")}
        group["choices"] = [choice for choice in group["choices"] if choice["name"] in names]
    return listed


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
        return value.replace(str(results), "<results>")
    return value
