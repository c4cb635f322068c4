"""Fixtures and helpers that several tests share."""

import gc
import hashlib
import importlib
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict
from importlib.metadata import Distribution, PackageNotFoundError
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from typer.testing import CliRunner, Result

from remem.bundle.archive import PLACE, write_seal
from remem.bundle.pack import pack
from remem.cli import main as cli
from remem.config.run_config import compose_config, run_config
from remem.files.line_log import read_lines, summed
from remem.files.shipped import app_folders
from remem.llm.chat_model import StoredChatModel
from remem.llm.limiter import Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.llm.replay import ReplayEndpoint
from remem.protocols import DataFile
from remem.reports.html import table_files
from remem.results.verdicts import Judgment, cases_of, open_judgments
from remem.run.experiment import run_experiment
from remem.run.progress import no_view
from remem.run.run_result import RunResult
from remem.run.store import RECORDS, Timing, open_run, run_of
from remem.serve.stub.faults import FaultPlan
from remem.serve.stub.stub import STUB_MODEL, StubServer, StubSettings
from remem.types import Record

# The draws of a property are the same in every run, and a busy machine does not fail one.
settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
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
PARTS = Path(__file__).parent / "parts"
OUTSIDE = PARTS / "outside"

Ask = Callable[..., Result]
MakeRun = Callable[..., Path]
Rewrite = Callable[..., Path]


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
    """A second version of HippoRAG's evaluator: `exact_match` and `f1`, each `(golds, answer)`."""
    return oracle("hipporag_evaluator")


@pytest.fixture
def change_records() -> Callable[[Path, Callable[[bytes], bytes]], None]:
    """Return `change(folder, changed)`, which changes each record of a run and its checksum."""

    def change(folder: Path, changed: Callable[[bytes], bytes]) -> None:
        owner = run_of(folder)
        contents = [content for _, content in read_lines(folder / RECORDS, owner)]
        lines = [summed(changed(content), owner) + b"\n" for content in contents]
        (folder / RECORDS).write_bytes(b"".join(lines))

    return change


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that hides an installed package, as if it were not installed."""
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


@pytest.fixture
def rehearsal(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The freshly imported module tests/parts/rehearsal.py."""
    monkeypatch.syspath_prepend(PARTS)
    sys.modules.pop("rehearsal", None)
    yield importlib.import_module("rehearsal")
    sys.modules.pop("rehearsal")


@pytest.fixture
def tiny(rehearsal: ModuleType) -> tuple[str, ...]:
    """The overrides that choose the benchmark of `rehearsal`: two histories, two questions each."""
    return (
        "run.packages=[rehearsal]",
        "dataset=generated_tot",
        "dataset.name=tiny",
        "~dataset.build",
        # Three values, because a comma would make the command look for a sweep.
        *("+dataset.build._target_=rehearsal.Tiny", "+dataset.build.seed=0"),
        "+dataset.build.histories=2",
        "run.health=warn",
        "convention.score.resamples=99",
    )


@pytest.fixture
def rehearsed(tiny: tuple[str, ...]) -> tuple[str, ...]:
    """The overrides that choose the benchmark, the memory and the reader of `rehearsal`."""
    return (
        *tiny,
        "method=no_memory",
        "method.build._target_=rehearsal.Memory",
        "reader=always_refuse",
        "reader.build._target_=rehearsal.Reader",
    )


@pytest.fixture
def scripted_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The freshly imported module tests/parts/scripted_model.py, without scripts or requests."""
    monkeypatch.syspath_prepend(PARTS)
    sys.modules.pop("scripted_model", None)
    yield importlib.import_module("scripted_model")
    sys.modules.pop("scripted_model")


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a run as an experiment would, quick to score; return its folder."""

    def make(
        records: Iterable[Record], *overrides: str, seconds: float = 0.5, data: str = "made up"
    ) -> Path:
        quick = ["convention.score.resamples=99", f"paths.results={tmp_path / 'results'}"]
        if not any(override.startswith("dataset=") for override in overrides):
            quick += ["dataset.build.conversations=1", "dataset.build.sessions=2"]
        config = run_config(compose_config([*quick, *overrides]))
        files = (DataFile(data, "0" * 64),)
        folder = config.run_folder(config.fingerprint(files))
        with open_run(folder) as store:
            for record in records:
                store.append(record, Timing(record.query_id, seconds, 0.25))
            store.write_manifest(
                {
                    "config": config.resolved,
                    "fingerprint": config.fingerprint(files),
                    "data": [{"name": files[0].name, "sha256": files[0].sha256}],
                    "prompts": [asdict(prompt) for prompt in config.prompts],
                    "commits": ["0123456789abcdef"],
                    "index_seconds": 2.0,
                    "index_usage": {},
                    "partial": False,
                }
            )
        return folder

    return make


@pytest.fixture
def run(rehearsed: tuple[str, ...], rehearsal: ModuleType, tmp_path: Path) -> RunResult:
    """A finished run of the rehearsal."""
    return run_experiment(run_config(compose_config([*rehearsed, f"paths.results={tmp_path}"])))


@pytest.fixture
def judged(run: RunResult) -> Callable[..., None]:
    """Write a judge's verdicts on every answer of the run, one for each repeat."""

    def write(*verdicts: bool) -> None:
        with open_judgments(run.folder / "judgments.mine.jsonl") as log:
            for case in cases_of(run.records, "by_category", len(verdicts)):
                log.append(Judgment(case, "ok", correct=verdicts[case.repeat]))

    return write


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ten questions with verdicts of a judge; tests only read it."""
    results = tmp_path_factory.mktemp("run") / "results"
    overrides = (
        f"paths.results={results}",
        "dataset=generated_dialogues",
        "dataset.build.conversations=1",
        "dataset.build.sessions=4",
        "run.limit=10",
        "method=remem_i",
    )
    result = run_experiment(run_config(compose_config(list(overrides))))
    with open_judgments(result.folder / "judgments.mine.jsonl") as log:
        for at, case in enumerate(cases_of(result.records, "by_category", 1)):
            log.append(Judgment(case, "ok", correct=at % 2 == 0))
    return result.folder


@pytest.fixture(scope="session")
def packed(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of `run_folder`."""
    return pack(
        [run_folder], tmp_path_factory.mktemp("packed") / "one.remem", no_view, files=table_files
    ).path


@pytest.fixture
def rewrite(packed: Path, tmp_path: Path) -> Rewrite:
    """Return a function that repacks the bundle with changed or missing entries, and right sums."""

    def rewritten(
        changes: Mapping[str, bytes | None], index: Mapping[str, object] | None = None
    ) -> Path:
        with ZipFile(packed) as archive:
            listed = json.loads(archive.read("index.json"))
            contents: dict[str, bytes | None] = {
                name: archive.read(name) for name in archive.namelist() if name != "index.json"
            }
        contents.update(changes)
        kept = {name: content for name, content in contents.items() if content is not None}
        listed["entries"] = [
            {"name": name, "sha256": hashlib.sha256(one).hexdigest(), "bytes": len(one)}
            for name, one in kept.items()
        ]
        listed.update(index or {})
        out = tmp_path / "rewritten.remem"
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            for name, content in {**kept, "index.json": json.dumps(listed).encode()}.items():
                archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
            archive.comment = PLACE
        write_seal(out)
        return out

    return rewritten


@pytest.fixture
def ask() -> Ask:
    """Return a function that calls the command with words, and returns its output and exception."""
    return lambda *words: CliRunner().invoke(cli.app, [str(word) for word in words])


@pytest.fixture(scope="session")
def remem() -> Callable[..., Ended]:
    """Return `call_remem`, which calls the command: `(folder, *words)`."""
    return call_remem


def call_remem(
    folder: Path,
    *words: str | Path,
    packages: Path | None = None,
    data: Path | None = None,
    results: str | Path = "results",
) -> Ended:
    """Call the command in this process, which is a second faster than in a new process.

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
    """Work in a folder, with environment variables set and `packages` on Python's path.

    Modules imported from `packages` are removed at the end.
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
    """Load a second implementation from the folder tests/oracles, which is not a package."""
    return loaded(Path(__file__).parent / "oracles" / f"{name}.py")


def loaded(path: Path) -> ModuleType:
    """Load a module that is not part of a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def serving() -> Iterator[Callable[..., StubServer]]:
    """Start a stub with these settings; it is stopped with the test."""
    with ExitStack() as running:
        yield lambda **settings: running.enter_context(StubServer(StubSettings(**settings)))


@pytest.fixture
def stub(serving: Callable[..., StubServer]) -> StubServer:
    """A stub without faults."""
    return serving()


@pytest.fixture
def failing(serving: Callable[..., StubServer]) -> Callable[..., StubServer]:
    """Return a function that starts a stub which fails on the first try of every request."""
    return lambda kind, **plan: serving(faults=FaultPlan((kind,), **plan))


@pytest.fixture
def model_on(tmp_path: Path) -> Callable[..., StoredChatModel]:
    """Return a function that makes our chat model on a stub, always with the same call store."""

    def make(
        stub: StubServer,
        *,
        replay: bool = False,
        budget_dollars: float | None = None,
        prices: str = "2026-11-21",
        **differing: Any,
    ) -> StoredChatModel:
        keys: dict[str, Any] = {
            "base_url": stub.base_url,
            "key_variable": "NO_KEY_IS_NEEDED",
            "model": STUB_MODEL,
            "temperature": 0,
            "seed": None,
            "max_output_tokens": 4096,
            "kind": "openai-chat",
            "token_parameter": "max_completion_tokens",
            "json_mode": "schema",
            "tool_choice": "required",
            "limits": Limits(None, None, None),
            "timeout_seconds": 10.0,
            "tries": 2,
        }
        endpoint = OpenAIEndpoint(**(keys | differing))
        return StoredChatModel(
            endpoint=ReplayEndpoint(recorded=endpoint) if replay else endpoint,
            store=str(tmp_path / "calls.sqlite"),
            attempts=2,
            repeat=0,
            budget_dollars=budget_dollars,
            prices=prices,
        )

    return make


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--regenerate-golden`, `--require-extras` and `--require-rivals`."""
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
    """Register the checks for skipped tests and network use; let started processes be interrupted.

    A shell makes its background jobs ignore interrupts, and their children would inherit that.
    """
    if "REMEM_TESTS_OUTSIDE" not in os.environ:  # else a session within a session, which notes too
        config.pluginmanager.register(Outside())
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--require-extras"):
        config.pluginmanager.register(RequiredExtras("is not installed"))
    if config.getoption("--require-rivals"):
        config.pluginmanager.register(RequiredExtras("_PYTHON is unset"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that uses an app which is removed."""
    here = {folder.name for folder in app_folders()}
    for mark in item.iter_markers("app"):
        if mark.args[0] not in here:
            pytest.skip(f"the app {mark.args[0]} is removed")


def pytest_collection_finish() -> None:
    """Exclude all imported and collected objects from garbage collection: it saves a tenth."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # as remem.cli.main does


class RequiredExtras:
    """Fails the session if a test was skipped for `reason`, which names something missing."""

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
    """Fails the session if it, or a Python that it started, tried to reach another machine.

    It cannot observe programs other than Python (browsers, servers of ray and W&B), nor children
    whose PYTHONPATH is replaced or unset, such as workers of rivals in their own environments.
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
