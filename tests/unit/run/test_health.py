"""A run that cannot say anything about its memory is stopped, unless told to continue."""

import re
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

import pytest

from remem.cli.hydra_entry import run_one
from remem.config.conf_files import conf_folder
from remem.config.run_config import compose_config, run_config
from remem.errors import UnhealthyMemoryError, UsageError
from remem.run.health import HealthCheck, RunConvention, check_choices, missing_evidence
from remem.time_scope import TimePoint
from remem.types import (
    Episode,
    Evidence,
    Gold,
    History,
    IndexHealth,
    Message,
    Query,
    Question,
    Usage,
)


@dataclass
class Accounted:
    index_usage: Usage
    failures: tuple[tuple[str, str], ...] = ()


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


def test_replies_that_were_cut_while_a_history_was_indexed_are_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    HealthCheck(True, 2).look_at(Accounted(Usage(9, 900, 90)), history("whole"))
    HealthCheck(True, 2).look_at(Accounted(Usage(9, 900, 90, 2)), history("cut"))
    (told,) = caplog.messages
    assert told.startswith("history cut: 2 of 9 replies reached the token limit")


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


ASKED = [Question(Query(name, "h", 0, "?"), Gold(("x",), "1")) for name in ("a", "b")]
TOLD = Question(Query("c", "h", 2, "?"), Gold(("x",), "1", evidence=("m",)))


def test_a_reference_that_no_question_tells_its_evidence_is_stopped() -> None:
    oracle = run_config(compose_config(["dataset=two_wiki", "method=oracle_message"]))
    check = HealthCheck(True, 1)
    with pytest.raises(UnhealthyMemoryError, match="no question of two_wiki has any"):
        check.look_at_gold(oracle, ASKED)
    check.look_at_gold(oracle, [*ASKED, TOLD])
    assert missing_evidence(oracle, ASKED).endswith("choose a dataset whose questions have it")
    bm25 = run_config(compose_config(["dataset=two_wiki", "method=bm25_messages"]))
    check.look_at_gold(bm25, ASKED)  # it is told nothing anyway


MISSPELT = (
    ("dataset.scores=[f1,recal_at_10]", "unknown score 'recal_at_10'.*did you mean 'recall_at_10'"),
    ("convention.score.f1=hipporag", "f1 is 'hipporag'"),
    ("convention.run.undated_items=kep", "undated_items is 'kep'"),
    ("convention.run.embed_date=nope", "embed_date is 'nope'"),
)


@pytest.mark.parametrize(("override", "message"), MISSPELT)
def test_a_misspelt_choice_is_refused_before_the_first_question(
    tmp_path: Path,
    rehearsed: tuple[str, ...],
    rehearsal: ModuleType,
    override: str,
    message: str,
) -> None:
    where = f"paths.results={tmp_path}"
    with pytest.raises(UsageError, match=message):
        run_one(run_config(compose_config([*rehearsed, where, override])))
    assert rehearsal.ASKED == []
    assert list(tmp_path.iterdir()) == []


def test_a_convention_of_a_part_of_ones_own_is_left_alone() -> None:
    check_choices(run_config(compose_config(["+convention.run.mine=anything"])))


@pytest.mark.parametrize("name", [field.name for field in fields(RunConvention)])
def test_the_known_values_are_those_that_the_conventions_file_lists(name: str) -> None:
    text = (conf_folder() / "convention/paper.yaml").read_text()
    line = next(line for line in text.splitlines() if line.strip().startswith(f"{name}:"))
    known = get_args(get_type_hints(RunConvention)[name])
    if known:  # "key: value # value | value: what it decides"
        listed = re.split(r" \| ", line.partition("# ")[2].partition(":")[0])
        assert set(listed) == set(known)
