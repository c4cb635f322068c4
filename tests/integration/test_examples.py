"""The examples run as their pages say: a user's own parts, outside of the packages."""

import csv
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.run.store import CANONICAL

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = "convention.score.resamples=99"
ADMITTED = ("--package", "starts_alike")


@pytest.fixture
def run(remem: Callable[..., Any], tmp_path: Path) -> Callable[..., Path]:
    """Run an example, `(name, *overrides)`, and return the folder of the run."""

    def run(example: str, *overrides: str) -> Path:
        conf = ("--config-dir", EXAMPLES / example / "conf")
        done = remem(tmp_path, "run", *conf, *overrides, FEW, packages=EXAMPLES / example)
        assert done.code == 0, done.err
        return Path(done.out.splitlines()[-1])

    return run


@pytest.fixture
def own_score(remem: Callable[..., Any], tmp_path: Path) -> Callable[..., str]:
    """Return a function that calls a command with the example score, and returns its output."""

    def call(*words: str | Path) -> str:
        done = remem(tmp_path, *words, packages=EXAMPLES / "own_score")
        assert done.code == 0, done.err
        return str(done.out)

    return call


OWN_SCORE = ("--config-dir", EXAMPLES / "own_score/conf")


def test_a_dataset_of_ones_own_is_asked_and_scored_later_by_a_score_of_ones_own(
    tmp_path: Path, run: Callable[..., Path], own_score: Callable[..., str]
) -> None:
    folder = run(
        "own_dataset",
        "dataset=my_dataset",
        "run.packages=[my_dataset]",
        "method.build.top_k=1",
    )
    words = (folder, "--score", "starts_alike", *ADMITTED, *OWN_SCORE)
    # The refusal begins as the gold does; "blue boat" does not begin as "a blue boat" does.
    assert "50.0" in own_score("score", *words, "--set", "paper")
    sheet = tmp_path / "sheet.csv"
    own_score("judge", "label", folder, sheet, "--size", "2")
    with sheet.open(newline="") as file:
        rows = list(csv.reader(file))
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *([*row[:-1], at] for at, row in enumerate(rows[1:]))])
    assert "starts alike" in own_score("judge", "agree", folder, sheet, *words[1:])


def test_a_score_of_ones_own_stands_in_a_table_in_a_comparison_and_in_a_report(
    tmp_path: Path, own_score: Callable[..., str]
) -> None:
    small = ("run.packages=[starts_alike]", "run.limit=10", "dataset.build.conversations=2", FEW)
    assert "starts alike" in own_score("table", "starts_alike", *small, *OWN_SCORE)
    results = tmp_path / "results"
    (table,) = set((results / "tables").glob("*/*.csv")) - set(results.rglob("costs.csv"))
    lines = list(csv.DictReader(table.open(newline="")))
    found = {line["run"]: line for line in lines if line["score"] == "starts_alike"}
    for name, line in found.items():
        records = [json.loads(item) for item in (results / name / CANONICAL).open()]
        alike = [
            record["answer"].lower().split()[:1]
            in [gold.lower().split()[:1] for gold in record["gold"]["answers"]]
            for record in records
        ]
        assert float(line["mean"]) == pytest.approx(100 * sum(alike) / len(alike), abs=0.05)
    first, second = (results / name for name in found)
    pair = (first, second, "--score", "starts_alike", *ADMITTED, *OWN_SCORE)
    assert re.match(r"starts alike: .+ minus .+ = [+-]", own_score("compare", *pair))
    shown = ("run", "method=bm25_messages", "+score=starts_alike", *small, *OWN_SCORE)
    assert "starts alike" in own_score(*shown)
    own_score("report", first, *ADMITTED)
    assert "starts alike" in (first / "report.html").read_text()


def test_a_reader_of_ones_own_answers(run: Callable[..., Path]) -> None:
    chosen = ("reader=my_reader", "run.packages=[my_reader]")
    folder = run("own_reader", *chosen, "run.histories=1", "run.limit=3")
    assert folder.parent.name == "remem_i+my_reader+none"


@pytest.fixture
def run_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run lines of Python with results of their own, and return what they print."""

    def run_code(code: str) -> str:
        monkeypatch.setenv("REMEM_RESULTS", str(tmp_path / "results"))
        monkeypatch.syspath_prepend(EXAMPLES / "own_memory")
        exec(code, {"__name__": "__main__"})
        sys.modules.pop("my_memory", None)
        return capsys.readouterr().out

    return run_code


def test_the_library_is_used_from_python_by_the_names_of_remem_alone(
    run_code: Callable[[str], str],
) -> None:
    code = (EXAMPLES / "from_python.py").read_text()
    imports = [line for line in code.splitlines() if "import " in line]
    assert imports == ["import remem"]
    said = run_code(code)
    assert "Latest" in said
    assert "BM25" in said
    assert "recall@10" in said.splitlines()[-1]


def test_the_lines_of_python_in_the_readme_print_the_table_below_them(
    run_code: Callable[[str], str],
) -> None:
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    _, code, printed, _ = re.split(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", text, maxsplit=1, flags=re.DOTALL
    )
    assert len([line for line in code.splitlines() if line]) <= 5
    said = run_code(code)
    rows = {line.split("  ")[0]: line.split() for line in said.splitlines() if "  " in line}
    for line in printed.splitlines():
        assert rows[line.split("  ")[0]] == line.split()
