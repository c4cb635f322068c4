"""The packaged SmolLM2 in each role: its replies have the requested form.

Its answers need not be right: as an extractor it copies the prompt's example, as a planner it
answers at once.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remem.apps.small_model.hybrid import HybridReader
from remem.benchmarks.dialogues.generator import GeneratedDialogues
from remem.config.instantiation import instantiate_checked
from remem.config.run_config import compose_config, run_config
from remem.llm.endpoint import Endpoint
from remem.memory.llm_extractor import LLMExtractor
from remem.memory.llm_planner import OWN_KEYS, LLMPlanner
from remem.memory.tool_arguments import TOOL_ARGUMENTS
from remem.prompts.library import own_library
from remem.protocols import ChatReply, ChatRequest, Parsed
from remem.readers.extractive import ExtractiveReader
from remem.run.experiment import run_experiment
from remem.run.run_result import RunResult
from remem.types import Episode, Evidence, Passage, Query, Usage

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None, reason="xllamacpp is not installed: make tiny-llm"
    ),
]
FASTER = "llm.build.endpoint.server.cache_prompt=true"
"""No two replies need to agree here."""
SMALL = ("dataset.build.conversations=1", "dataset.build.sessions=2", "run.limit=2")
SAID = (
    "[1:56 pm on 8 May, 2023] Ann: I adopted a dog named Rex.",
    "[1:57 pm on 8 May, 2023] Bob: How is the weather?",
    "[9:10 am on 4 June, 2023] Ann: My dog Rex loves the park in Lisbon.",
    "[9:12 am on 4 June, 2023] Ann: I work as a nurse in a hospital.",
)
ASKED = (
    ("What is the name of Ann's dog?", "Rex"),
    ("Where is the park?", "Lisbon"),
    ("What is Ann's job?", "nurse"),
)


@dataclass(slots=True)
class Listening:
    """A chat model that sends each request once, without retries, and keeps the replies."""

    endpoint: Endpoint
    replies: list[ChatReply] = field(default_factory=list)

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        reply = self.endpoint.send(request).reply
        self.replies.append(reply)
        return parse(reply), reply.usage


@pytest.fixture(scope="module")
def endpoint() -> Endpoint:
    resolved = run_config(compose_config(["llm=smollm2", FASTER])).resolved
    made: Endpoint = instantiate_checked(resolved["llm"]["build"]["endpoint"])
    return made


@pytest.fixture(scope="module")
def episode() -> Episode:
    dialogues = GeneratedDialogues(
        seed=19,
        conversations=1,
        sessions=1,
        events_per_session=4,
        questions_per_session=5,
        evidence_rule="tolerant",
    )
    return dialogues.histories()[0].episodes[0]


@pytest.mark.slow
def test_gists_and_facts_end_before_the_token_limit(endpoint: Endpoint, episode: Episode) -> None:
    model = Listening(endpoint)
    extractor = LLMExtractor(
        chat_model=model,
        prompts=own_library(),
        gist_prompt="gist_extraction.chat.v1",
        fact_prompt="fact_extraction.chat.v1",
        qualifiers=False,
        captions=False,
    )
    assert extractor.extract(replace(episode, messages=episode.messages[1:2])).failure == ""
    gists, facts = [json.loads(reply.text) for reply in model.replies]
    assert (set(gists), set(facts)) == ({"gists"}, {"facts"})
    # 256 tokens are enough for two gists, or for one fact.
    assert len(gists["gists"]) <= 2
    assert len(facts["facts"]) <= 1
    assert all(reply.usage.completion_tokens < 256 for reply in model.replies)


@pytest.mark.slow
def test_a_planned_call_has_the_arguments_of_its_tool(endpoint: Endpoint) -> None:
    planner = LLMPlanner(
        chat_model=Listening(endpoint),
        prompts=own_library(),
        prompt="planner.v1",
        call_keys=OWN_KEYS,
        mode="json",
        max_steps=3,
        items_shown=30,
        characters_shown=1000,
    )
    call = planner.next_call("When did Ann move?", (), tuple(TOOL_ARGUMENTS))
    assert set(call.arguments) == set(TOOL_ARGUMENTS[call.tool].model_fields)


def run(folder: Path, *chosen: str) -> RunResult:
    where = (f"paths.results={folder}", "llm=smollm2", FASTER)
    return run_experiment(run_config(compose_config([*where, *chosen])))


@pytest.mark.parametrize(
    ("kind", "prompts"), [("openai-chat", "own"), ("openai-completion", "few_shot")]
)
def test_every_answer_of_a_reader_is_read_at_the_first_attempt(
    tmp_path: Path, kind: str, prompts: str
) -> None:
    result = run(
        tmp_path,
        *SMALL,
        "method=bm25_messages",
        "method.build.top_k=3",
        "reader=direct",
        f"prompts={prompts}",
        f"llm.build.endpoint.kind={kind}",
    )
    assert (result.total, result.errors) == (2, 0)
    assert [record.read_usage.calls for record in result.records] == [1, 1]


@pytest.mark.parametrize("kind", ["openai-chat", "openai-completion"])
def test_the_hybrid_reader_finds_answers_on_the_line_that_it_begins(kind: str) -> None:
    chosen = [
        *("llm=smollm2", FASTER, f"llm.build.endpoint.kind={kind}"),
        "llm.build.endpoint.max_output_tokens=48",
    ]
    endpoint: Any = instantiate_checked(
        run_config(compose_config(chosen)).resolved["llm"]["build"]["endpoint"]
    )
    model = Listening(endpoint)
    rules = ExtractiveReader(refusal_threshold=0.0, other_speaker_weight=0.3)
    reader = HybridReader(
        rules=rules,
        chat_model=model,
        prompts=own_library(),
        prompt="reader_short.v1",
        lines_shown=5,
        characters_shown=600,
        other_speaker_weight=0.3,
    )
    evidence = Evidence(passages=tuple(Passage(line, line, None, ()) for line in SAID))
    for at, (question, answer) in enumerate(ASKED):
        found = reader.read(Query("q1", "h1", at, question), evidence).text
        assert answer in found
    endpoint.end_server()
    assert [reply.text for reply in model.replies if reply.text.startswith("\n")] == []
