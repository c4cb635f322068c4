"""Named mutations, copies of the tree for applying them, and the tests that run there."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

Outcome = Literal["killed", "survived", "error", "passed"]

OPTIONS = (
    *("-x", "-q", "--no-header", "--tb=no", "-rfE", "-p", "no:cacheprovider"),
    # Not those of pyproject.toml, which may start several processes, and no example of chance.
    *("-o", "addopts=--strict-markers --import-mode=importlib -p no:hydra_pytest -p no:anyio"),
    *("-p", "_hypothesis_pytestplugin", "--hypothesis-profile=ci"),
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+(?: \S+)*?)(?: - .*)?$", re.MULTILINE)
KILLING_CODES = (1, 2, 4)
"""Exit codes of pytest: a test failed, an import failed, conftest.py failed."""
OWN_FILES = ("scripts/mutants.py", "scripts/mutation_runs.py", "scripts/mutations/")
"""Files that do not affect results: a new mutation keeps the results of the others."""


class BadListError(ValueError):
    """The list of mutations cannot be used."""


@dataclass(frozen=True, slots=True)
class Change:
    """A mutation in a list file; its own tests replace those of the mutated file."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    old: str
    new: str
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChanges:
    """All mutations of a file, and the tests that cover it; the most likely to fail comes first."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    tests: tuple[str, ...]
    mutations: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A text that occurs once in a file, its replacement, and the tests that must fail."""

    area: str
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def fault(self, root: Path) -> str:
        """Return why the mutation cannot be applied to a tree, or ""."""
        path = root / self.file
        if not path.is_file():
            return f"there is no file {self.file}"
        count = path.read_text(encoding="utf-8").count(self.old)
        if count != 1:
            return f"{self.file} has its old text {count} times, expected once: {self.old!r}"
        if self.old == self.new:
            return "its new text is the old one"
        gone = [test for test in self.tests if not (root / test.partition("::")[0]).exists()]
        return f"there is no test file {gone[0]}" if gone else ""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a mutation, or of tests without one, and the first test that failed."""

    key: str
    outcome: Outcome
    killer: str
    seconds: float


def read_mutations(folder: Path) -> tuple[Mutation, ...]:
    """Return the mutations of all list files in a folder; a list is named by its area.

    Raises:
        BadListError: A list cannot be read, or two mutations have the same name.
    """
    mutations = [
        mutation for path in sorted(folder.glob("*.yaml")) for mutation in _read_list(path)
    ]
    names = [mutation.name for mutation in mutations]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadListError(f"{folder}: two mutations are named {twice[0]!r}: rename one")
    return tuple(mutations)


def _read_list(path: Path) -> Iterator[Mutation]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        files = TypeAdapter(dict[str, FileChanges]).validate_python(content)
    except (yaml.YAMLError, ValidationError) as error:
        raise BadListError(f"{path}: not a list of mutations: {error}") from error
    for file, listed in files.items():
        for mutation in listed.mutations:
            tests = mutation.tests or listed.tests
            yield Mutation(path.stem, mutation.name, file, mutation.old, mutation.new, tests)


class Copy:
    """A copy of a tree, in which one mutation at a time is tested."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._folder = folder / "tree"
        self._temporary = folder / "tests"
        for name in tracked(root):
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target, follow_symlinks=False)
        self._process: subprocess.Popen[str] | None = None

    def imported(self) -> bool:
        """Return True if the tests import the code of this copy, not the installed one."""
        command = [sys.executable, "-c", "import remem; print(remem.__file__)"]
        done = subprocess.run(
            command,
            cwd=self._folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.startswith(str(self._folder))

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        """Apply a mutation during the block."""
        path = self._folder / mutation.file
        before = path.read_bytes()
        text = before.decode("utf-8").replace(mutation.old, mutation.new)
        try:
            _replace(path, text.encode("utf-8"))
            yield
        finally:
            _replace(path, before)

    def run(self, tests: Sequence[str], timeout: float) -> tuple[int | None, str, float]:
        """Return pytest's exit code (None at the timeout), the first failed test, the seconds."""
        command = [sys.executable, "-m", "pytest", *OPTIONS, f"--basetemp={self._temporary}"]
        begun = time.monotonic()
        self._process = subprocess.Popen(
            [*command, *tests],
            env=self._environment(),
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = self._process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.stop()
            return None, f"nothing ended within {timeout:.0f} s", time.monotonic() - begun
        failed = FAILED.search(output)
        told = failed[1] if failed else (output.strip().splitlines() or [""])[-1]
        return self._process.returncode, told, time.monotonic() - begun

    def stop(self) -> None:
        """Kill the tests that run here, and all processes they started."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(self._folder),
            "PYTHONHASHSEED": "0",
            # Those of Hydra and anyio are used by no test, and take two thirds of a start.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }


def tested(copy: Copy, mutation: Mutation, key: str, timeout: float) -> Result:
    """Run the tests of a mutation."""
    with copy.mutated(mutation):
        code, killer, seconds = copy.run(mutation.tests, timeout)
    if code == 0:
        return Result(key, "survived", "", seconds)
    is_killed = code is None or code in KILLING_CODES
    return Result(key, "killed" if is_killed else "error", killer, seconds)


def tested_unchanged(copy: Copy, tests: Sequence[str], key: str, timeout: float) -> Result:
    """Run tests without a mutation; a failure means that they cannot test one."""
    code, failed, seconds = copy.run(tests, timeout)
    return (
        Result(key, "passed", "", seconds) if code == 0 else Result(key, "error", failed, seconds)
    )


class Log:
    """Results as JSON lines, by key, from which an interrupted pass continues."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        whole, _, _ = (path.read_bytes() if path.exists() else b"").rpartition(b"\n")
        path.write_bytes(whole + b"\n" if whole else b"")  # without a line that a kill cut short
        lines = (json.loads(line) for line in whole.splitlines())
        self._results = {line["key"]: TypeAdapter(Result).validate_python(line) for line in lines}

    def find(self, key: str) -> Result | None:
        """Return the result of a key, if there is one."""
        return self._results.get(key)

    def add(self, result: Result) -> Result:
        """Write a result to disk and return it; errors are tried again."""
        with self._lock:
            if result.outcome != "error":
                self._results[result.key] = result
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
        return result


def tracked(root: Path) -> list[str]:
    """Return the files and links of a working tree that git tracks or would add, sorted."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True).stdout
    names = {name for name in listed.decode("utf-8").split("\0") if name}
    return sorted(name for name in names if (root / name).is_file() or (root / name).is_symlink())


class Tree:
    """The files that results depend on: all files except the test modules that do not run."""

    def __init__(self, root: Path) -> None:
        sums = {
            name: hashlib.sha256((root / name).read_bytes()).hexdigest()
            for name in tracked(root)
            if (root / name).is_file() and not name.startswith(OWN_FILES)
        }
        self._tests = {name: total for name, total in sums.items() if _is_test(name)}
        self._rest = sorted((name, total) for name, total in sums.items() if not _is_test(name))

    def key(self, tests: Sequence[str], *parts: str) -> str:
        """Return the sha256 of a selection of tests, its dependencies and more parts."""
        chosen = tuple(test.partition("::")[0] for test in tests)
        run = sorted(pair for pair in self._tests.items() if pair[0].startswith(chosen))
        return hashlib.sha256(json.dumps([self._rest, run, tests, parts]).encode()).hexdigest()


def _is_test(name: str) -> bool:
    return name.startswith("tests/") and Path(name).name.startswith("test_")


def _replace(path: Path, content: bytes) -> None:
    """Write a file and delete its bytecode, which Python checks only by size and second."""
    path.write_bytes(content)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
