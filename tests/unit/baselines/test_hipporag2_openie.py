"""HippoRAG 2's requests to the model, and how its replies are read."""

from types import ModuleType

import pytest

from baselines.hipporag2_openie import LLMFilter, LLMOpenIE, parse_entities, parse_triples
from remem.errors import (
    BudgetReachedError,
    ModelUnavailableError,
    RejectedReplyError,
)
from remem.prompts.library import own_library
from remem.protocols import ChatReply
from remem.types import Usage

PASSAGE = "[8 May, 2023] Ann: I sold the boat {{ 7 * 7 }}"
FACTS = (("ann", "sold", "boat"), ("bob", "bought", "boat"), ("bob", "lives in", "oslo"))


def reply(text: str, *, truncated: bool = False) -> ChatReply:
    return ChatReply(text, (), truncated, Usage())


def openie(model: object) -> LLMOpenIE:
    return LLMOpenIE(
        chat_model=model,  # type: ignore[arg-type]
        prompts=own_library(),
        entity_prompt="hipporag2_entities.v1",
        triple_prompt="hipporag2_triples.v1",
    )


def test_entities_are_asked_for_first_and_shown_when_triples_are(
    scripted_model: ModuleType,
) -> None:
    model = scripted_model.ScriptedModel(
        '{"named_entities": ["Ann", "José", "Ann"]}', '{"triples": [["Ann", "sold", "the boat"]]}'
    )
    extracted = openie(model).extract(PASSAGE)
    assert extracted.triples == (("Ann", "sold", "the boat"),)
    assert extracted.usage == scripted_model.SPENT + scripted_model.SPENT
    first, second = model.asked
    assert (first.stage, second.stage) == ("index", "index")
    assert first.messages[-1].content == PASSAGE
    assert PASSAGE in second.messages[-1].content
    assert second.messages[-1].content.endswith('{"named_entities": ["Ann", "José"]}')


def test_a_passage_without_a_usable_reply_is_a_failure_with_what_it_took(
    scripted_model: ModuleType,
) -> None:
    model = scripted_model.ScriptedModel('{"named_entities": []}', "sorry", "sorry")
    extracted = openie(model).extract(PASSAGE)
    assert (extracted.triples, extracted.failure) == ((), "no usable reply")
    once = scripted_model.SPENT
    assert extracted.usage == once + once + once  # the entities, and two replies without triples


def test_an_outage_is_no_passage_without_triples() -> None:
    class Away:
        def ask(self, *asked: object) -> object:
            raise BudgetReachedError("spent")

    with pytest.raises(BudgetReachedError, match="spent"):
        openie(Away()).extract(PASSAGE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Here: {"triples": [["a", "b", "c"], ["a", "b", "c"]]} Done.', (("a", "b", "c"),)),
        ('{"triples": [["a", "b"], "x", 3, null, ["a", "b", 1936]]}', (("a", "b", "1936"),)),
        ('{"triples": []}', ()),
    ],
)
def test_triples_are_read_and_what_is_none_is_left_out(text: str, expected: object) -> None:
    assert parse_triples(reply(text)) == expected


@pytest.mark.parametrize("text", ["", "[]", '{"triples": 3}', '{"triples": [["a", "b", "c"]'])
def test_a_reply_without_triples_is_rejected(text: str) -> None:
    with pytest.raises(RejectedReplyError, match="'triples'"):
        parse_triples(reply(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"triples": [["a", "b", "c"], ["d, e", "f", "g"], ["h", "i, j, k',
        '{"triples": [["a", "b", "c"], ["d, e", "f", "g"], ',
    ],
)
def test_the_whole_triples_of_a_reply_cut_at_the_limit_are_used(text: str) -> None:
    expected = (("a", "b", "c"), ("d, e", "f", "g"))
    assert parse_triples(reply(text, truncated=True)) == expected


def test_a_reply_cut_before_the_first_item_is_rejected() -> None:
    with pytest.raises(RejectedReplyError):
        parse_entities(reply('{"named_entities": ["An', truncated=True))
    assert parse_entities(reply('{"named_entities": ["Ann", "B', truncated=True)) == ("Ann",)


def kept(scripted_model: ModuleType, *replies: str) -> tuple[int, ...]:
    model = scripted_model.ScriptedModel(*replies)
    recogniser = LLMFilter(
        chat_model=model, prompts=own_library(), prompt="hipporag2_filter.v1", as_json=True
    )
    positions, usage = recogniser.keep("Who lives in Oslo?", FACTS)
    (request, *_) = model.asked
    assert request.stage == "recall"
    assert request.messages[-1].content == (
        'Question: Who lives in Oslo?\n\n{"fact": [["ann", "sold", "boat"], '
        '["bob", "bought", "boat"], ["bob", "lives in", "oslo"]]}'
    )
    assert usage.calls == len(replies)
    return positions


def test_the_filter_returns_facts_in_the_order_of_the_reply(scripted_model: ModuleType) -> None:
    said = '{"fact": [["bob", "lives in", "oslo"], ["ann", "sold", "boat"]]}'
    assert kept(scripted_model, said) == (2, 0)
    assert kept(scripted_model, '{"fact": []}') == ()


def test_an_invented_fact_stands_for_the_one_it_is_closest_to(scripted_model: ModuleType) -> None:
    said = '{"fact": [["Bob", "lives", "in Oslo"], ["zebra"], ["bob", "lives in", "oslo"]]}'
    positions = kept(scripted_model, said)
    assert (positions[0], positions[2], len(positions)) == (2, 2, 3)


def test_an_unreadable_filter_reply_is_asked_again_and_then_an_error(
    scripted_model: ModuleType,
) -> None:
    assert kept(scripted_model, '{"fact": [3]}', '{"fact": [["ann", "sold", "boat"]]}') == (0,)
    with pytest.raises(ModelUnavailableError):
        kept(scripted_model, "none of them", '{"facts": []}')
