"""Each promise in docs/trust_tests.md names existing tests, which have docs/trust.md's figures."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "trust_tests.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    for line in PAGE.splitlines()
    if line.lstrip().startswith("|")
]
PROMISES = {
    cells[0]: re.findall(r"`([^`]+)`", cells[1])
    for cells in ROWS
    if cells[0] not in ("promise", "---")
}


@cache
def names_in(path: str) -> set[str]:
    file = ROOT / path
    if not file.exists():
        return set()
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def exists(proof: str) -> bool:
    path, _, name = proof.partition("::")
    if path.startswith("tests/apps/") and not (ROOT / path).parent.is_dir():
        return True  # of an app that is removed
    return name.startswith("test_") and name in names_in(path)


def test_there_are_promises_and_each_row_is_one() -> None:
    assert len(PROMISES) > 20 and len(SHORT_ROWS) >= 8
    assert [cells for cells in ROWS if len(cells) != 2] == []
    worded = [cells[0] for cells in ROWS if cells[0] in PROMISES]
    assert len(worded) == len(PROMISES)  # or one would hide that another names no test


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_its_test_and_the_test_exists(promise: str) -> None:
    assert PROMISES[promise]
    assert [proof for proof in PROMISES[promise] if not exists(proof)] == []


@pytest.mark.parametrize(
    "proof", ["python scripts/fuzz.py", "tests/unit/cli/test_main.py::test_no_such_thing"]
)
def test_a_proof_that_is_not_there_is_noticed(proof: str) -> None:
    assert not exists(proof)


SHORT = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
SHORT_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SHORT.splitlines()
    if line.startswith("| ")
][1:]


@pytest.mark.parametrize("row", SHORT_ROWS, ids=lambda row: row[0])
def test_each_figure_of_the_short_page_is_in_a_test_that_a_promise_names(row: list[str]) -> None:
    """`tests/unit/test_docs_figures.py` compares the figure with that test."""
    _, _, figure, link = row
    registry = yaml.safe_load((ROOT / "docs" / "figures.yaml").read_text(encoding="utf-8"))
    entries = [entry for entry in registry if entry["page"] == "docs/trust.md"]
    named = [entry for entry in entries if entry["text"] in figure]
    assert named
    for entry in named:
        figure = figure.replace(entry["text"], "")
    assert re.findall(r"[0-9]", figure) == []
    files = {proof.partition("::")[0] for proofs in PROMISES.values() for proof in proofs}
    paths = {entry["source"].partition("::")[0] for entry in named}
    assert paths <= {*files, "scripts/fuzz.py"}
    anchors = {"-".join(re.findall(r"[a-z]+", line.lower())) for line in PAGE.splitlines()}
    assert {*re.findall(r"trust_tests\.md#([a-z-]+)", link)} <= anchors
