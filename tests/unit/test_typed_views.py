"""Settings and manifests are read as attributes; only the modules that own them read raw trees."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

OWNERS = {
    "remem/config/run_config.py": "takes fingerprints of the tree and builds its parts",
    "remem/config/run_path.py": "names a folder by groups, of which each caller has its own tree",
    "remem/config/untrusted_composed.py": "checks a stranger's tree whole",
    "remem/results/restored_config.py": "puts the places of here into a manifest's tree",
    "remem/run/manifest.py": "writes the tree into the manifest",
    "remem/run/store.py": "reads and writes manifests",
    "remem/run/history_task.py": "sends the tree to a worker",
    "remem/apps/referee/imports/written_run.py": "puts the origin of answers into it",
    "remem/apps/own_log/log_memory.py": "has a stranger's tree checked whole",
    "remem/bundle/portable.py": "copies the tree into a bundle",
    "remem/bundle/buildable.py": "copies parts of the tree as a bundle would",
    "remem/bundle/gathering.py": "has the tree copied into a bundle",
    "remem/bundle/replayed_run.py": "writes the manifest of a run that was restored",
    "remem/reports/wandb/mirror.py": "asks of the tree whether a stub answers, as of a manifest's",
    "remem/cli/live_check.py": "has the tree copied to replay the run",
}
"""Who handles a configuration or a manifest as a tree, and what for."""

TREES = {"manifest", "resolved"}


def sources() -> Iterator[Path]:
    for folder in ("remem", "baselines", "scripts"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def name(node: ast.AST) -> str:
    """Return the last name in an expression: of a variable, an attribute or a called function."""
    if isinstance(node, ast.Call):
        return name(node.func).removeprefix("read_")
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def reads_a_tree(node: ast.AST) -> bool:
    """Return whether a node reads a key of a raw tree, or takes a configuration's raw tree."""
    if isinstance(node, ast.Attribute) and node.attr == "get":
        return name(node.value) in TREES
    if isinstance(node, ast.Subscript):
        by_place = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
        return name(node.value) in TREES and not by_place
    return isinstance(node, ast.Attribute) and node.attr == "resolved"


def trees_read(code: str) -> list[str]:
    """Return the lines of the code that read raw trees."""
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Subscript | ast.Attribute) and reads_a_tree(node)
    ]


@pytest.mark.parametrize(
    "code",
    [
        'manifest["data"]',
        'run.manifest.get("data", [])',
        'read_manifest(folder)["config"]',
        'config.resolved["llm"]["name"]',
        'resolved["paths"]',
        "resolved = config.resolved",
    ],
)
def test_a_key_read_of_a_tree_is_found(code: str) -> None:
    assert trees_read(code)


@pytest.mark.parametrize("code", ["run.manifest.data", "config.settings.llm.name", "resolved[1]"])
def test_attributes_are_no_trees(code: str) -> None:
    assert not trees_read(code)


def test_trees_are_read_by_their_owners_alone() -> None:
    paths = {path.relative_to(ROOT).as_posix(): path for path in sources()}
    found = {at: trees_read(path.read_text(encoding="utf-8")) for at, path in paths.items()}
    assert {at: lines for at, lines in found.items() if lines and at not in OWNERS} == {}
    # who reads none any more is no owner, but an app may be gone
    assert [at for at in OWNERS if not found.get(at, at.startswith("remem/apps/"))] == []
