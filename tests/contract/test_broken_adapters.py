"""With the stub's answers, the row of each system changes when its adapter breaks.

A row made with the stub is not a result, but it must reveal a memory that returns nothing, the
wrong order or no dates.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from baselines.graphiti_graph import CLOCK
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.metrics.convention import ScoreConvention
from remem.metrics.scores import summarise
from remem.protocols import Memory
from remem.run.experiment import answer_question
from remem.run.question_record import Recorder, reader_of_run
from remem.types import Evidence, Passage, Query, Question

SMALL = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=1",
    "dataset.build.sessions=5",
    "run.limit=20",
)
BUILT_IN = ("hipporag2", "bm25_messages", "embedding_messages", "full_context")
PACKAGED = {"mem0": "mem0", "graphiti": "graphiti_core"}
DATES = re.compile(
    r"\(valid from [^)]*\)|\[[^\]]*\b[12]\d{3}\b[^\]]*\]|(?:\d{1,2}:\d\d [ap]m on )?"
    r"\d{1,2} [A-Z][a-z]+,? [12]\d{3}(?:, \d{1,2}:\d\d [ap]m)?"
    r"|[12]\d{3}-\d\d(?:-\d\d)?(?:T\d\d:\d\d)?"
)
Break = Callable[[Evidence], Evidence]


@dataclass(frozen=True)
class Broken:
    """A memory whose adapter spoils what it recalls."""

    memory: Memory
    spoil: Break

    def recall(self, query: Query) -> Evidence:
        return self.spoil(self.memory.recall(query))


@dataclass(frozen=True)
class Row:
    """The values that a table can show for a run."""

    f1: float
    recall_at_10: float | None
    mrr_at_10: float | None
    refusals: int


def as_it_is(evidence: Evidence) -> Evidence:
    return evidence


def nothing(evidence: Evidence) -> Evidence:
    return Evidence()


def backwards(evidence: Evidence) -> Evidence:
    return replace(evidence, passages=evidence.passages[::-1])


def undated(evidence: Evidence) -> Evidence:
    return replace(evidence, passages=tuple(map(_undated, evidence.passages)))


def foreign_ids(evidence: Evidence) -> Evidence:
    passages = (replace(passage, source=("D99:1",)) for passage in evidence.passages)
    return replace(evidence, passages=tuple(passages))


def _undated(passage: Passage) -> Passage:
    return replace(passage, text=DATES.sub("", passage.text), time=None)


def config_of(method: str, folder: Path, *more: str) -> RunConfig:
    composed: Any = compose_config(
        [*SMALL, f"method={method}", "llm=loopback-stub", "reader=direct"]
    )
    composed.llm.build.endpoint = {
        "_target_": "remem.serve.stub.endpoint.StubEndpoint",
        "size": "plain",
        "max_output_tokens": 4096,
    }
    composed.llm.build.store = str(folder / "calls.sqlite")
    composed.llm.identity = {"kind": "loopback-stub"}
    return run_config(composed)


def row(
    memory: Any, config: RunConfig, questions: Sequence[Question], convention: ScoreConvention
) -> Row:
    reader, recorder = reader_of_run(config), Recorder(config.llm, "own")
    records = [answer_question(memory, reader, question, recorder)[0] for question in questions]
    assert {record.error for record in records} == {""}
    found = summarise(records, convention)
    means = (
        found.overall.means["f1"],
        found.overall.means["recall_at_10"],
        found.overall.means["mrr_at_10"],
    )
    f1, recall, mrr = (None if mean is None else mean.mean for mean in means)
    assert f1 is not None
    return Row(f1, recall, mrr, found.refusal.refusals)


def methods() -> list[Any]:
    extra = [
        pytest.param(
            method,
            marks=(
                pytest.mark.extra,
                pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is missing"),
            ),
        )
        for method, package in PACKAGED.items()
    ]
    return [*BUILT_IN, *extra]


@pytest.mark.parametrize("method", methods())
def test_the_row_of_a_broken_adapter_is_another_row(method: str, tmp_path: Path) -> None:
    config = config_of(method, tmp_path)
    benchmark = config.build_benchmark()
    (history,) = benchmark.histories()
    questions = benchmark.questions(history.id)[:20]
    convention = replace(config.score_convention(), resamples=9)
    memory = config.memory_factory()()
    memory.index(history)

    def of(spoil: Break) -> Row:
        return row(Broken(memory, spoil), config, questions, convention)

    whole = of(as_it_is)
    assert whole == of(as_it_is)
    assert whole.refusals <= len(questions) // 2
    assert of(nothing).refusals == len(questions)
    assert of(undated).f1 != whole.f1
    assert of(backwards).f1 != whole.f1
    if method != "full_context":  # it has no ranking, so no first ten
        assert of(backwards).mrr_at_10 != whole.mrr_at_10
        assert of(foreign_ids).recall_at_10 != whole.recall_at_10


@pytest.mark.extra
@pytest.mark.skipif(find_spec("graphiti_core") is None, reason="graphiti_core is missing")
def test_graphiti_that_is_not_told_when_sessions_were_held_has_another_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_of("graphiti", tmp_path, "dataset.build.sessions=2")
    (history,) = config.build_benchmark().histories()
    questions = config.build_benchmark().questions(history.id)
    convention = replace(config.score_convention(), resamples=9)

    def indexed() -> Row:
        memory = config.memory_factory()()
        memory.index(history)
        return row(memory, config, questions, convention)

    whole = indexed()
    monkeypatch.setattr("baselines.graphiti_memory._moment", lambda time: CLOCK)
    assert indexed().f1 != whole.f1
