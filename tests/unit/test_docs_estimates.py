"""The estimates in the docs equal docs/estimates.yaml, which equals what the code computes."""

import os
import re
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from remem.config.retirement import read_retirements
from remem.paper.layout import paper_folder, paper_table_names

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cost_pages() -> ModuleType:
    """The module scripts/cost_pages.py, which is not in a package."""
    spec = spec_from_file_location("cost_pages", ROOT / "scripts" / "cost_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_show_the_figures_of_the_file(cost_pages: ModuleType) -> None:
    figures = cost_pages.read_figures()
    text = cost_pages.PAGE.read_text(encoding="utf-8")
    assert text.count("<!-- estimates: ") == 2
    assert cost_pages.with_figures(text, figures) == text, f"run {cost_pages.__file__} --pages"


def test_every_table_of_the_paper_has_an_estimate(cost_pages: ModuleType) -> None:
    tables = cost_pages.read_figures().tables
    assert sorted(cost.name for cost in tables) == paper_table_names(paper_folder())


@pytest.mark.parametrize("name", ["reproduce.md", "language_models.md", "hardware.md"])
def test_no_estimate_stands_outside_of_the_generated_parts(
    cost_pages: ModuleType, name: str
) -> None:
    text = cost_pages.PART.sub("", (ROOT / "docs" / name).read_text(encoding="utf-8"))
    amounts = re.findall(r"\$[\d.,]*\d|[\d.,]+ hours|[\d,]{4,} calls", text)
    assert set(amounts) <= {"$0", "$0.20"}  # nothing, and the limit of remem doctor --live


def test_the_page_has_the_day_on_which_the_papers_model_is_retired() -> None:
    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    (day,) = re.findall(r"`gpt-4\.1-mini-2025-04-14`, leaves its API on (\S+)", page)
    assert date.fromisoformat(day) == read_retirements()["gpt-4.1-mini-2025-04-14"].date


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_the_figures_are_what_the_code_estimates(cost_pages: ModuleType) -> None:
    figures = cost_pages.read_figures()
    methods = {(cost.dataset, cost.method): cost for cost in figures.methods}
    tables = {cost.name: cost for cost in figures.tables}
    native = [row for row in cost_pages.METHODS if row[0] not in cost_pages.PACKAGES]
    for dataset, (method, *overrides) in product(cost_pages.DATASETS, native):
        assert cost_pages.method_cost(dataset, (method, *overrides)) == methods[dataset, method]
    for name in ("datasets", "ablation_locomo", "temporal_scores", "tokens"):
        assert cost_pages.table_cost(name) == tables[name]
