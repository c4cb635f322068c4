"""The ceiling of the tools: all 2,800 generated questions, with the planner in its own process.

The planner has no access to the history: through a pipe, it gets the query, the steps so far and
the tool names, and it knows only those facts that the five tools have shown it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import TypeAdapter

from remem.benchmarks.tot.generator import GeneratedToT
from remem.benchmarks.tot.loader import ToTSemantic
from remem.memory.remem_memory import REMem
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.protocols import Benchmark, Hit, Mask, Planner, QueryTarget, Vectors
from remem.readers.dataset_prompt import SymbolicReader
from remem.temporal.tot_questions import CountBetween, parse_tot_question
from remem.types import REFUSAL_PHRASE, Evidence, History, Question, Step, ToolCall

SCRIPT = Path(__file__).parents[1] / "oracles" / "symbolic_planner_process.py"
TOOLS = {*RETRIEVAL_AND_EXPLORATION, "output_answer"}
T_MAX = 5
KEPT = 0.7

Answered = list[tuple[Question, Evidence, str]]

HISTORIES = ("remem.benchmarks",)
"""Where a history could be had from."""


class PlannerProcess:
    """Asks the planner at the other end of a pipe."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._steps = TypeAdapter(tuple[Step, ...])
        self._call = TypeAdapter(ToolCall)

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        told = {
            "query": query,
            "steps": self._steps.dump_python(tuple(steps), mode="json"),
            "tools": list(tools),
        }
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        return self._call.validate_json(self._process.stdout.readline())

    def close(self) -> dict[str, list[str]]:
        """End the process and return its report."""
        report, _ = self._process.communicate(timeout=30)
        assert self._process.returncode == 0
        return json.loads(report)


@pytest.fixture(scope="module")
def planner() -> Iterator[PlannerProcess]:
    process = PlannerProcess()
    yield process
    report = process.close()
    assert report["fields"] == ["query", "steps", "tools"]
    assert "remem.memory.planners" in report["modules"]
    assert not [name for name in report["modules"] if name.startswith(HISTORIES)]


class NoSearch:
    """A stand-in for the embedder and both indexes, which these questions do not need."""

    dimension = 1

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        raise AssertionError(f"the planner searched for {texts}")

    def add(self, items: Sequence[object]) -> None:
        pass

    def search(self, query: object, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        raise AssertionError(f"the planner searched for {query}")

    def candidates(
        self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask
    ) -> NDArray[np.int64]:
        raise AssertionError("the planner looked for what is near")

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> NDArray[np.int64]:
        return np.empty((0, 2), dtype=np.int64)


def remem(planner: Planner, tools: Mapping[str, bool]) -> REMem:
    return REMem(
        extractor=RulesExtractor(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=NoSearch(),
        dense=NoSearch,
        lexical=NoSearch,
        planner=planner,
        max_steps=T_MAX,
        top_k=10,
        synonymy_threshold=0.8,
        rules=ToolRules("keep", "gists_and_facts", "episode_and_similar", "any", "all", "error"),
        fact_string="bars",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=tools,
    )


def answer_all(
    benchmark: Benchmark,
    planner: Planner,
    *,
    tools: Mapping[str, bool] | None = None,
    reduce: Callable[[History], History] = lambda history: history,
    orders: int = 5,
) -> Answered:
    """Answer the questions of every history, each in the first `orders` orders of its facts."""
    reader = SymbolicReader()
    answered: Answered = []
    for history in benchmark.histories():
        memory = remem(planner, tools or dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True))
        memory.index(reduce(history))
        for question in benchmark.questions(history.id)[:orders]:
            evidence = memory.recall(question.query)
            answered.append((question, evidence, reader.read(question.query, evidence).text))
    return answered


def exact_match(answered: Answered) -> float:
    return sum(text == question.gold.answers[0] for question, _, text in answered) / len(answered)


def without_some_facts(history: History) -> History:
    """Return the history without a random 30% of its facts."""
    seed = int(history.id.removeprefix("tot-"), 16)
    kept = np.random.default_rng(seed).random(len(history.episodes)) < KEPT
    left = (episode for episode, keep in zip(history.episodes, kept, strict=True) if keep)
    return History(history.id, tuple(left))


@pytest.mark.slow
def test_the_tools_alone_answer_the_generated_questions(planner):
    generated = GeneratedToT(seed=7, graphs_per_cell=10, subset=None, subset_seed=0)
    answered = answer_all(generated, planner)
    assert len(answered) == 2800
    assert exact_match(answered) >= 0.995
    for question, evidence, text in answered:
        assert parse_tot_question(question.query.text) is not None, question.query.text
        assert len(evidence.steps) <= T_MAX
        assert {step.call.tool for step in evidence.steps} <= TOOLS
        assert not any(step.observation.error for step in evidence.steps)
        assert (evidence.proposed_answer or REFUSAL_PHRASE) == text


def test_with_facts_removed_the_answers_are_those_of_the_literal_solver(
    planner: Planner, tot_brute_force: ModuleType
) -> None:
    generated = GeneratedToT(seed=7, graphs_per_cell=3, subset=None, subset_seed=0)
    lines = {
        history.id: [message.text for message in without_some_facts(history).messages()]
        for history in generated.histories()
    }
    answered = answer_all(generated, planner, reduce=without_some_facts, orders=1)
    assert len(answered) == 168
    differing = []
    for question, _, text in answered:
        query = question.query
        solved = tot_brute_force.solve(query.text, lines[query.history_id])
        if solved is None:
            counts = isinstance(parse_tot_question(query.text), CountBetween)
            solved = "0" if counts else REFUSAL_PHRASE
        if text != solved:
            differing.append((query.text, text, solved))
    assert len(differing) <= 0.01 * len(answered), differing[:3]
    # the control has teeth: the missing facts do change the answers
    assert 0.4 < exact_match(answered) < 0.95


def test_without_find_entity_contexts_most_questions_stay_open(planner):
    generated = GeneratedToT(seed=7, graphs_per_cell=1, subset=None, subset_seed=0)
    tools = dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True) | {"find_entity_contexts": False}
    answered = answer_all(generated, planner, tools=tools, orders=1)
    assert exact_match(answered) < 0.5


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_the_tools_alone_answer_the_real_questions(planner):
    benchmark = ToTSemantic(
        data=os.environ["REMEM_DATA"],
        file="excerpt_tot_semantic_sampled_100.json",
        subset=None,
        subset_seed=0,
    )
    answered = answer_all(benchmark, planner)
    assert len(answered) == 3
    assert exact_match(answered) == 1.0
