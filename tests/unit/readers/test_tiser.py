"""The TISER reader: its reply has four stages in tags, and the last one is the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.prompts.library import own_library
from remem.prompts.replies import CutReplyError
from remem.protocols import ChatReply
from remem.readers.direct import TiserReader, parse_tagged_answer
from remem.types import Evidence, Observation, Query, Step, ToolCall, Usage

QUERY = Query("q1", "h", 0, "Who was the R1 of E2 in 1965?")
STAGES = (
    "<reasoning>a</reasoning>\n<timeline>b</timeline>\n<reflection>the <answer> tag</reflection>\n"
)
COUNT = Step(ToolCall("find_entity_contexts"), Observation("Counted 3 facts.", count=3))


def reader(model):
    return TiserReader(
        chat_model=model,
        prompts=own_library(),
        prompt="reader_tiser.v1",
        items_shown=100,
        characters_shown=1500,
        answer_separator="commas",
    )


def reply(text, *, truncated=False):
    return ChatReply(text, (), truncated, Usage())


def test_the_four_stages_are_asked_for_and_counts_are_shown(scripted_model):
    model = scripted_model.ScriptedModel(f"{STAGES}<answer>E1</answer>")
    answer = reader(model).read(QUERY, Evidence(steps=(COUNT,)))
    assert (answer.text, answer.usage) == ("E1", Usage(1, 100, 10))
    assert answer.context_tokens > 0
    system, user = model.asked[0].messages
    assert all(f"<{tag}>" in system.content for tag in ("reasoning", "timeline", "reflection"))
    assert "Count: 3" in user.content
    assert QUERY.text in user.content


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"{STAGES}<answer>E1, E2</answer>", "E1, E2"),
        ("<Answer>\n E1 \n</ANSWER> Hope it helps.", "E1"),
        ("<answer>first</answer> No: <answer>second</answer>", "second"),
    ],
)
def test_the_answer_stands_in_the_last_pair_of_tags(text, answer):
    assert parse_tagged_answer(reply(text)) == answer


@pytest.mark.parametrize(
    "bad",
    [
        reply(f"{STAGES}The answer is: E1"),
        reply("<answer>E1"),
        reply("<answer>" * 100_000),
        reply(f"{STAGES}<answer>E1 \ud83d</answer>"),
    ],
)
def test_a_reply_without_a_pair_of_answer_tags_is_rejected(bad):
    with pytest.raises(RejectedReplyError):
        parse_tagged_answer(bad)


def test_a_reply_without_any_tag_is_read_as_a_reader_that_asks_for_none_reads_it():
    assert parse_tagged_answer(reply("The answer is: E1")) == "E1"
    with pytest.raises(CutReplyError):
        parse_tagged_answer(reply("The answer is: E1", truncated=True))


@pytest.mark.parametrize("rest", ["", "\n<answer>E"])
def test_an_answer_that_was_complete_before_a_cut_is_read(rest):
    assert parse_tagged_answer(reply(f"{STAGES}<answer>E1</answer>{rest}", truncated=True)) == "E1"


@pytest.mark.parametrize("text", [STAGES, f"{STAGES}<answer>E1</ans"])
def test_a_reply_that_was_cut_before_its_answer_was_complete_is_an_error(text):
    with pytest.raises(CutReplyError, match="cut at the token limit"):
        parse_tagged_answer(reply(text, truncated=True))


@given(st.lists(st.sampled_from(["<answer>", "</answer>", "<", "a ", "é"])).map("".join), st.text())
def test_any_reply_is_an_answer_or_rejected(tags, rest):
    for text in (tags + rest, rest):
        try:
            found = parse_tagged_answer(reply(text))
        except RejectedReplyError:
            continue
        assert found in text
