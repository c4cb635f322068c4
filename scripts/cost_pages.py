"""Estimate what the tables of the paper cost, and write the figures into a page of docs.

REMEM_DATA=<folder> .venv/bin/python scripts/cost_pages.py    docs/estimates.yaml, then the page
.venv/bin/python scripts/cost_pages.py --pages                the page, from docs/estimates.yaml

The first command sends no request. It takes a few minutes and needs Mem0 and Graphiti
(make .venv/baselines). In the page, the figures are between <!-- estimates: NAME --> and
<!-- end of estimates -->.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from remem.config.run_config import compose_config
from remem.paper.layout import paper_folder, read_tables, read_yaml
from remem.results.estimate import estimate
from remem.run.progress import no_view
from remem.tables.paper.cells import Cells
from remem.tables.paper.forecast import Forecast, forecasts
from remem.tables.paper.runs import TableRuns
from remem.tables.paper.table import paper_runs, table_cells
from remem.types import Usage

DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "estimates.yaml"
PAGE = DOCS / "reproduce.md"
PART = re.compile(r"<!-- estimates: (\w+) -->.*?<!-- end of estimates -->", re.DOTALL)
HEADER = "# scripts/cost_pages.py   (estimates, which docs/reproduce.md shows; nothing was sent)\n"
MODEL = "gpt-4.1-mini-2025-04-14"
METHODS = (
    ("remem_i", "extractor=llm", "planner=llm"),
    ("remem_s", "extractor=llm"),
    ("full_context",),
    ("hipporag2",),
    ("mem0",),
    ("graphiti",),
    ("bm25_messages",),
)
"""Methods of conf/method, each with the overrides by which a model takes part."""
DATASETS = ("locomo", "realtalk")
PACKAGES = ("mem0", "graphiti")
"""Methods that come from packages of their own."""
TITLES = {
    "remem_i": "REMem-I",
    "remem_s": "REMem-S",
    "full_context": "Full-Context",
    "hipporag2": "HippoRAG 2",
    "mem0": "Mem0",
    "graphiti": "Graphiti",
    "bm25_messages": "BM25",
    "locomo": "LoCoMo",
    "realtalk": "REALTALK",
    "complex_tr": "Complex-TR",
    "tot": "Test of Time",
    "musique": "MuSiQue",
    "two_wiki": "2Wiki",
    "nv_embed_v2": "NV-Embed-v2",
    "qwen3_embedding_8b": "Qwen3-Embedding-8B",
}


@dataclass(frozen=True, slots=True)
class MethodCost:
    """The estimated cost of a method in one run, if the run shares no index with other runs."""

    dataset: str
    questions: int
    method: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float


@dataclass(frozen=True, slots=True)
class TableCost:
    """What a table of the paper needs and costs, and how many of its numbers can be compared.

    `unknown` holds the datasets that were missing; the estimate leaves out their rows.
    """

    number: int
    name: str
    datasets: tuple[str, ...]
    unknown: tuple[str, ...]
    embedders: tuple[str, ...]
    packages: tuple[str, ...]
    dollars: float
    hours: float
    numbers: int
    comparable: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The estimates in the docs.

    The totals are lower than the sums over the tables, because tables share runs.
    """

    methods: tuple[MethodCost, ...]
    tables: tuple[TableCost, ...]
    all_dollars: float
    all_hours: float


def main() -> None:
    """Write the page; unless --pages is given, write docs/estimates.yaml first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", action="store_true", help="keep docs/estimates.yaml as it is")
    if not parser.parse_args().pages:
        write_figures(make_figures())
    figures = read_figures()
    PAGE.write_text(with_figures(PAGE.read_text("utf-8"), figures), "utf-8")


def make_figures() -> Figures:
    """Estimate each method, each table, and all tables together; nothing is sent."""
    with ProcessPoolExecutor() as processes:
        methods = tuple(processes.map(method_cost, *zip(*product(DATASETS, METHODS), strict=True)))
    names = tuple(read_tables(paper_folder()))
    together = [forecast for _, forecast in planned(names)]
    return Figures(
        methods=methods,
        tables=tuple(map(table_cost, names)),
        all_dollars=round(sum(forecast.dollars for forecast in together), 2),
        all_hours=round(sum(forecast.seconds for forecast in together) / 3600, 1),
    )


def method_cost(dataset: str, method: Sequence[str]) -> MethodCost:
    """Estimate a run of a method, with its overrides, on a dataset."""
    name, *by_models = method
    run = (f"dataset={dataset}", f"method={name}", "reader=direct", f"llm={MODEL}", *by_models)
    stages = estimate(compose_config(run)).stages
    usage = sum((stage.usage for stage in stages), Usage())
    return MethodCost(
        dataset=dataset,
        questions=next(stage.units for stage in stages if stage.stage == "read"),
        method=name,
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        dollars=round(sum(stage.dollars or 0.0 for stage in stages), 2),
    )


def table_cost(name: str) -> TableCost:
    """Estimate the cost of a table of the paper, as if nothing had been run."""
    ((cells, forecast),) = planned((name,))
    runs = paper_runs(cells)
    methods = [run.config.settings.method.name for run in runs]
    counted = [cell.measured.dataset for cell in cells.paper.cells.values()]
    return TableCost(
        number=forecast.number,
        name=name,
        datasets=each_once(run.config.dataset for run in runs) or each_once(counted),
        unknown=each_once(row.dataset for row in forecast.rows if not row.stages),
        embedders=each_once(run.config.settings.embedder.name for run in runs if run.embeds),
        packages=each_once(method for method in methods if method in PACKAGES),
        dollars=round(forecast.dollars, 2),
        hours=round(forecast.seconds / 3600, 1),
        numbers=forecast.comparable.numbers,
        comparable=forecast.comparable.numbers - len(forecast.comparable.obstacles),
    )


def planned(names: Sequence[str]) -> list[tuple[Cells, Forecast]]:
    """Return the cells and the forecast of each table, planned with an empty results folder."""
    with TemporaryDirectory() as results:
        runs = TableRuns("nothing", no_view)
        tables = [
            table_cells(name, (f"paths.results={results}",), runs, paper_folder()) for name in names
        ]
        return list(zip(tables, forecasts(tables, runs), strict=True))


def each_once(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without repetitions, in the order of their first occurrence."""
    return tuple(dict.fromkeys(names))


def write_figures(figures: Figures) -> None:
    """Write docs/estimates.yaml."""
    rows = yaml.safe_dump(asdict(figures), sort_keys=False, default_flow_style=None, width=120)
    FIGURES.write_text(HEADER + rows, "utf-8")


def read_figures() -> Figures:
    """Read docs/estimates.yaml."""
    return read_yaml(FIGURES, Figures)


def with_figures(page: str, figures: Figures) -> str:
    """Return the text of a page with its marked parts replaced by tables of the figures."""
    tables = {"methods": methods_table, "tables": tables_table}

    def rewritten(part: re.Match[str]) -> str:
        lines = "\n".join(tables[part[1]](figures))
        return f"<!-- estimates: {part[1]} -->\n\n{lines}\n\n<!-- end of estimates -->"

    return PART.sub(rewritten, page)


def methods_table(figures: Figures) -> Iterator[str]:
    """Yield the lines of the table that lists the methods."""
    yield "| dataset | method | calls | tokens in | tokens out | dollars |"
    yield "|---|---|--:|--:|--:|--:|"
    before = ""
    for cost in figures.methods:
        dataset = f"{TITLES[cost.dataset]}, {cost.questions:,} questions"
        tokens = f"{cost.prompt_tokens / 1e6:.1f} M | {cost.completion_tokens / 1e6:.2f} M"
        yield (
            f"| {dataset if dataset != before else ''} | {TITLES[cost.method]} | {cost.calls:,} "
            f"| {tokens} | {cost.dollars:,.2f} |"
        )
        before = dataset


def tables_table(figures: Figures) -> Iterator[str]:
    """Yield the lines of the table that lists the paper's tables."""
    yield "| `TABLE=` | datasets | encoders and packages | estimate | comparable |"
    yield "|---|---|---|--:|--:|"
    for cost in figures.tables:
        needed = ", ".join(TITLES[name] for name in (*cost.embedders, *cost.packages))
        datasets = ", ".join(TITLES[name] for name in cost.datasets)
        yield (
            f"| {cost.number} `{cost.name}` | {datasets} | {needed or '-'} | {table_amount(cost)} "
            f"| {cost.comparable} of {cost.numbers} |"
        )
    comparable = sum(cost.comparable for cost in figures.tables)
    numbers = sum(cost.numbers for cost in figures.tables)
    unknown = each_once(name for cost in figures.tables for name in cost.unknown)
    whole = amount(figures.all_dollars, figures.all_hours, unknown)
    yield f"| all: `remem table --all` | | | {whole} | {comparable} of {numbers} |"


def table_amount(cost: TableCost) -> str:
    """Return what a table costs, as text.

    It is "unknown" if all datasets of the table are missing, and "no model" if the cost is 0.
    """
    if cost.unknown == cost.datasets:
        return "unknown"
    return amount(cost.dollars, cost.hours, cost.unknown) if cost.dollars else "no model"


def amount(dollars: float, hours: float, unknown: Sequence[str]) -> str:
    """Return dollars and hours as text, with the names of the datasets that are not included."""
    without = f", without {', '.join(TITLES[name] for name in unknown)}" if unknown else ""
    return f"${dollars:,.2f}, {hours} h{without}"


if __name__ == "__main__":
    main()
