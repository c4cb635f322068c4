"""Which module may import which; the tiers are defined as data, only here."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import remem
from remem.apps import app_verbs
from remem.cli.main import COMMANDS, VERBS
from remem.cli.main import modules as modules_of_commands
from remem.files.shipped import app_folders

ROOT = Path(__file__).parents[2]
FACE = ROOT / "remem" / "__init__.py"
"""What `import remem` gives. It is above all tiers, so it loads its names when they are used."""

TIERS = (
    {
        "remem.types",
        "remem.time_scope",
        "remem.protocols",
        "remem.passages",
        "remem.errors",
        "remem.intake",
    },
    {"remem.files"},
    {"remem.metrics", "remem.temporal", "remem.llm", "remem.index"},
    {"remem.prompts", "remem.embed"},
    {"remem.config"},
    {
        "remem.memory",
        "remem.readers",
        "remem.judge",
        "remem.serve",
        "remem.benchmarks",
        "remem.paper",
        "baselines",
    },
    {"remem.run"},
    {"remem.results"},
    {"remem.tables"},
    {"remem.bundle"},
    {"remem.reports"},
    {"remem.cli"},
    {"remem.apps"},
    {"remem.cli.main"},
    {"remem.__main__"},
)
"""Parts from the bottom up: each imports itself and what is below it. The first is the vocabulary,
whose modules import each other. The commands of an app use the options of ours, and the entry of
the command line is above all commands."""

MOST_MODULES, MOST_DIRECT, MOST_PACKAGES = 7, 24, 30

OWNERS = {
    "bm25s": {"remem.index.postings"},
    "Stemmer": {"remem.index.postings"},
    "rank_bm25": {"remem.index.bm25_lexical"},
    "sacrebleu": {"remem.metrics.bleu"},
    "scipy": {
        "remem.metrics.agreement",
        "remem.metrics.paired",
        "remem.apps.referee.gates.noninferiority",
        "remem.metrics.benchmark_scores",
        "baselines.hipporag2_graph",
    },
    "networkx": {
        "remem.memory.graph",
        "remem.benchmarks.tot.graphs",
        "remem.results.memory_graphs",
    },
    "torch": {
        "remem.index.torch_dense",
        "remem.embed.sentence_transformer",
        "remem.embed.local_models",
    },
    "faiss": {"remem.index.faiss_dense", "remem.index.faiss_gpu_dense"},
    "sentence_transformers": {"remem.embed.sentence_transformer", "remem.embed.local_models"},
    "openai": {
        "remem.embed.api",
        "remem.embed.served_encoder",
        "remem.llm.http_client",
        "remem.llm.openai_endpoint",
    },
    "tenacity": {"remem.llm.openai_endpoint"},
    "evaluate": set(),
    "wandb": {"remem.reports.wandb.client"},
    "wandb_workspaces": {"remem.reports.wandb.dashboard"},
    "pymilvus": {"remem.index.milvus_dense"},
    "ray": {"remem.run.ray_runner"},
    "xllamacpp": {"remem.apps.small_model.llama_child"},
    "mcp": {"remem.apps.rivals.mcp_session", "remem.apps.rivals.mcp_pipes"},
    "mcp_types": {"remem.apps.rivals.mcp_session", "remem.apps.rivals.mcp_pipes"},
    "httpx2": {"remem.apps.rivals.mcp_session"},
    "inspect_ai": {"remem.apps.inspect_tasks.tasks"},
}
"""Heavy packages and the modules that may import them, inside a function."""

LOADED_BY_ITS_PACKAGE = {"remem.apps.inspect_tasks.tasks"}
"""Modules that a heavy package loads, which may import it at once; nothing of ours imports them."""

NESTED = re.compile(r"Callable\[\[[^\]]*\], *(Iterable\[)?Callable\[")
MOST_LINES_OF_THE_LOOP = 150

LEVELS = {part: level for level, parts in enumerate(TIERS) for part in parts}


def modules() -> dict[str, Path]:
    paths = (path for name in ("remem", "baselines") for path in (ROOT / name).rglob("*.py"))
    found = {path.relative_to(ROOT): path for path in paths}
    return {
        ".".join(place.with_suffix("").parts): path
        for place, path in found.items()
        if path.name != "__init__.py"
    }


MODULES = modules()


@cache
def tree(module: str) -> ast.Module:
    return tree_of(MODULES[module])


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(node: ast.AST, known: Collection[str] = MODULES.keys()) -> Iterator[str]:
    """Yield the modules imported at or below a node; names in `known` are modules."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import):
            yield from (alias.name for alias in inner.names)
        elif isinstance(inner, ast.ImportFrom):
            for alias in inner.names:
                submodule = f"{inner.module}.{alias.name}"
                yield submodule if submodule in known else str(inner.module)


def imported_on_import(node: ast.AST) -> Iterator[str]:
    """Yield what is imported outside of functions, except under `TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield from imported(child)
        yield from imported_on_import(child)


def part(module: str) -> str:
    """Return a module's package directly under remem, or the module itself if it is a part."""
    if module in LEVELS:
        return module
    return "baselines" if module.startswith("baselines.") else ".".join(module.split(".")[:2])


def system(module: str) -> str:
    """Return the baseline a module belongs to: its name up to the first underscore."""
    package, _, name = module.partition(".")
    return name.partition("_")[0] if package == "baselines" else ""


@cache
def ours(module: str) -> list[str]:
    names = imported(tree(module))
    return [name for name in names if name.partition(".")[0] in ("remem", "baselines")]


def app(module: str) -> str:
    """Return the app that a module belongs to, "" for none."""
    return module.split(".")[2] if module.startswith("remem.apps.") else ""


def circle(files: Mapping[str, Path]) -> list[str]:
    """Return a cycle of imports: each module imports a neighbour in the list; [] if there is none.

    Imports inside functions and for type checkers count, too.
    """
    imports = {
        module: {*imported(tree_of(path), files)} & {*files} - {module}
        for module, path in files.items()
    }
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def packages() -> set[str]:
    """Return the names of the packages in the folder `remem`."""
    named = {module.rpartition(".")[0] for module in MODULES}
    return {package for package in named if not package.startswith("baselines")}


def test_every_part_has_its_tier() -> None:
    of_modules = {part(module) for module in MODULES}
    assert {*of_modules, "remem.apps"} == set(LEVELS)  # there may be no app


def test_a_module_imports_only_what_is_below_it() -> None:
    climbs = [
        f"{module} imports {name}"
        for module in sorted(MODULES)
        for name in ours(module)
        if part(name) != part(module)
        and not {part(name), part(module)} <= TIERS[0]
        and LEVELS[part(name)] >= LEVELS[part(module)]
    ]
    assert climbs == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    faces = [path for name in ("remem", "baselines") for path in (ROOT / name).rglob("__init__.py")]
    of_packages = {".".join(path.parent.relative_to(ROOT).parts): path for path in faces}
    assert circle({**MODULES, **of_packages}) == []


@pytest.mark.parametrize(
    "last",
    ["import first", "def work():\n    from first import name", "if TYPE_CHECKING: import first"],
)
def test_a_circle_is_found_however_its_modules_import_each_other(tmp_path: Path, last: str) -> None:
    sources = {"first": "from second import name", "second": "import third", "third": last}
    files = {name: tmp_path / f"{name}.py" for name in sources}
    for name, source in sources.items():
        files[name].write_text(source)
    assert set(circle(files)) == {"first", "second", "third"}
    assert circle({name: files[name] for name in ("first", "second")}) == []


def test_there_are_few_packages_and_fewer_modules_outside_of_them() -> None:
    inside = {package for package in packages() - {"remem"} if not app(package)}
    assert len(inside) <= MOST_PACKAGES
    assert len([package for package in inside if package.count(".") == 1]) <= MOST_DIRECT
    outside = [
        module for module in MODULES if module.startswith("remem.") and module.count(".") == 1
    ]
    assert len(outside) <= MOST_MODULES


def test_a_package_says_what_it_is_for() -> None:
    for package in packages():
        face = ROOT.joinpath(*package.split("."), "__init__.py")
        assert ast.get_docstring(tree_of(face)), face


def test_a_module_of_remem_imports_no_baseline_and_a_baseline_no_other() -> None:
    others = {
        module: name
        for module in MODULES
        for name in ours(module)
        if name.startswith("baselines") and system(name) != system(module)
    }
    assert others == {}


def test_an_app_imports_no_other() -> None:
    others = {
        module: name
        for module in MODULES
        for name in ours(module)
        if app(name) not in ("", app(module))
    }
    assert others == {}


def test_an_app_has_its_three_folders_and_names_its_commands_without_an_import() -> None:
    for folder in app_folders():
        assert ast.get_docstring(tree_of(folder / "__init__.py")), folder
        imports = set(imported(tree_of(folder / "__init__.py")))
        assert imports <= {"collections.abc"}, folder
        assert list((ROOT / "tests" / "apps" / folder.name).glob("test_*.py")), folder
        assert list((ROOT / "docs" / "apps" / folder.name).glob("*.md")), folder


def test_no_two_commands_have_the_same_name() -> None:
    names = (len(COMMANDS), *map(len, VERBS.values()), len(list(app_verbs())))
    assert len(modules_of_commands()) == sum(names)


def test_a_heavy_package_is_imported_by_its_owner_inside_a_function() -> None:
    for module in MODULES:
        heavy = {name.partition(".")[0] for name in imported(tree(module))} & set(OWNERS)
        assert {name for name in heavy if module not in OWNERS[name]} == set(), module
        at_once = {name.partition(".")[0] for name in imported_on_import(tree(module))}
        assert at_once & set(OWNERS) == set() or module in LOADED_BY_ITS_PACKAGE, module
        assert not LOADED_BY_ITS_PACKAGE & set(ours(module)), module


def test_no_command_defines_an_error() -> None:
    of_commands = [module for module in MODULES if part(module) == "remem.cli"]
    classes = (
        node
        for module in of_commands
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ClassDef)
    )
    assert [node.name for node in classes if node.name.endswith("Error")] == []


def test_the_runner_of_a_cluster_is_chosen_by_conf_alone() -> None:
    importing = [module for module in MODULES if "remem.run.ray_runner" in ours(module)]
    assert importing == []


def test_the_loop_is_one_short_file() -> None:
    source = MODULES["remem.run.experiment"].read_text("utf-8")
    assert len(source.splitlines()) <= MOST_LINES_OF_THE_LOOP
    steps = ("index(history", "memory.recall(", "reader.read(", "recorder.answered(", "append(")
    assert [step for step in steps if step not in source] == []


def test_no_function_of_the_loop_returns_a_function_that_returns_one() -> None:
    of_run = [path for name, path in MODULES.items() if part(name) == "remem.run"]
    assert [path for path in of_run if NESTED.search(path.read_text("utf-8"))] == []


def test_every_owner_is_there_and_imports_what_it_owns() -> None:
    for package, owners in OWNERS.items():
        for owner in owners:
            if app(owner) and owner not in MODULES:
                continue  # the app is removed
            assert package in {name.partition(".")[0] for name in imported(tree(owner))}


def test_importing_remem_loads_nothing_but_its_face() -> None:
    code = "import sys, remem; print(*(name for name in sys.modules if name[:6] == 'remem.'))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
    assert set(imported_on_import(tree_of(FACE))) <= {"importlib", "typing"}


def test_the_face_of_remem_has_about_ten_names_and_each_is_what_its_module_defines() -> None:
    assert 8 <= len(remem.__all__) <= 12
    assert set(remem.__all__) <= set(dir(remem))
    for name in remem.__all__:
        found = getattr(remem, name)
        assert found.__name__ == name
        assert getattr(sys.modules[found.__module__], name) is found


def test_the_face_of_remem_shows_a_type_checker_the_same_names() -> None:
    shown = {
        alias.name
        for node in ast.walk(tree_of(FACE))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("remem.")
        for alias in node.names
    }
    assert shown == set(remem.__all__)


def test_an_unknown_name_of_remem_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        remem.evalute  # noqa: B018


def test_a_folder_that_would_shadow_a_package_is_none() -> None:
    assert list((ROOT / "datasets").rglob("*.py")) == []
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_the_command_starts_without_any_heavy_package() -> None:
    code = "import sys, remem.cli.main; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert set(done.stdout.split()) & set(OWNERS) == set()
