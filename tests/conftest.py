"""What several tests share."""

import importlib.util
import signal
from pathlib import Path
from types import ModuleType

import pytest


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


def oracle(name: str) -> ModuleType:
    """Load a second implementation from tests/oracles, which is no package."""
    path = Path(__file__).parent / "oracles" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take `--regenerate-golden` and `--require-extras`."""
    parser.addoption("--regenerate-golden", action="store_true", help="write tests/golden anew")
    parser.addoption(
        "--require-extras",
        action="store_true",
        help="fail where a test is skipped because a package is not installed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watch for what may not be skipped; let what the tests start be interrupted.

    A shell ignores interrupts on behalf of its jobs in the background, and so would their children.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--require-extras"):
        config.pluginmanager.register(RequiredExtras())


class RequiredExtras:
    """Ends a session as failed when a package was lacking."""

    def __init__(self) -> None:
        self._lacking: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._look_at(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._look_at(report)

    def _look_at(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        reason = str(report.longrepr)
        if report.skipped and "is not installed" in reason:
            self._lacking.append(f"{report.nodeid}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._lacking:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for told in self._lacking:
            terminalreporter.write_line(f"a required extra is lacking: {told}", red=True)
