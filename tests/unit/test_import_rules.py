"""Who may import whom, read from the source: the tiers are data, here and nowhere else."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TIERS = (
    {"remem.time_scope"},
    {"remem.types"},
    {
        "remem.protocols",
        "remem.passages",
        "remem.peak_memory",
        "remem.answer_lists",
        "remem.adapters",
        "remem.guarded_client",
        "remem.left_over",
        "remem.manifest_shape",
        "remem.masking",
        "remem.plain_yaml",
        "remem.shipped",
        "remem.served",
    },
    {"remem.disk"},
    {
        "remem.line_log",
        "remem.embed",
        "remem.index",
        "remem.benchmarks",
        "remem.metrics",
        "remem.temporal",
        "remem.llm",
        "remem.prompts",
    },
    {
        "remem.memory",
        "remem.readers",
        "remem.judge",
        "remem.serve",
        "remem.generators",
        "baselines",
    },
    {"remem.store", "remem.report", "remem.paper"},
)
"""Parts from the bottom up. All other modules of remem (config, experiment, cli...) are on top."""

ON_TOP = {
    "remem.analysis",
    "remem.bench",
    "remem.bundle",
    "remem.commands",
    "remem.data_files",
    "remem.distributed",
    "remem.html_report",
    "remem.own_log",
    "remem.paper_tables",
    "remem.sweep",
    "remem.tracking",
}
"""The packages among them."""

MAY_IMPORT_EACH_OTHER = {"remem.store", "remem.report"}

OWNERS = {
    "bm25s": {"remem.index.bm25s_lexical"},
    "Stemmer": {"remem.index.bm25s_lexical"},
    "rank_bm25": {"remem.index.rank_bm25_lexical"},
    "sacrebleu": {"remem.metrics.bleu"},
    "scipy": {"remem.metrics.paired", "baselines.hipporag2_pagerank"},
    "networkx": {"remem.memory.graph", "remem.generators.tot_graphs", "remem.graphs"},
    "torch": {
        "remem.index.torch_dense",
        "remem.embed.sentence_transformer",
        "remem.embed.random_weights",
    },
    "faiss": {"remem.index.faiss_dense"},
    "sentence_transformers": {"remem.embed.sentence_transformer", "remem.embed.random_weights"},
    "openai": {"remem.embed.api", "remem.guarded_client", "remem.llm.openai_endpoint"},
    "tenacity": {"remem.llm.openai_endpoint"},
    "evaluate": set(),
    "wandb": {"remem.tracking.client"},
    "wandb_workspaces": {"remem.tracking.dashboard"},
    "pymilvus": {"remem.index.milvus_dense"},
    "ray": {"remem.distributed.ray_runner"},
    "xllamacpp": {"remem.llm.llama_child"},
}
"""Heavy packages and the modules that may import them, inside a function.

The benchmark may too: it times them beside us.
"""

LEVELS = {part: level for level, parts in enumerate(TIERS) for part in parts}
TOP = len(TIERS)


def modules() -> dict[str, Path]:
    paths = [path for package in ("remem", "baselines") for path in (ROOT / package).rglob("*.py")]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in paths
        if path.name != "__init__.py"
    }


MODULES = modules()


def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imported(node: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported at or below a node."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import):
            yield from (alias.name for alias in inner.names)
        elif isinstance(inner, ast.ImportFrom):
            for alias in inner.names:
                submodule = f"{inner.module}.{alias.name}"
                yield submodule if submodule in MODULES else str(inner.module)


def imported_on_import(node: ast.AST) -> Iterator[str]:
    """Yield what is imported outside of functions, unless for a type checker alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield from imported(child)
        yield from imported_on_import(child)


def part(module: str) -> str:
    """Return the part of a module: its package, or itself where it lies beside the packages."""
    return "baselines" if module.startswith("baselines") else ".".join(module.split(".")[:2])


def system(module: str) -> str:
    """Return the baseline a module belongs to: its name up to the first underscore."""
    package, _, name = module.partition(".")
    return name.partition("_")[0] if package == "baselines" else ""


def ours(module: str) -> list[str]:
    names = imported(tree(module))
    return [name for name in names if name.partition(".")[0] in ("remem", "baselines")]


def test_every_package_has_its_tier() -> None:
    packages = {part(module) for module in MODULES if module.count(".") > 1}
    assert packages <= set(LEVELS) | ON_TOP


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_lies_below_it(module: str) -> None:
    own = part(module)
    level = LEVELS.get(own, TOP)
    for name in ours(module):
        other = part(name)
        beside = level == TOP or {own, other} <= MAY_IMPORT_EACH_OTHER
        assert other == own or LEVELS.get(other, TOP) < level + beside, f"{module} imports {name}"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_of_remem_imports_no_baseline_and_a_baseline_no_other(module: str) -> None:
    others = [name for name in ours(module) if name.startswith("baselines")]
    assert [name for name in others if system(name) != system(module)] == []


@pytest.mark.parametrize("module", sorted(MODULES))
def test_there_are_no_relative_imports(module: str) -> None:
    found = [node for node in ast.walk(tree(module)) if isinstance(node, ast.ImportFrom)]
    assert all(node.level == 0 for node in found)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_heavy_package_is_imported_by_its_owner_inside_a_function(module: str) -> None:
    heavy = {name.partition(".")[0] for name in imported(tree(module))} & set(OWNERS)
    if part(module) != "remem.bench":
        assert {name for name in heavy if module not in OWNERS[name]} == set()
    at_once = {name.partition(".")[0] for name in imported_on_import(tree(module))}
    assert at_once & set(OWNERS) == set()


def test_every_owner_is_there_and_imports_what_it_owns() -> None:
    for package, owners in OWNERS.items():
        for owner in owners:
            assert package in {name.partition(".")[0] for name in imported(tree(owner))}


@pytest.mark.parametrize("folder", ["datasets", "tests"])
def test_a_folder_that_would_shadow_a_package_is_none(folder: str) -> None:
    assert list((ROOT / folder).rglob("__init__.py")) == []
    assert folder != "datasets" or list((ROOT / folder).rglob("*.py")) == []


def test_the_command_starts_without_any_heavy_package() -> None:
    code = "import sys, remem.cli; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) & set(OWNERS) == set()
