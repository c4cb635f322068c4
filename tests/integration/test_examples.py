"""The examples run as their pages say: parts of one's own, outside of the packages."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import remem
from remem.run.store import CANONICAL

EXAMPLES = Path(__file__).parents[2] / "examples"
BIN = Path(sys.executable).parent


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def called(results: Path, *command: str | Path, packages: str = "") -> str:
    known = {"PYTHONPATH": str(EXAMPLES / packages), "REMEM_RESULTS": str(results)}
    done = subprocess.run(
        command,
        check=False,
        env=os.environ | known,
        cwd=results.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(results: Path, example: str, *overrides: str) -> Path:
    conf = EXAMPLES / example / "conf"
    said = called(results, BIN / "remem", "run", "--config-dir", conf, *overrides, packages=example)
    return Path(said.splitlines()[-1])


OWN_SCORE = ("--config-dir", EXAMPLES / "own_score/conf")
ADMITTED = ("--package", "starts_alike")


def own_score(results: Path, verb: str, *words: str | Path) -> str:
    command = (BIN / "remem", verb, *words, *OWN_SCORE)
    return called(results, *command, packages="own_score")


def test_a_dataset_of_ones_own_is_asked_and_scored_later_by_a_score_of_ones_own(
    results: Path,
) -> None:
    folder = run(
        results,
        "own_dataset",
        "dataset=my_dataset",
        "run.packages=[my_dataset]",
        "method.build.top_k=1",
    )
    words = (folder, "--score", "starts_alike", *ADMITTED)
    said = own_score(results, "score", *words, "--set", "paper")
    # The refusal begins as the gold does; "blue boat" does not begin as "a blue boat" does.
    assert "50.0" in said
    sheet = results.parent / "sheet.csv"
    called(results, BIN / "remem", "label-sheet", folder, sheet, "--size", "2")
    with sheet.open(newline="") as file:
        rows = list(csv.reader(file))
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *([*row[:-1], at] for at, row in enumerate(rows[1:]))])
    assert "starts alike" in own_score(results, "agree", folder, sheet, *words[1:])


def test_a_score_of_ones_own_stands_in_a_table_in_a_comparison_and_in_a_report(
    results: Path,
) -> None:
    small = ("run.packages=[starts_alike]", "run.limit=10", "dataset.build.conversations=2")
    changes = (item for change in small for item in ("--override", change))
    said = own_score(results, "table", "starts_alike", *changes)
    assert "starts alike" in said
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
    said = own_score(results, "compare", first, second, "--score", "starts_alike", *ADMITTED)
    assert re.match(r"starts alike: .+ minus .+ = [+-]", said)
    shown = ("run", "method=bm25_messages", "+score=starts_alike", *small)
    said = own_score(results, *shown)
    assert "starts alike" in said
    called(results, BIN / "remem", "report", first, *ADMITTED, packages="own_score")
    assert "starts alike" in (first / "report.html").read_text()


def test_a_reader_of_ones_own_answers(results: Path) -> None:
    folder = run(
        results,
        *("own_reader", "reader=my_reader", "run.packages=[my_reader]"),
        *("run.histories=1", "run.limit=3", "convention.score.resamples=99"),
    )
    assert folder.parent.name == "remem_i+my_reader+none"


def test_a_log_of_ones_own_is_a_benchmark(results: Path) -> None:
    log = EXAMPLES / "own_log"
    folder = run(
        results,
        *("own_dataset", "dataset=own_log", f"dataset.build.log={log / 'diary.txt'}"),
        f"dataset.build.questions={log / 'questions.jsonl'}",
        "method.build.top_k=3",
    )
    assert len((folder / "records.jsonl").read_text().splitlines()) == 3


def test_the_library_is_used_from_python_by_the_names_of_remem_alone(results: Path) -> None:
    script = EXAMPLES / "from_python.py"
    imports = [line for line in script.read_text().splitlines() if "import " in line]
    assert imports == ["import remem"]
    said = called(results, sys.executable, script)
    assert "Latest" in said
    assert "BM25" in said
    assert "recall@10" in said.splitlines()[-1]


def test_the_lines_of_python_in_the_readme_print_the_table_below_them(results: Path) -> None:
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    _, code, printed, _ = re.split(
        r"```python\n(.*?)```\n\n```\n(.*?)```", text, maxsplit=1, flags=re.DOTALL
    )
    assert len([line for line in code.splitlines() if line]) <= 5
    said = called(results, sys.executable, "-c", code, packages="own_memory")
    rows = {line.split("  ")[0]: line.split() for line in said.splitlines() if "  " in line}
    for line in printed.splitlines():
        assert rows[line.split("  ")[0]] == line.split()


class Empty:
    """A memory that recalls nothing."""

    def index(self, history: remem.History) -> None:
        pass

    def recall(self, query: remem.Query) -> remem.Evidence:
        return remem.Evidence()


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="needs LoCoMo: REMEM_DATA=<folder>")
def test_the_results_on_locomo_in_the_readme_are_those_of_a_run(results: Path) -> None:
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    told = re.search(r"LoCoMo, all 1,986 questions.*?\n\n(.*?)\n\n", text, re.DOTALL)
    assert told is not None
    made = remem.evaluate(Empty, "locomo", "reader=typed", results=results)
    assert made.rows[0].total == 1986
    for line in told[1].splitlines()[2:]:
        label, *shown = [cell.strip() for cell in line.strip("|").split("|")]
        if "ranked in context" in label:
            cells = ranked_in_context(results)
        else:
            found = [made.cell(label.split(" (")[0], heading) for heading in ("F1", "recall@10")]
            cells = [(cell.mean, cell.low, cell.high) for cell in found if cell]
        assert shown == [f"{mean:.1f} [{low:.1f}, {high:.1f}]" for mean, low, high in cells]


def ranked_in_context(results: Path) -> list[tuple[float, float, float]]:
    """Return F1 and recall@10 of REMem-S with `ranking=contextual`, in points."""
    run = ("dataset=locomo", "method=remem_s", "ranking=contextual", "reader=typed", "--json")
    said = json.loads(called(results, sys.executable, "-m", "remem", "run", *run))
    scores = {each["score"]: each for each in said["scores"] if each["category"] is None}
    return [
        (100 * each["mean"], 100 * each["low"], 100 * each["high"])
        for each in (scores["f1"], scores["recall_at_10"])
    ]
