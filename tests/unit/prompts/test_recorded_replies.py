"""Replies of SmolLM2-135M-Instruct on generated data are read as a person reads them.

tests/recorded/README.md says how they were recorded. A person wrote down the meaning of each reply,
or null.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import RejectedReplyError
from remem.memory.extraction_replies import StatedFact, parse_facts, parse_gists
from remem.memory.llm_planner import parse_call
from remem.protocols import ChatReply
from remem.readers.answer_lines import parse_answer
from remem.readers.direct import parse_tagged_answer
from remem.types import ToolCall, Usage

FILE = Path(__file__).parents[2] / "recorded" / "smollm2_replies.jsonl"
HEADER, *RECORDED = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def call_text(call: ToolCall) -> str:
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return f"{call.tool} {json.dumps(given, ensure_ascii=False)}"


def fact_text(fact: StatedFact) -> str:
    return f"{fact.subject} | {fact.predicate} | {fact.object}"


@pytest.mark.app("small_model")
def test_the_replies_are_of_the_model_that_the_configuration_names() -> None:
    endpoint = run_config(compose_config(["llm=smollm2"])).resolved["llm"]["build"]["endpoint"]
    server = endpoint["server"]
    assert HEADER["model"] == endpoint["model"]
    assert HEADER["weights_sha256"] == server["weights"]["sha256"]
    assert HEADER["engine"] == server["engine"]


def test_the_page_next_to_the_replies_counts_them() -> None:
    page = FILE.with_name("README.md").read_text(encoding="utf-8")
    asked = Counter(recorded["asked_by"] for recorded in RECORDED)
    counts = map(int, re.findall(r"\((\d+)(?: replies)?\)", page))
    assert f"holds {len(RECORDED)} replies" in page
    assert sorted(counts) == sorted(asked.values())


READERS: dict[str, Callable[[ChatReply], Any]] = {
    "reader_direct": parse_answer,
    "reader_few_shot": parse_answer,
    "reader_tiser": parse_tagged_answer,
    "planner": lambda reply: call_text(parse_call(reply)),
    "gists": lambda reply: len(parse_gists(reply)),
    "facts": lambda reply: [fact_text(fact) for fact in parse_facts(reply)],
}


def reply(recorded: dict[str, Any]) -> ChatReply:
    return ChatReply(recorded["text"], (), recorded["cut"], Usage())


def read(recorded: dict[str, Any]) -> Any:
    """Return how our code reads a reply, or None if it rejects the reply."""
    try:
        return READERS[recorded["asked_by"]](reply(recorded))
    except RejectedReplyError:
        return None


@pytest.mark.parametrize("asked_by", READERS)
def test_a_reply_says_what_a_person_reads_in_it(asked_by: str) -> None:
    replies = [item for item in RECORDED if item["asked_by"] == asked_by]
    assert [item for item in replies if read(item) != item["read"]] == []


def test_nothing_but_gists_and_json_is_in_a_list_of_gists() -> None:
    lists = [item for item in RECORDED if item["asked_by"] == "gists" and not item["cut"]]
    for recorded in filter(read, lists):
        left = " ".join(recorded["text"].split())
        for gist in parse_gists(reply(recorded)):
            left = left.replace(gist, "", 1)
        assert set(left) <= set('{"gists": [, ]}')
