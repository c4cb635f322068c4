"""A reply that ended at the token limit is never taken for a whole one, whoever asked for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines.hipporag2_openie import LLMFilter
from remem.errors import UnusableReplyError
from remem.judge.llm_judge import LLMJudge
from remem.llm.chat_model import StoredChatModel
from remem.memory.llm_planner import OWN_KEYS, LLMPlanner
from remem.prompts.library import own_library
from remem.protocols import ChatModel
from remem.readers.direct import DirectReader, TiserReader
from remem.results.temporal_classes import class_by_model
from remem.serve.stub.endpoint import StubEndpoint
from remem.types import Evidence, Gist, Query

TOO_FEW = 8
GIST = Gist("g1", "Ann adopted a dog named Rex.", None, "s1", ("D1:1",))
QUERY = Query("q1", "h1", 0, "Which dog did Ann adopt?")
SHOWN: dict[str, Any] = {"items_shown": 10, "characters_shown": 500}


def plan(model: ChatModel, mode: Any) -> object:
    planner = LLMPlanner(
        chat_model=model,
        prompts=own_library(),
        prompt="planner.v1",
        mode=mode,
        call_keys=OWN_KEYS,
        max_steps=3,
        **SHOWN,
    )
    return planner.next_call(QUERY.text, (), ("semantic_retrieve", "output_answer"))


def read(model: ChatModel, reader: Any, prompt: str) -> object:
    asking = reader(
        chat_model=model,
        prompts=own_library(),
        prompt=prompt,
        answer_separator="commas",
        **SHOWN,
    )
    return asking.read(QUERY, Evidence(gists=(GIST,)))


def judge(model: ChatModel) -> object:
    judging = LLMJudge(chat_model=model, prompts=own_library(), prompt="judge.v1", golds="together")
    return judging.judge(QUERY.text, ("Rex",), "Rex")


def keep(model: ChatModel) -> object:
    kept = LLMFilter(
        chat_model=model, prompts=own_library(), prompt="hipporag2_filter.v1", as_json=True
    )
    return kept.keep(QUERY.text, [("Ann", "adopted", "Rex")])


ASKING: dict[str, Callable[[ChatModel], object]] = {
    "planner, JSON": lambda model: plan(model, "json"),
    "planner, native calls": lambda model: plan(model, "tools"),
    "direct reader": lambda model: read(model, DirectReader, "reader_direct.v1"),
    "TISER reader": lambda model: read(model, TiserReader, "reader_tiser.v1"),
    "judge": judge,
    "temporal classes": lambda model: class_by_model(model, QUERY.text),
    "filter of HippoRAG 2": keep,
}


def model_of(folder: Path, most_tokens: int) -> StoredChatModel:
    return StoredChatModel(
        endpoint=StubEndpoint(size="plain", max_output_tokens=most_tokens),
        store=str(folder / "calls.sqlite"),
        attempts=2,
        repeat=0,
        budget_dollars=None,
        prices="2026-11-21",
    )


@pytest.mark.parametrize("who", ASKING)
def test_a_cut_reply_is_asked_for_again_and_then_an_error(tmp_path: Path, who: str) -> None:
    with pytest.raises(UnusableReplyError) as failed:
        ASKING[who](model_of(tmp_path, TOO_FEW))
    cut = "the reply was cut at the token limit"
    assert str(failed.value).endswith(f"(attempts: 2): {cut}; {cut}")
    usage = failed.value.usage
    assert (usage.calls, usage.cut_replies, usage.rejected_replies) == (2, 2, 2)


@pytest.mark.parametrize("who", sorted({*ASKING} - {"temporal classes"}))  # the stub tells none
def test_the_same_reply_is_taken_when_it_may_be_long_enough(tmp_path: Path, who: str) -> None:
    assert ASKING[who](model_of(tmp_path, 4096))
