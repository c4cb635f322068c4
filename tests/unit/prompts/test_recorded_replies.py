"""Replies of SmolLM2-135M-Instruct on generated data are read as a person reads them.

`scripts/record_replies.py` recorded the texts; a person wrote what each of them says, or null.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.memory.extraction_replies import StatedFact, parse_facts, parse_gists
from remem.memory.llm_planner import parse_call, parse_native_call
from remem.protocols import ChatReply, RejectedReplyError
from remem.readers.answer_lines import parse_answer
from remem.readers.tiser import parse_tagged_answer
from remem.types import ToolCall, Usage

FILE = Path(__file__).parents[2] / "recorded" / "smollm2_replies.jsonl"
RECORDED = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()][1:]


def call_text(call: ToolCall) -> str:
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return f"{call.tool} {json.dumps(given, ensure_ascii=False)}"


def fact_text(fact: StatedFact) -> str:
    return f"{fact.subject} | {fact.predicate} | {fact.object}"


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


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda one: one["asked_by"])
def test_a_reply_says_what_a_person_reads_in_it(recorded: dict[str, Any]) -> None:
    read = READERS[recorded["asked_by"]]
    if recorded["read"] is None:
        with pytest.raises(RejectedReplyError):
            read(reply(recorded))
    else:
        assert read(reply(recorded)) == recorded["read"]


LISTS = [one for one in RECORDED if one["asked_by"] == "gists" and one["read"] and not one["cut"]]


@pytest.mark.parametrize("recorded", LISTS)
def test_nothing_but_gists_and_json_is_in_a_list_of_gists(recorded: dict[str, Any]) -> None:
    left = " ".join(recorded["text"].split())
    for gist in parse_gists(reply(recorded)):
        left = left.replace(gist, "", 1)
    assert set(left) <= set('{"gists": [, ]}')


def test_no_text_is_a_native_call() -> None:
    for recorded in RECORDED:
        with pytest.raises(RejectedReplyError):
            parse_native_call(reply(recorded))


def test_every_role_has_replies_and_nearly_all_answers_can_be_read() -> None:
    asked = Counter(one["asked_by"] for one in RECORDED)
    assert sorted(asked) == sorted(READERS)
