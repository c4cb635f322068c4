"""Each promise in docs/trust_tests.md names an existing test, and docs/trust.md has its figures."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

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
    assert len(PROMISES) > 20
    assert [cells for cells in ROWS if len(cells) != 3] == []
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


def test_the_figures_of_the_short_page_are_those_of_the_promises() -> None:
    short = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in short.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 8
    figures = [number for row in rows for number in re.findall(r"[0-9][0-9,]{2,}", row[3])]
    assert len(figures) >= 4
    assert [number for number in figures if number not in PAGE] == []
    anchors = {"-".join(re.findall(r"[a-z]+", line.lower())) for line in PAGE.splitlines()}
    linked = re.findall(r"trust_tests\.md#([a-z-]+)", short)
    assert set(linked) <= anchors
