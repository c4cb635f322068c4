"""A run that could say nothing of its memory is stopped, unless it is told to go on."""

from dataclasses import dataclass

import pytest

from remem.config import compose_config, run_config
from remem.health import HealthCheck, UnhealthyMemoryError
from remem.instantiation import UsageError
from remem.protocols import IndexHealth
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, History, Message, Query


@dataclass
class Told:
    index_health: IndexHealth

    def index(self, history: History) -> None: ...

    def recall(self, query: Query) -> Evidence:
        return Evidence()


def memory(items: int, dated: int, top_k: int = 10) -> Told:
    return Told(IndexHealth(items, dated, top_k))


def history(name: str = "h", time: TimePoint | None = None) -> History:
    return History(name, (Episode("e", (Message("m", "Ann", "Hello.", time),)),))


DATED = history(time=TimePoint(2023))


def test_an_empty_memory_of_something_is_stopped() -> None:
    with pytest.raises(UnhealthyMemoryError, match="the memory of history h is empty"):
        HealthCheck(True, 1).look_at(memory(0, 0), history())
    HealthCheck(True, 1).look_at(memory(0, 0), History("h", ()))


def test_a_memory_that_lost_all_dates_is_stopped() -> None:
    with pytest.raises(UnhealthyMemoryError, match="none of the 50 items"):
        HealthCheck(True, 1).look_at(memory(50, 0), DATED)
    HealthCheck(True, 1).look_at(memory(50, 1), DATED)
    HealthCheck(True, 1).look_at(memory(50, 0), history())


def test_a_memory_that_is_retrieved_whole_is_stopped_if_all_are() -> None:
    check = HealthCheck(True, 2)
    check.look_at(memory(10, 10), DATED)
    with pytest.raises(UnhealthyMemoryError, match="k is 10"):
        check.look_at(memory(9, 9), DATED)
    check = HealthCheck(True, 2)
    check.look_at(memory(10, 10), DATED)
    check.look_at(memory(11, 11), DATED)


def test_a_warning_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    HealthCheck(False, 1).look_at(memory(0, 0), DATED)
    assert "is empty" in caplog.text


def test_the_configuration_chooses() -> None:
    assert HealthCheck.of(run_config(compose_config([])), 3).stops
    assert not HealthCheck.of(run_config(compose_config(["run.health=warn"])), 3).stops
    with pytest.raises(UsageError, match="expected 'stop' or 'warn'"):
        HealthCheck.of(run_config(compose_config(["run.health=no"])), 3)
