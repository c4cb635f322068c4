"""Each fault of a memory is detected and named before the first question."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.config.run_config import RunConfig, configure
from remem.errors import StopRunError, UnhealthyMemoryError
from remem.protocols import Memory
from remem.results.run import Run
from remem.results.run_notes import run_notes, unchecked_memory
from remem.run.experiment import run_experiment
from remem.run.health import is_checked
from remem.run.memory_checks import (
    CHECKS,
    HARD,
    MemoryCheck,
    RecalledItem,
    check_memory,
    read_memory_checks,
    restore_memory_checks,
)
from remem.run.run_result import RunResult
from remem.time_scope import TimePoint
from remem.types import Evidence, History, Query

pytestmark = pytest.mark.app("rivals")  # a memory that is a program has the faults

PROGRAM = Path(__file__).parents[2] / "parts" / "memories" / "program.py"
CAUGHT = {
    "none": set(),
    "empty": {"finds", "dates"},
    "leaking": {"isolation"},
    "keeps_questions": {"questions", "repeats"},
    "forgetful": {"dates"},
    "changing": {"finds", "repeats"},
    "losing": {"finds"},
    "chatty": {"empty"},
    "crashing": {"answers"},
    "hanging": {"answers"},
    "garbage": {"answers"},
}
"""The checks that each fault fails, worked out from what tests/parts/memories does."""

Make = Callable[..., RunConfig]


@pytest.fixture
def command(tmp_path: Path) -> Make:
    """Configure a memory with a fault."""

    def made(fault: str, *settings: str) -> RunConfig:
        program = f"[{sys.executable},{PROGRAM},{fault},{tmp_path / 'shared.jsonl'}]"
        return configure(
            *("method=command", f"method.build.command={program}"),
            *("method.build.timeout_seconds=3", f"paths.results={tmp_path}/results"),
            *("dataset.build.conversations=1", "run.limit=2", "convention.score.resamples=99"),
            *settings,
        )

    return made


def failed(checks: tuple[MemoryCheck, ...]) -> set[str]:
    return {check.name for check in checks if not check.passed}


@pytest.mark.parametrize("fault", CAUGHT)
def test_each_fault_is_caught_by_its_name(command: Make, fault: str) -> None:
    checks = check_memory(command(fault).memory_factory())
    assert failed(checks) == CAUGHT[fault]
    names = [check.name for check in checks]
    whole = ["answers", "empty", "finds", "dates", "isolation", "repeats", "questions"]
    assert names == (["answers"] if "answers" in CAUGHT[fault] else whole)


def test_a_date_is_kept_only_with_its_day() -> None:
    cases = [
        (RecalledItem("the boat", TimePoint(2031, 3, 12, 600)), True),
        (RecalledItem("[12 March 2031] the boat"), True),
        (RecalledItem("2031-03-12T10:00 the boat"), True),
        (RecalledItem("the boat, in 2031"), False),
        (RecalledItem("the boat", TimePoint(2031)), False),
        (RecalledItem("the boat", TimePoint(2031, 3, 13)), False),
        (RecalledItem("the boat", TimePoint(2026, 3, 12)), False),
        (RecalledItem("the boat"), False),
    ]
    for item, has in cases:
        assert item.has_day(TimePoint(2031, 3, 12, 600)) is has


@pytest.mark.parametrize(
    ("fault", "overrides"),
    [("leaking", ()), ("crashing", ()), ("leaking", ("run.stream=session",))],
)
def test_a_run_stops_at_a_hard_fault_and_keeps_the_findings(
    command: Make, fault: str, overrides: tuple[str, ...]
) -> None:
    config = command(fault, *overrides)
    (name,) = CAUGHT[fault] & HARD
    with pytest.raises(
        UnhealthyMemoryError, match=f"Own program failed the check '{name}': .*; to continue anyway"
    ):
        run_experiment(config)
    (file,) = config.results.rglob(CHECKS)
    assert failed(read_memory_checks(file.parent)) == CAUGHT[fault]
    assert (file.parent / "records.jsonl").read_bytes() == b""


def test_a_run_goes_on_if_it_is_told_to_and_errors_are_no_answers(command: Make) -> None:
    result = run_experiment(command("crashing", "run.health=warn"))
    assert [record.status for record in result.records] == ["error", "error"]
    assert all("the disk of this memory is full" in error for error in result.failures)


def test_a_soft_fault_is_a_warning_and_a_note(
    command: Make, caplog: pytest.LogCaptureFixture
) -> None:
    config = command("forgetful")
    with caplog.at_level(logging.WARNING):
        result = run_experiment(config)
    told = "Own program: check 'dates' failed: 3 of 3 recalled facts lost their date"
    assert told in caplog.text
    (note,) = run_notes(Run.of(config, result))
    assert note.startswith("Own program failed the check 'dates': 3 of 3 recalled facts lost")
    assert result.errors == 0


def test_rivals_are_checked_unless_a_run_replays_replies() -> None:
    cases = [
        (("method=mem0", "llm=loopback-stub"), True),
        (("method=hipporag2", "llm=loopback-stub"), True),
        (("method=mem0", "llm=replay", "llm@llm.recorded=loopback-stub"), False),
        (("method=lightrag", "llm=loopback-stub"), True),
        (("method=mcp",), True),
        (("method=remem_s",), False),
    ]
    for settings, checked in cases:
        assert is_checked(configure(*settings)) is checked


@pytest.mark.parametrize(
    ("method", "found", "told"),
    [
        ("hipporag2", (), "not checked before the first question: remem doctor method=hipporag2 "),
        ("hipporag2", (MemoryCheck("answers", True, ""),), ""),
        ("remem_s", (), ""),
    ],
)
def test_a_rival_that_was_not_checked_is_named(
    tmp_path: Path, method: str, found: tuple[MemoryCheck, ...], told: str
) -> None:
    restore_memory_checks(tmp_path, {check.name: check.passed for check in found})
    config = configure(f"method={method}", "llm=loopback-stub")
    said = unchecked_memory(Run.of(config, RunResult(tmp_path, ())))
    assert said.startswith(told)
    assert bool(said) is bool(told)


class Unusable:
    """A memory that cannot be used, for a reason that only it knows."""

    def index(self, history: History) -> None:
        raise StopRunError("no key")

    def recall(self, query: Query) -> Evidence:
        return Evidence()


def test_a_reason_to_stop_is_no_finding() -> None:
    def make() -> Memory:
        return Unusable()

    with pytest.raises(StopRunError, match="no key"):
        check_memory(make)
