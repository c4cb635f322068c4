"""`make mutants`: its list fits the code, and a pass tells what the tests notice and what not."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "mutants.py"
ADDED = {"name": "a sum is a difference", "old": "a + b", "new": "a - b"}
UNTESTED = {"name": "a product is a quotient", "old": "a * b", "new": "a / b"}
ENDLESS = {"name": "a sum never ends", "old": "return a + b", "new": "while True: pass"}
CODE = """
def add(a, b):
    return a + b


def multiply(a, b):
    return a * b
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of two functions, of which one is tested."""
    root = tmp_path / "tree"
    for name, text in {
        "remem/__init__.py": "",
        "remem/sums.py": CODE,
        "tests/test_sums.py": "from remem.sums import add\n\n\n"
        "def test_a_sum():\n    assert add(2, 3) == 5\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


@pytest.fixture
def run(tree: Path, tmp_path: Path) -> Run:
    """Run the script on the tree, with a list of mutations."""

    def run(*changes: dict[str, str], options: tuple[str, ...] = ()) -> object:
        listed = {"remem/sums.py": {"tests": ["tests/test_sums.py"], "mutations": changes}}
        (tmp_path / "lists").mkdir(exist_ok=True)
        (tmp_path / "lists" / "toy.yaml").write_text(json.dumps(listed))  # JSON is YAML
        places = ("--root", tree, "--lists", tmp_path / "lists", "--kept", tmp_path / "kept")
        command = [sys.executable, SCRIPT, *places, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run  # type: ignore[return-value]  # object stands for what the alias says


@pytest.fixture
def report(tmp_path: Path) -> Callable[[], dict[str, object]]:
    return lambda: json.loads((tmp_path / "kept" / "report.json").read_text())


def test_every_mutation_that_is_listed_can_be_applied() -> None:
    # A change of code moves the text of a mutation: change scripts/mutations too.
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_pass_tells_which_test_killed_what_and_leaves_the_tree_alone(
    run: Run, report: Callable[[], dict[str, object]], tree: Path
) -> None:
    done = run(ADDED, UNTESTED, options=("--allow", "0"))
    assert done.returncode == 1, done.stdout
    assert "| toy | 2 | 1 | 1 |" in done.stdout
    assert "survived: a product is a quotient (remem/sums.py)" in done.stdout
    found = report()
    assert (found["applied"], found["killed"], found["survived"]) == (2, 1, 1)
    assert [(item["name"], item["outcome"], item["killer"]) for item in found["mutations"]] == [
        ("a product is a quotient", "survived", ""),
        ("a sum is a difference", "killed", "tests/test_sums.py::test_a_sum"),
    ]
    assert (tree / "remem" / "sums.py").read_text() == CODE


def test_a_pass_that_was_killed_goes_on_from_its_log(
    run: Run, report: Callable[[], dict[str, object]], tmp_path: Path
) -> None:
    run(ADDED, UNTESTED, options=("--allow", "1", "--workers", "2"))
    first = report()
    log = tmp_path / "kept" / "log.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:2]) + lines[2][:20])  # the last line was cut short
    assert run(ADDED, UNTESTED, options=("--allow", "1")).returncode == 0
    again = {item["name"]: item["seconds"] for item in report()["mutations"]}
    known = {json.loads(line)["key"] for line in lines[:2]}
    for item in first["mutations"]:
        assert (again[item["name"]] == item["seconds"]) == (item["key"] in known)
    assert len(log.read_text().splitlines()) == 3


def test_a_mutation_whose_text_is_gone_or_ambiguous_is_stale_and_fails_the_command(
    run: Run,
) -> None:
    gone = {"name": "gone", "old": "a % b", "new": "a"}
    twice = {"name": "twice", "old": "(a, b)", "new": "(b, a)"}
    done = run(gone, twice, ADDED, options=("--check",))
    assert done.returncode == 1
    assert "stale: gone: remem/sums.py has its old text 0 times, expected once" in done.stdout
    assert "stale: twice: remem/sums.py has its old text 2 times" in done.stdout
    assert "1 of 3 mutations can be applied" in done.stdout


def test_tests_that_fail_without_a_mutation_end_the_pass(run: Run, tree: Path) -> None:
    (tree / "remem" / "sums.py").write_text(CODE.replace("a + b", "a + b + 1"))
    done = run(ADDED | {"old": "a + b + 1"})
    assert done.returncode == 2
    assert "without any mutation tests/test_sums.py fails: tests/test_sums.py::test_a_sum" in (
        done.stdout
    )


def test_two_mutations_of_one_name_are_refused(run: Run) -> None:
    done = run(ADDED, ADDED)
    assert (done.returncode, "two mutations are named" in done.stdout) == (2, True)


def test_a_mutation_that_hangs_the_tests_is_killed_by_the_timeout(
    tree: Path, tmp_path: Path, mutation_runs: ModuleType
) -> None:
    mutation = mutation_runs.Mutation(
        "toy", file="remem/sums.py", tests=("tests/test_sums.py",), **ENDLESS
    )
    copy = mutation_runs.Copy(tree, tmp_path / "copy")
    found = mutation_runs.tested(copy, mutation, "key", timeout=3.0)
    assert (found.outcome, found.killer) == ("killed", "nothing ended within 3 s")


@pytest.fixture
def mutation_runs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    from importlib import import_module

    monkeypatch.syspath_prepend(SCRIPT.parent)
    return import_module("mutation_runs")
