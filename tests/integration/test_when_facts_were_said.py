"""Facts that the stub extracts from a real conversation, at the paper's size, searched by time.

Of the 532 facts of LoCoMo's conv-26, 491 have no time other than the day on which they were said.
"""

import os
from functools import partial
from pathlib import Path

import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.llm.chat_model import StoredChatModel
from remem.memory.llm_extractor import LLMExtractor
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.prompts.library import own_library
from remem.serve.stub.endpoint import StubEndpoint
from remem.types import History, ToolCall

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set"),
]
IN_AUGUST = {"start_time": "2023-08", "end_time": "2023-08"}


@pytest.fixture(scope="module")
def conversation() -> History:
    benchmark = LoCoMo(data=os.environ["REMEM_DATA"], file="locomo10.json", evidence_rule="paper")
    return next(history for history in benchmark.histories() if history.id == "conv-26")


@pytest.fixture(scope="module")
def memory(conversation: History, tmp_path_factory: pytest.TempPathFactory) -> REMem:
    model = StoredChatModel(
        endpoint=StubEndpoint(size="paper", max_output_tokens=16384),
        store=str(Path(tmp_path_factory.mktemp("calls"), "calls.sqlite")),
        attempts=1,
        repeat=0,
        budget_dollars=None,
        prices="",
    )
    made = REMem(
        extractor=LLMExtractor(
            chat_model=model,
            prompts=own_library(),
            gist_prompt="gist_extraction.chat.v1",
            fact_prompt="fact_extraction.chat.v1",
            qualifiers=False,
            captions=False,
        ),
        episode_unit="session",
        parallel_episodes=1,
        embedder=HashingEmbedder(dimension=256),
        dense=NumpyDense,
        lexical=partial(Bm25sLexical, k1=1.5, b=0.75, method="lucene"),
        planner=ScriptedPlanner(),
        max_steps=3,
        top_k=10,
        synonymy_threshold=0.8,
        rules=ToolRules(
            "record_time", "gists_and_facts", "episode_and_similar", "any", "all", "error"
        ),
        fact_string="bars",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )
    made.index(conversation)
    return made


def test_most_facts_of_a_chat_have_only_the_day_on_which_they_were_said(memory: REMem) -> None:
    facts = memory.graph.facts
    assert (len(facts), sum(fact.time is None for fact in facts)) == (532, 491)
    assert all(fact.record_time for fact in facts)


def test_no_fact_said_before_august_is_of_august_unless_its_own_time_says_so(
    memory: REMem, conversation: History
) -> None:
    asked = {"subject": "Caroline", **IN_AUGUST, "limit": 1000}
    found = memory.toolbox().execute(ToolCall("find_entity_contexts", asked), "Who?").facts
    said = {episode.id: str(episode.messages[0].time)[:7] for episode in conversation.episodes}
    assert len(found) == 71  # 262 where undated facts pass every condition
    for fact in found:
        own = fact.time is not None and str(fact.time.start)[:7] == "2023-08"
        assert own or (fact.time is None and said[fact.episode_id] == "2023-08")


def test_the_facts_shown_of_a_person_are_those_of_the_question_not_of_the_first_session(
    memory: REMem,
) -> None:
    asked = ToolCall("find_entity_contexts", {"subject": "Caroline"})
    questions = ("When did Caroline go camping?", "What did Caroline research?", "Who is she?")
    shown = [memory.toolbox().execute(asked, question).facts for question in questions]
    for facts in shown:
        assert len({fact.episode_id for fact in facts}) > 1  # 1 where none is ranked
    assert len({tuple(fact.id for fact in facts) for facts in shown}) == len(questions)
