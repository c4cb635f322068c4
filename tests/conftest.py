"""What several tests share."""

import gc
import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.metadata import Distribution, PackageNotFoundError
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from remem.cli import main as cli
from remem.files.line_log import read_lines, summed
from remem.run.store import RECORDS, run_of

# The draws of a property are the same in every run, and a busy machine does not fail one.
settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("fixed"), max_examples=100)
settings.register_profile(
    "explore",
    settings.get_profile("fixed"),
    derandomize=False,
    max_examples=1000,
    print_blob=True,
)
settings.load_profile("fixed")
# Hypothesis also draws constants of the modules imported so far: those depend on the order.
assert callable(providers._get_local_constants)
providers._get_local_constants = lambda: providers._local_constants

# Mem0 reads this when it is first imported, and a test may do that before remem does.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ.pop("COLUMNS", None)  # a worker of pytest-xdist has one, and tables would follow it

pytest_plugins = ["pytester"]
OUTSIDE = Path(__file__).parent / "parts" / "outside"


@pytest.fixture(scope="session")
def tot_brute_force() -> ModuleType:
    """The literal solver of Test of Time questions, `solve(question, facts)`."""
    return oracle("tot_brute_force")


@pytest.fixture(scope="session")
def complex_tr_brute_force() -> ModuleType:
    """The literal solver of Complex-TR questions, `solve(question, facts)`."""
    return oracle("complex_tr_brute_force")


@pytest.fixture(scope="session")
def hipporag_evaluator() -> ModuleType:
    """HippoRAG's evaluator written anew: `exact_match` and `f1`, each `(golds, answer)`."""
    return oracle("hipporag_evaluator")


@pytest.fixture
def change_records() -> Callable[[Path, Callable[[bytes], bytes]], None]:
    """Change each record of a run as its program would: with the right sums, `(folder, change)`."""

    def change(folder: Path, changed: Callable[[bytes], bytes]) -> None:
        owner = run_of(folder)
        contents = [content for _, content in read_lines(folder / RECORDS, owner)]
        lines = [summed(changed(content), owner) + b"\n" for content in contents]
        (folder / RECORDS).write_bytes(b"".join(lines))

    return change


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Hide the release of an installed package, `(name)`, as if it were not installed."""
    installed = Distribution.from_name

    def hide(hidden: str) -> None:
        def from_name(name: str) -> Distribution:
            if name == hidden:
                raise PackageNotFoundError(name)
            return installed(name)

        monkeypatch.setattr(Distribution, "from_name", from_name)

    return hide


class Ended(NamedTuple):
    """The exit code of a command, and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def remem() -> Callable[..., Ended]:
    """Call the command: `(folder, *words)`, see `call_remem`."""
    return call_remem


def call_remem(
    folder: Path,
    *words: str | Path,
    packages: Path | None = None,
    data: Path | None = None,
    results: str | Path = "results",
) -> Ended:
    """Call the command in this process, which takes a second less than one of its own.

    It is called in a folder, with results of its own there and with no data but `data`.
    """
    known = {"REMEM_RESULTS": folder / results, "REMEM_DATA": data or folder / "no data"}
    out, err = StringIO(), StringIO()
    with (
        in_folder(folder, known, packages) as patch,
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", ["remem", *map(str, words)])
        cli.main()
    return Ended(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@contextmanager
def in_folder(
    folder: Path, variables: dict[str, Path], packages: Path | None
) -> Iterator[pytest.MonkeyPatch]:
    """Be in a folder, with variables of the environment and with a folder on Python's path.

    The modules of that folder are forgotten at the end.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, place in variables.items():
            patch.setenv(name, str(place))
        if packages is not None:
            patch.syspath_prepend(packages)
        patch.setattr(sys, "excepthook", sys.excepthook)
        try:
            yield patch
        finally:
            for name, module in list(sys.modules.items()):
                file = getattr(module, "__file__", None)
                if packages is not None and file and Path(file).is_relative_to(packages):
                    del sys.modules[name]


def oracle(name: str) -> ModuleType:
    """Load a second implementation from tests/oracles, which is no package."""
    return loaded(Path(__file__).parent / "oracles" / f"{name}.py")


def loaded(path: Path) -> ModuleType:
    """Load a module that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take `--regenerate-golden`, `--require-extras` and `--require-rivals`."""
    parser.addoption("--regenerate-golden", action="store_true", help="write tests/golden anew")
    parser.addoption(
        "--require-extras",
        action="store_true",
        help="fail where a test is skipped because a package is not installed",
    )
    parser.addoption(
        "--require-rivals",
        action="store_true",
        help="fail where a test is skipped because no variable names the Python of a rival",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watch for what may not be skipped; let what the tests start be interrupted.

    A shell ignores interrupts on behalf of its jobs in the background, and so would their children.
    """
    if "REMEM_TESTS_OUTSIDE" not in os.environ:  # else a session within a session, which notes too
        config.pluginmanager.register(Outside())
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--require-extras"):
        config.pluginmanager.register(RequiredExtras("is not installed"))
    if config.getoption("--require-rivals"):
        config.pluginmanager.register(RequiredExtras("_PYTHON is unset"))


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of each garbage collection: it saves a tenth."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # as remem.cli.main does


class RequiredExtras:
    """Ends a session as failed when something was missing: when a test was skipped for `reason`."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._lacking: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._look_at(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._look_at(report)

    def _look_at(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        reason = str(report.longrepr)
        if report.skipped and self._reason in reason:
            self._lacking.append(f"{report.nodeid}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._lacking:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for told in self._lacking:
            terminalreporter.write_line(f"a required extra is missing: {told}", red=True)


class Outside:
    """Ends a session as failed when it, or a Python that it started, sought another machine.

    Not heard are programs that are no Python (browsers, servers of ray and W&B) and children whose
    PYTHONPATH is replaced or that are started without one, as the workers of rivals elsewhere are.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="remem-outside-")
        self._notes = Path(self._folder.name) / "notes"
        self._notes.touch()
        path = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(OUTSIDE), *([path] if path else [])])
        os.environ["REMEM_TESTS_OUTSIDE"] = str(self._notes)
        loaded(OUTSIDE / "sitecustomize.py")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._notes.read_bytes():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for noted in self._notes.read_text(encoding="utf-8").splitlines():
            terminalreporter.write_line(f"sought outside of this machine: {noted}", red=True)
