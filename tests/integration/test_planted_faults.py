"""Faults planted into generated data are diagnosed correctly, and right answers get no cause.

Each question is asked with one fault of one stage. The memory recalls the whole history, and the
reader is right if it is shown the evidence, so that answers without a fault are right.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pytest

from baselines.reference import FullContext
from remem.config.run_config import RunConfig, configure
from remem.protocols import Benchmark
from remem.results.diagnosis import Cause, Interventions, cause_of, wrong_records
from remem.results.interventions import StoredMessages, read_with_gold
from remem.results.run import Run
from remem.run.experiment import answer_question
from remem.run.question_record import Recorder
from remem.run.run_manifest import RunManifest
from remem.types import REFUSAL_PHRASE, Answer, Evidence, History, Query, Question

WRONG = "lighthouses"
"""No gold answer has this word."""
FAULTS: tuple[Cause, ...] = (
    "not stored",
    "stored, not recalled",
    "recalled, cut by the budget",
    "metric against judge",
    "refused although answerable",
    "in the prompt, not used",
    "not readable",
    "gold in doubt",
)
"""The faults of an answerable question, those of earlier stages first, except for the last one."""
OF_UNANSWERABLE: Cause = "answered although unanswerable"


@dataclass
class FaultyMemory:
    """A memory that recalls the whole history, except for the planted faults of one question."""

    question: Question
    faults: Set[Cause]

    def index(self, history: History) -> None:
        """Index a history, without the evidence if the fault is "not stored"."""
        gold = set(self.question.gold.evidence) if "not stored" in self.faults else set()
        episodes = tuple(
            replace(
                episode, messages=tuple(each for each in episode.messages if each.id not in gold)
            )
            for episode in history.episodes
        )
        self.memory = FullContext(order="chronological")
        self.memory.index(replace(history, episodes=episodes))

    def recall(self, query: Query) -> Evidence:
        """Recall all passages, the evidence first; a fault moves it to the end or removes it."""
        gold = set(self.question.gold.evidence)
        passages = self.memory.recall(query).passages
        first = [each for each in passages if each.id in gold]
        others = [each for each in passages if each.id not in gold]
        if "stored, not recalled" in self.faults and query.text == self.question.query.text:
            return Evidence(passages=tuple(others))
        late = "recalled, cut by the budget" in self.faults
        return Evidence(passages=tuple([*others, *first] if late else [*first, *others]))


@dataclass
class FaultyReader:
    """A reader that is right if all evidence is shown, except for a question's planted faults."""

    question: Question
    faults: Set[Cause]

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the question, or fail as the faults require."""
        gold, shown = self.question.gold, {passage.id for passage in evidence.passages}
        distracted = "in the prompt, not used" in self.faults and len(shown) > len(gold.evidence)
        if not gold.answerable:
            return Answer(WRONG if OF_UNANSWERABLE in self.faults else REFUSAL_PHRASE)
        if "refused although answerable" in self.faults:
            return Answer(REFUSAL_PHRASE)
        if distracted or "not readable" in self.faults or not set(gold.evidence) <= shown:
            return Answer(WRONG)
        return Answer(gold.answers[0])


class JudgedRun(Run):
    """A run whose judge rejects some answers."""

    rejected: Set[str] = frozenset()

    @cached_property
    def _judged(self) -> tuple[str, Mapping[str, float]]:
        verdicts = {
            record.query_id: float(record.query_id not in self.rejected) for record in self.records
        }
        return "judge", verdicts


@pytest.fixture(scope="module")
def config() -> RunConfig:
    return configure("dataset=generated_dialogues", "method=full_context")


@pytest.fixture(scope="module")
def benchmark(config: RunConfig) -> Benchmark:
    return config.build_benchmark()


@dataclass
class Planting:
    """Asks questions with planted faults, and returns the diagnosed causes."""

    config: RunConfig
    benchmark: Benchmark
    histories: Mapping[str, History]

    def causes(self, question: Question, faults: Set[Cause]) -> list[Cause]:
        """Return the diagnosed causes for a question with faults; none if its answer is right."""
        if "gold in doubt" in faults:
            spoilt = replace(question.gold, answers=("windmills",))
            question = replace(question, gold=spoilt)
        memory = FaultyMemory(question, faults)
        memory.index(self.histories[question.query.history_id])
        reader = FaultyReader(question, faults - {"gold in doubt"})
        tokens = 400 if "recalled, cut by the budget" in faults else None
        record, _ = answer_question(memory, reader, question, Recorder("none", "none", tokens))
        if "gold in doubt" in faults:
            record = replace(record, answer=WRONG)
        config = replace(self.config, given_memory=lambda: FaultyMemory(question, faults))
        kind = JudgedRun if "metric against judge" in faults else Run
        run = kind(Path(), config, RunManifest(), (record,))
        if isinstance(run, JudgedRun):
            object.__setattr__(run, "rejected", {record.query_id})
        wrong = wrong_records(run)
        with_gold = read_with_gold(run, self.benchmark, reader, wrong)
        doubtful = {record.query_id} if "gold in doubt" in faults else frozenset[str]()
        known = Interventions(StoredMessages(run, self.benchmark).stores, with_gold, doubtful)
        return [cause_of(run, each, known) for each in wrong]


@pytest.fixture(scope="module")
def planting(config: RunConfig, benchmark: Benchmark) -> Planting:
    return Planting(config, benchmark, {each.id: each for each in benchmark.histories()})


@pytest.fixture(scope="module")
def questions(benchmark: Benchmark) -> list[Question]:
    return [each for history in benchmark.histories() for each in benchmark.questions(history.id)]


@pytest.mark.slow
def test_planted_faults_get_their_cause(planting: Planting, questions: Sequence[Question]) -> None:
    named: Counter[tuple[Cause, Cause]] = Counter()
    for at, question in enumerate(questions):
        kinds = [FAULTS[(at + more) % len(FAULTS)] for more in (0, 3, 5)]
        for fault in kinds if question.gold.answerable else [OF_UNANSWERABLE]:
            (cause,) = planting.causes(question, {fault})
            named[fault, cause] += 1
    assert named.total() == 2540
    assert len({fault for fault, _ in named}) == 9
    assert [pair for pair in named if len(set(pair)) > 1] == []


def test_undisturbed_answers_have_no_cause(
    planting: Planting, questions: Sequence[Question]
) -> None:
    assert len(questions) == 1000
    assert [
        cause for question in questions[::10] for cause in planting.causes(question, set())
    ] == []


def test_of_two_faults_the_earlier_stage_is_named(
    planting: Planting, questions: Sequence[Question]
) -> None:
    answerable = [question for question in questions if question.gold.answerable]
    stages = FAULTS[:-1]
    pairs = [(first, later) for at, first in enumerate(stages) for later in stages[at + 1 :]]
    readable = [pair for pair in pairs if not set(pair) <= set(FAULTS[3:-1])]
    named = [
        (first, planting.causes(question, {first, later}))
        for question, (first, later) in zip(answerable, readable * 5, strict=False)
    ]
    assert [causes for first, causes in named if causes != [first]] == []
