"""The recorded run in examples/strong_model is replayed offline, and pages state its figures."""

import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "strong_model"
BUNDLE = EXAMPLE / "strong-model.remem"
BLOCKED = ROOT / "tests" / "integration" / "without_tiny_llm"
"""Put on the PYTHONPATH of a process, it blocks sockets there."""
ASKED_ONCE = "its model cannot be asked again: set the earlier prompt or setting in its plan"
MENTION = "examples/strong_model"

Rows = dict[str, dict[str, str]]


def rows_below(mention: str, text: str) -> Rows:
    """Return the rows of the first table below `mention` that has a column LLM-J, by label."""
    _, _, below = text.partition(mention)
    for paragraph in below.split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line.startswith("|")]
        cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]
        if cells and "LLM-J" in cells[0]:
            (_, *headings), _, *rows = cells
            return {label: dict(zip(headings, row, strict=True)) for label, *row in rows}
    return {}


def wrong_cells(stated: Rows, replayed: Rows) -> list[str]:
    """Name the cells whose stated text is neither the replayed cell nor its mean alone."""
    wrong = []
    for label, cells in stated.items():
        for heading, cell in cells.items():
            whole = replayed.get(label, {}).get(heading, "missing")
            if cell not in (whole, re.split(r" [(\[]", whole)[0]):
                wrong.append(f"{label}, {heading}: stated {cell}, replayed {whole}")
    return wrong


def remem_offline(folder: Path, *words: str) -> None:
    """Run the command in a folder, in a process without sockets."""
    path = os.pathsep.join(filter(None, (str(BLOCKED), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "remem", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "REMEM_RESULTS": "results"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr[-2000:]}\n{ASKED_ONCE}"


def test_the_tracked_figures_and_the_pages_are_those_of_the_replayed_table(tmp_path: Path) -> None:
    remem_offline(tmp_path, "bundle", "replay", str(BUNDLE), "--results", "results")
    remem_offline(tmp_path, "table", "strong-model", "--trust-config", str(EXAMPLE / "conf"))
    tables = tmp_path / "results" / "tables" / "strong-model"
    tracked = ROOT / "results" / "measured" / "strong-model.csv"
    assert tracked.read_bytes() == (tables / "strong-model.csv").read_bytes()
    replayed = rows_below("#", (tables / "strong-model.md").read_text("utf-8"))

    page = (EXAMPLE / "README.md").read_text("utf-8")
    stated = rows_below(MENTION, page)
    assert stated.keys() == replayed.keys()
    assert all({"n", *row} == {*replayed[label]} for label, row in stated.items())
    assert wrong_cells(stated, replayed) == []
    assert "Each row has 60 questions" in page

    stated = rows_below(MENTION, (ROOT / "docs" / "language_models.md").read_text("utf-8"))
    assert len(stated) >= 4
    assert wrong_cells(stated, replayed) == []
    agent, *others = (
        float(replayed[label]["F1"].split()[0]) for label in ("REMem-I (llm)", "REMem-S", "BM25")
    )
    assert agent > max(others)  # as the README says


def test_a_wrong_mean_and_an_unknown_row_are_named() -> None:
    text = "See a/b.\n\n| row | LLM-J |\n|---|--:|\n| A | **50.0** |\n| B | 60.1 |\n| C | 7.0 |\n"
    right = {"A": {"LLM-J": "50.0 [40.0, 60.0]"}, "B": {"LLM-J": "60.0 [1.0, 99.0]"}}
    assert wrong_cells(rows_below("a/b", text), right) == [
        "B, LLM-J: stated 60.1, replayed 60.0 [1.0, 99.0]",
        "C, LLM-J: stated 7.0, replayed missing",
    ]


def test_the_page_of_the_example_counts_the_replies_and_answers_of_the_bundle() -> None:
    lines = {"calls": 0, "records": 0, "judgments": 0}
    with ZipFile(BUNDLE) as archive:
        for name in archive.namelist():
            kind = Path(name).name.partition(".")[0]
            if kind in lines:
                lines[kind] += len(archive.read(name).splitlines())
    page = " ".join((EXAMPLE / "README.md").read_text("utf-8").split())
    assert (
        f"bundle contains {lines['calls']} replies, {lines['records']} answers and the judge's "
        f"{lines['judgments']} verdicts." in page
    )
