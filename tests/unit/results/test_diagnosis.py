"""The cause of a wrong answer is the first stage that failed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.config.run_config import configure
from remem.results.diagnosis import (
    Diagnosis,
    Interventions,
    cause_of,
    compared_causes,
    diagnosis,
    recorded_diagnosis,
    wrong_records,
)
from remem.results.interventions import interventions_of
from remem.results.run import Run
from remem.run.experiment import run_experiment
from remem.types import Gold, Record, Retrieved

ALL_STORED = Interventions(lambda *_: True, {"q": True})
NONE_STORED = Interventions(lambda *_: False, {"q": True})
NOTHING_KNOWN = Interventions(lambda *_: None, {})
M1, M2 = Retrieved("p1", ("m1",)), Retrieved("p2", ("m2",))


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[[Record], Run]:
    """Return a run with one record."""
    config = configure("dataset=generated_dialogues", "method=bm25_messages")
    return lambda record: Run(tmp_path, config, None, (record,))  # type: ignore[arg-type]


def record(
    *retrieved: Retrieved,
    answer: str = "a car",
    cut: tuple[Retrieved, ...] = (),
    evidence: tuple[str, ...] = ("m1", "m2"),
    answerable: bool = True,
) -> Record:
    gold = Gold(("a boat",), "1", answerable=answerable, evidence=evidence)
    return Record("q", "h", 0, "What?", gold, "ok", answer, retrieved=retrieved, cut=cut)


@pytest.mark.parametrize(
    ("asked", "known", "cause"),
    [
        (record(M1), NONE_STORED, "not stored"),
        (record(M1), ALL_STORED, "stored, not recalled"),
        (record(M1), NOTHING_KNOWN, "not recalled"),
        (record(M1, cut=(M2,)), NONE_STORED, "recalled, cut by the budget"),
        (record(M1, M2), ALL_STORED, "in the prompt, not used"),
        (record(M1, M2), Interventions(lambda *_: True, {"q": False}), "not readable"),
        (record(M1, M2), NOTHING_KNOWN, "in the prompt"),
        (record(M1, M2, answer=""), ALL_STORED, "refused although answerable"),
        (record(M1, answer=""), ALL_STORED, "stored, not recalled"),
        (record(M1, evidence=()), ALL_STORED, "evidence not known"),
        (record(Retrieved("g", ("s1_(not stated)",))), ALL_STORED, "evidence not known"),
        (record(M1, answerable=False), ALL_STORED, "answered although unanswerable"),
        (record(), Interventions(lambda *_: False, {}, {"q"}), "gold in doubt"),
    ],
)
def test_the_first_stage_at_fault_is_the_cause(
    run_of: Callable[[Record], Run], asked: Record, known: Interventions, cause: str
) -> None:
    assert cause_of(run_of(asked), asked, known) == cause


def test_two_runs_are_compared_by_cause_on_the_questions_that_both_answered() -> None:
    first = Diagnosis("A", "F1", {"a", "b", "c"}, {"a": "not stored", "b": "not recalled"}, {})
    other = Diagnosis("B", "F1", {"a", "b", "d"}, {"a": "not recalled", "d": "not stored"}, {})
    assert list(compared_causes([first, other, first])) == [
        "Wrong answers, B against A: -1 not stored.",
        "Wrong answers, A against A: the same causes.",
    ]
    apart = Diagnosis("C", "F1", {"x"}, {}, {})
    assert list(compared_causes([first, apart])) == [
        "C and A have no answered questions in common."
    ]


def test_the_records_alone_give_a_cause_too(run_of: Callable[[Record], Run]) -> None:
    assert recorded_diagnosis(run_of(record(M1, M2))).counts == {"in the prompt": 1}
    assert recorded_diagnosis(run_of(record(M1, M2, answer="a boat"))).counts == {}


def test_a_memory_without_a_message_does_not_store_it(tmp_path: Path) -> None:
    def causes(method: str) -> set[str]:
        part = ("dataset=generated_dialogues", "run.histories=1", "run.limit=20")
        config = configure(*part, f"method={method}", f"paths.results={tmp_path}")
        run = Run.of(config, run_experiment(config))
        wrong = wrong_records(run)
        found = diagnosis(run, wrong, interventions_of(run, wrong, frozenset())).causes
        assert len(found) == len(wrong) > 0
        return set(found.values())

    assert not {"not stored", "not recalled", "in the prompt"} & causes("bm25_messages")
    assert causes("no_memory") <= {"not stored", "answered although unanswerable"}
