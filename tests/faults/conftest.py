"""A run with a stub as its model, on which the tests inflict faults."""

import gc
import io
import logging
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.run.experiment import run_experiment
from remem.run.store import CANONICAL, RECORDS
from remem.serve.stub.stub import StubServer, StubSettings

LINE = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=2",
    "dataset.build.sessions=4",
    "run.limit=6",
    "method=remem_i",
    "extractor=llm",
    "planner=llm",
    "reader=direct",
    "llm=loopback-stub",
    "runner=threads",
    "runner.workers=4",
    "convention.score.resamples=99",
)


@dataclass(frozen=True)
class Line:
    """The configuration of a run with its own results folder."""

    results: Path
    server: StubServer
    remem: Callable[..., Any]
    overrides: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        where = (
            f"paths.results={self.results}",
            f"llm.build.endpoint.base_url={self.server.base_url}",
        )
        return [*LINE, *where, *self.overrides]

    def start(self, **how: Any) -> "subprocess.Popen[str]":
        """Start the run in a process of its own, as a user does."""
        command = [sys.executable, "-c", "from remem.cli.main import main; main()", "run"]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*command, *self.arguments], stdout=pipe, stderr=pipe, text=True, **how
        )

    def ended(self, **how: Any) -> tuple[int, str]:
        """Run to the end without a traceback; return the exit code and the last line on stderr."""
        with self.start(**how) as process:
            _, said = process.communicate(timeout=120)
        assert "Traceback" not in said, said
        return process.returncode, said.splitlines()[-1] if said else ""

    def said_here(self) -> tuple[int, str]:
        """Run to the end in this process; return the exit code, and stderr with the log."""
        logged = io.StringIO()
        handler = logging.StreamHandler(logged)
        logging.getLogger().addHandler(handler)
        try:
            code, _, said = self.remem(self.results.parent, "run", *self.arguments)
        finally:
            logging.getLogger().removeHandler(handler)
        assert "Traceback" not in said, said
        return code, said + logged.getvalue()

    def finished(self) -> bytes:
        """Finish the run in this process, and return the canonical records."""
        result = run_experiment(run_config(compose_config(self.arguments)))
        assert result.errors == 0
        return (result.folder / CANONICAL).read_bytes()

    @property
    def log(self) -> Path:
        (found,) = self.results.glob(f"runs/*/*/*/{RECORDS}")
        return found

    @property
    def calls(self) -> Path:
        return self.results / "cache" / "calls.sqlite"


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(StubSettings(latency_seconds=0.004)) as started:
        yield started


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, remem: Callable[..., Any]) -> Line:
    """A finished run that nothing disturbed; tests only read it."""
    with StubServer() as started:
        line = Line(tmp_path_factory.mktemp("undisturbed") / "results", started, remem)
        line.finished()
    gc.collect()  # closes the call store, whose files would vanish while they are copied
    return line


@pytest.fixture(scope="session")
def undisturbed(finished: Line) -> bytes:
    """The canonical records of the undisturbed run."""
    return finished.log.with_name(CANONICAL).read_bytes()


@pytest.fixture
def line(tmp_path: Path, server: StubServer, remem: Callable[..., Any]) -> Line:
    return Line(tmp_path / "results", server, remem)


@pytest.fixture
def done(line: Line, finished: Line) -> Line:
    """A copy of the finished run, which a test may change."""
    shutil.copytree(finished.results, line.results)
    return line
