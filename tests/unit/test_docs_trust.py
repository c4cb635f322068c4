"""docs/trust.md: each promise names a test that exists, and its figures are the measured ones."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from measure.trust import PARTS, Measured, read_measured
from measure.trust_page import figures_on, filled

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
MEASURED = read_measured(ROOT / "docs" / "trust_figures.json")
ROWS = [
    [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    for line in PAGE.partition("## The last measurement")[0].splitlines()
    if line.lstrip().startswith("|")
]
PROMISES = {
    cells[0]: re.findall(r"`([^`]+)`", cells[1])
    for cells in ROWS
    if cells[0] not in ("promise", "---")
}
MEASURING = {"fuzz", "soak", "determinism", "trust"}
"""The targets that prove something by themselves."""


@cache
def names_in(path: str) -> set[str]:
    file = ROOT / path
    if not file.exists():
        return set()
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


@cache
def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def exists(proof: str) -> bool:
    if proof.startswith("make "):
        return proof.removeprefix("make ") in make_targets() & MEASURING
    path, _, name = proof.partition("::")
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
    "proof", ["make nothing", "make clean", "tests/unit/cli/test_main.py::test_no_such_thing"]
)
def test_a_proof_that_is_not_there_is_noticed(proof: str) -> None:
    assert not exists(proof)


def test_the_page_shows_the_figures_of_the_last_measurement() -> None:
    assert filled(PAGE, MEASURED) == PAGE, "run `make trust`, or scripts/trust.py <part>"


def test_every_figure_that_was_measured_is_on_the_page() -> None:
    assert {name for item in MEASURED.values() for name in item.figures} <= figures_on(PAGE)
    assert set(MEASURED) <= set(PARTS)


def test_a_figure_is_replaced_where_it_stands_and_nothing_else() -> None:
    part = Measured("python x.py", True, "2026-01-02", 1234, {"kills": 1500, "ratio": 1.05})
    page = (
        "<!-- figure kills -->7<!-- / --> kills, <!-- figure ratio --><!-- / -->, "
        "<!-- figure lost -->1<!-- / -->\n<!-- parts -->\nold\n<!-- end of parts -->"
    )
    assert filled(page, {"faults": part}).splitlines() == [
        "<!-- figure kills -->1,500<!-- / --> kills, <!-- figure ratio -->1.05<!-- / -->, "
        "<!-- figure lost -->not measured<!-- / -->",
        "<!-- parts -->",
        "| part | command | measured on | took | size |",
        "|---|---|---|--:|---|",
        "| faults | `python x.py` | 2026-01-02 | 1,234 s | quick |",
        "<!-- end of parts -->",
    ]
