"""A passage whose extraction does not fit into one reply is asked for in halves, and merged."""

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import UnusableReplyError
from remem.llm.chat_model import StoredChatModel
from remem.memory.llm_extractor import LLMExtractor
from remem.memory.whole_replies import Part, each_once, in_whole_replies
from remem.prompts.library import own_library
from remem.serve.stub.endpoint import StubEndpoint
from remem.time_scope import TimePoint
from remem.types import Episode, Extraction, Message, Usage

ENOUGH = 1_000_000
ANIMALS = ("otter", "heron", "badger", "newt", "stoat", "plover", "hare", "adder", "kite", "carp")


def said(number: int) -> Message:
    speaker, animal = ("Ines", "Ravi")[number % 2], ANIMALS[number % len(ANIMALS)]
    text = f"I painted {animal} number {number} on the old harbour wall."
    return Message(f"D1:{number}", speaker, text, TimePoint(2022, 6, 14 + number // 12, 600))


LONG = Episode("session_1", tuple(map(said, range(20))))


def extracted(folder: Path, episode: Episode, most_tokens: int) -> Extraction:
    model = StoredChatModel(
        endpoint=StubEndpoint(size="plain", max_output_tokens=most_tokens),
        store=str(folder / "calls.sqlite"),
        attempts=2,
        repeat=0,
        budget_dollars=None,
        prices="2026-11-21",
    )
    extractor = LLMExtractor(
        chat_model=model,
        prompts=own_library(),
        gist_prompt="gist_extraction.chat.v1",
        fact_prompt="fact_extraction.chat.v1",
        qualifiers=False,
        captions=False,
    )
    return extractor.extract(episode)


def texts(found: Extraction) -> list[Counter[str]]:
    """Return the gists and facts; halves of an episode of two days say apart when they were."""
    facts = Counter(replace(fact, record_time=None).text for fact in found.facts)
    return [Counter(gist.text for gist in found.gists), facts]


@pytest.mark.parametrize("most_tokens", [90, 200, 500, 900])
def test_of_an_episode_whose_replies_were_cut_nothing_is_lost_and_nothing_is_there_twice(
    tmp_path: Path, most_tokens: int
) -> None:
    whole, split = (extracted(tmp_path, LONG, most) for most in (ENOUGH, most_tokens))
    assert (whole.usage.calls, whole.usage.cut_replies) == (2, 0)
    assert (len(whole.gists), len(whole.facts)) == (20, 20)
    assert (texts(split), split.failure) == (texts(whole), "")
    assert split.usage.cut_replies > 0
    assert {(fact.subject, fact.object): fact.source for fact in split.facts} == {
        (fact.subject, fact.object): fact.source for fact in whole.facts
    }


def test_a_message_whose_own_reply_is_cut_fails_its_episode_and_says_why(tmp_path: Path) -> None:
    found = extracted(tmp_path, LONG, 12)
    assert (found.gists, found.facts) == ((), ())
    assert "2 attempts: the reply was cut at the token limit" in found.failure
    # 20, 10, 5 and 2 messages, each asked once, and the first of them twice
    assert (found.usage.calls, found.usage.cut_replies) == (6, 6)


def test_the_same_start_again_is_served_from_the_store(tmp_path: Path) -> None:
    first = extracted(tmp_path, LONG, 200)
    assert extracted(tmp_path, LONG, 200) == first


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_the_longest_session_of_realtalk_keeps_all_facts_at_4096_tokens(tmp_path: Path) -> None:
    histories = run_config(compose_config(["dataset=realtalk"])).build_benchmark().histories()
    episodes = (episode for history in histories for episode in history.episodes)
    longest = max(episodes, key=lambda episode: len(episode.messages))
    assert len(longest.messages) == 183
    whole, split = (extracted(tmp_path, longest, most) for most in (ENOUGH, 4096))
    assert (texts(split), split.failure) == (texts(whole), "")
    assert (len(split.facts), split.usage.cut_replies) == (163, 3)


def test_what_a_later_part_states_again_is_left_out_and_one_part_stays_as_it_is() -> None:
    first, second = (Message("1", "A", "x"),), (Message("2", "A", "y"),)
    both = (Part(first, ("a", "b", "a")), Part(second, ("B", "c")))
    assert [part.items for part in each_once(both, str.lower)] == [("a", "b"), ("c",)]
    assert each_once(both[:1], str.lower) == both[:1]


def test_what_the_parts_before_a_failure_took_is_counted() -> None:
    def ask(messages: tuple[Message, ...]) -> tuple[None, Usage]:
        if len(messages) == 1:
            raise UnusableReplyError("no", Usage(1, 10, 1))
        return None, Usage(1, 100, 20, 1)

    with pytest.raises(UnusableReplyError) as failed:
        in_whole_replies(LONG.messages[:4], ask)
    assert failed.value.usage == Usage(3, 210, 41, 2)
