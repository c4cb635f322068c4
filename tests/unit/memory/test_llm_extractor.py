"""The extractor over a scripted model: what it sends, what it keeps, what it calls a failure."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from remem.errors import ModelUnavailableError, RejectedReplyError, UnusableReplyError
from remem.memory.extraction_replies import (
    FACTS_SCHEMA,
    GISTS_SCHEMA,
)
from remem.memory.llm_extractor import LLMExtractor
from remem.prompts.library import own_library
from remem.protocols import ChatReply, ChatRequest
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Message, Usage

Parsed = TypeVar("Parsed")

PARTS = Path(__file__).parents[2] / "parts"
SAID = TimePoint(2022, 6, 14, 1100)
SESSION = Episode(
    "session_1",
    (
        Message("D1:1", "Ravi", "You look worn out!", SAID),
        Message("D1:2", "Ines", "We scraped the hull last weekend.", SAID, caption="a\nhull"),
        Message("D1:3", "Ravi", "My pottery course starts next month.", SAID),
    ),
)
GIST = "[14 June 2022] Ravi's pottery course starts next month (July 2022)."
GISTS = json.dumps({"gists": [GIST, "[14 June 2022] Ines scraped the hull."]})
FACTS = json.dumps(
    {
        "facts": [
            {
                "subject": "Ravi",
                "predicate": "starts",
                "object": "pottery course",
                "point_in_time": "July 2022",
                "record_time": "14 June 2022",
            },
            ["Ines", "scraped", "hull"],
        ]
    }
)


@dataclass
class Scripted:
    """A model with scripted replies that tries three times and counts 10 + 5 tokens per call."""

    lines: list[str | ChatReply | Exception]
    truncated: bool = False
    asked: list[ChatRequest] = field(default_factory=list)

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        usage = Usage()
        for _ in range(3):
            self.asked.append(request)
            line = self.lines.pop(0)
            if isinstance(line, Exception):
                raise line
            usage += Usage(1, 10, 5)
            if isinstance(line, str):
                line = ChatReply(line, (), self.truncated, Usage(1, 10, 5))
            try:
                return parse(line), usage
            except RejectedReplyError as error:
                reason = str(error)
        raise UnusableReplyError(f"3 replies were rejected, the last because: {reason}")


def extractor(model: Scripted, style: str = "chat", **changes: Any) -> LLMExtractor:
    settings = {
        "chat_model": model,
        "prompts": own_library(),
        "gist_prompt": f"gist_extraction.{style}.v1",
        "fact_prompt": f"fact_extraction.{style}.v1",
        "qualifiers": False,
        "captions": False,
    }
    return LLMExtractor(**(settings | changes))


def test_the_periods_that_a_strong_model_wrote_are_read() -> None:
    # its replies of 28 November 2026 to these prompts; "a few years ago" has no year
    recorded = json.loads((PARTS / "times" / "model_replies.json").read_text(encoding="utf-8"))
    messages = tuple(
        Message(f"m{number}", speaker, text, TimePoint(2024, 3, 8))
        for number, (speaker, text) in enumerate(recorded["messages"], start=1)
    )
    extraction = extractor(Scripted([json.dumps(reply) for reply in recorded["replies"]])).extract(
        Episode("session_1", messages)
    )
    assert [gist.when for gist in extraction.gists] == [
        *("2023-06/2023-08", "2019-01/2019-04", "2015-09/2018-05", "2024-06"),
        *("2024-04-06/2024-04-07", "1960/1969", ""),
    ]
    dated = {fact.object: str(fact.time) for fact in extraction.facts if fact.time}
    assert dated == {
        "sailing": "2023-06/2023-08",
        "Petrel": "2023-06/2023-08",
        "Omar's bakery": "2019-01/2019-04",
        "Lima": "2015-09/2018-05",
        "wedding of Ines's sister": "2024-06",
        "Lisbon": "2024-04-06/2024-04-07",
        "nurse": "1960/1969",
    }


def facts_only(model: Scripted) -> LLMExtractor:
    return extractor(model, gist_prompt=None, fact_prompt="temporal_facts.v1")


def test_gists_are_asked_for_first_then_facts_given_the_gists_and_texts_have_an_end() -> None:
    model = Scripted([GISTS, FACTS])
    extractor(model).extract(SESSION)
    first, second = model.asked
    assert (first.stage, second.stage) == ("index", "index")
    assert (first.reply_schema, second.reply_schema) == (GISTS_SCHEMA, FACTS_SCHEMA)
    shown = first.messages[-1].content
    assert shown.startswith("Date: 14 June 2022, 6:20 pm\nRavi: You look worn out!\n")
    assert GIST not in shown
    assert second.messages[-1].content.startswith(shown)
    assert f"- {GIST}\n" in second.messages[-1].content
    gists, facts = first.reply_alternatives, second.reply_alternatives
    assert gists is not None
    assert facts is not None
    assert gists["properties"]["gists"]["items"] == {"type": "string", "maxLength": 300}
    fact = facts["properties"]["facts"]["items"]
    assert fact["properties"]["subject"] == {"type": "string", "maxLength": 80}
    assert fact["properties"]["end_time"] == {"type": ["string", "null"], "maxLength": 30}
    assert (fact["required"], fact["additionalProperties"]) == (list(fact["properties"]), False)


def full(text: str) -> ChatReply:
    """Return the reply that an endpoint gives if it closed a list because it was full."""
    return ChatReply(text, (), True, Usage(1, 10, 5))


def test_a_list_that_was_full_is_asked_for_in_halves_and_taken_of_a_single_message() -> None:
    gists = [json.dumps({"gists": [text]}) for text in ("Both.", "Ravi left.", "Ines stayed.")]
    model = Scripted([full(gists[0]), full(gists[1]), gists[2], '{"facts": []}', '{"facts": []}'])
    found = extractor(model).extract(SESSION)
    assert [gist.text for gist in found.gists] == ["Ravi left.", "Ines stayed."]


def test_a_gist_that_names_no_date_has_that_of_the_first_message_of_its_session() -> None:
    past_midnight = TimePoint(2022, 6, 15, 10)
    session = Episode(
        "s", (Message("D1:1", "Ravi", "Hi!", SAID), Message("D1:2", "Ines", "Hi!", past_midnight))
    )
    model = Scripted([json.dumps({"gists": ["Ravi greeted Ines."]}), '{"facts": []}'])
    (gist,) = extractor(model).extract(session).gists
    assert gist.time == TimeScope(SAID)


def test_what_the_model_found_is_dated_attributed_and_counted() -> None:
    found = extractor(Scripted([GISTS, FACTS])).extract(SESSION)
    assert [(gist.text, str(gist.time), gist.source) for gist in found.gists] == [
        (GIST, "2022-07", ("D1:3",)),
        ("[14 June 2022] Ines scraped the hull.", "2022-06-14", ("D1:2",)),
    ]
    assert [(fact.text, fact.source) for fact in found.facts] == [
        ("Ravi | starts | pottery course | 2022-07 | said 2022-06-14", ("D1:3",)),
        ("Ines | scraped | hull | said 2022-06-14T18:20", ("D1:2",)),
    ]
    assert found.usage == Usage(2, 20, 10)
    assert found.failure == ""


@pytest.mark.parametrize(
    ("record_time", "said"),
    [("15 June 2022", "2022-06-15"), ("some day", "2022-06-14T18:20"), (None, "2022-06-14T18:20")],
)
def test_a_fact_keeps_when_it_was_said_else_the_date_of_its_session(record_time, said) -> None:
    fact = {"subject": "A", "predicate": "b", "object": "C", "record_time": record_time}
    found = facts_only(Scripted([json.dumps({"facts": [fact]})])).extract(SESSION)
    assert [(each.time, str(each.record_time)) for each in found.facts] == [(None, said)]
    assert (found.gists, found.usage.calls) == ((), 1)


def test_halves_of_an_episode_of_two_days_state_a_fact_once_and_see_their_own_gists() -> None:
    next_day = TimePoint(2022, 6, 15, 600)
    rowed = Message("D1:1", "Ravi", "I rowed my boat.", SAID)
    swam = Message("D1:2", "Ines", "We swam across a lake.", next_day)
    gists = json.dumps({"gists": ["Ravi rowed his boat.", "Ines swam across a lake."]})
    boat = {"subject": "Ravi", "predicate": "owns", "object": "boat"}
    lake = {"subject": "Ines", "predicate": "swam across", "object": "lake"}
    first = [{**boat, "record_time": "14 June 2022"}]
    second = [{**item, "record_time": "15 June 2022"} for item in (boat, lake)]
    cut = ChatReply('{"facts": [', (), True, Usage(1, 10, 5))
    model = Scripted([gists, cut, json.dumps({"facts": first}), json.dumps({"facts": second})])
    found = extractor(model).extract(Episode("s", (rowed, swam)))
    assert [fact.text for fact in found.facts] == [
        "Ravi | owns | boat | said 2022-06-14",
        "Ines | swam across | lake | said 2022-06-15",
    ]
    shown = [request.messages[-1].content for request in model.asked[1:]]
    assert [("- Ravi rowed" in text, "- Ines swam" in text) for text in shown] == [
        (True, True),
        (True, False),
        (False, True),
    ]


def test_captions_are_sent_only_on_request() -> None:
    without, with_them = Scripted([GISTS, FACTS]), Scripted([GISTS, FACTS])
    extractor(without).extract(SESSION)
    extractor(with_them, captions=True).extract(SESSION)
    for request, captioned in zip(without.asked, with_them.asked, strict=True):
        assert "hull]" not in request.messages[-1].content
        shown = captioned.messages[-1].content
        assert (shown.count("[image: "), "weekend. [image: a hull]\n" in shown) == (1, True)


def test_an_episode_whose_facts_failed_keeps_no_gists_but_their_usage() -> None:
    found = extractor(Scripted([GISTS, "no", "no", "no"])).extract(SESSION)
    assert (found.gists, found.facts, found.usage) == ((), (), Usage(1, 10, 5))
    assert "no JSON object with the key 'facts'" in found.failure


@pytest.mark.parametrize("error", [OSError("disk full"), ModelUnavailableError("no connection")])
def test_any_other_error_is_not_the_episodes(error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        extractor(Scripted([error])).extract(SESSION)


def test_a_date_that_cannot_be_read_leaves_the_fact_undated_and_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    vague = {"subject": "A", "predicate": "b", "object": "C", "point_in_time": "one day"}
    model = Scripted([json.dumps({"facts": [vague, {**vague, "point_in_time": "1811"}]})])
    with caplog.at_level(logging.WARNING):
        found = facts_only(model).extract(SESSION)
    assert [str(fact.time) for fact in found.facts] == ["None", "1811"]
    assert "session_1: 1 of 2 facts stay undated" in caplog.text


def test_a_prompt_that_is_not_there_is_refused_at_once() -> None:
    with pytest.raises(FileNotFoundError, match=r"no prompt 'gist_extraction\.poem\.v1'"):
        extractor(Scripted([]), "poem")
