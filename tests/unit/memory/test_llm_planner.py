"""The LLM planner: what it asks the model, how it reads the reply, and what it cannot do."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError, StopRunError, UnusableReplyError
from remem.memory.agent import run_agent
from remem.memory.llm_planner import OWN_KEYS, LLMPlanner, parse_call, parse_native_call
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.prompts.library import own_library
from remem.protocols import ChatReply, NativeCall
from remem.types import Observation, Step, ToolCall, Usage

TOOLS = (*RETRIEVAL_AND_EXPLORATION, "output_answer")
COUNTED = Step(
    ToolCall("find_entity_contexts", {"subject": "Ann"}, "Count."),
    Observation("Counted 4 facts.", count=4),
)


def call(tool, arguments, thought="Next."):
    return json.dumps({"thought": thought, "tool": tool, "arguments": arguments})


def reply(text, tool="", arguments="", *, truncated=False):
    calls = (NativeCall(tool, arguments),) if tool else ()
    return ChatReply(text, calls, truncated, Usage())


def planner(model, mode="json", max_steps=3):
    return LLMPlanner(
        chat_model=model,
        prompts=own_library(),
        prompt="planner.v1",
        call_keys=OWN_KEYS,
        mode=mode,
        max_steps=max_steps,
        items_shown=10,
        characters_shown=1000,
    )


def run(model, toolbox, max_steps=3, mode="json"):
    return run_agent(
        "What did Ann buy?",
        planner=planner(model, mode, max_steps),
        toolbox=toolbox,
        offered=lambda steps: (*RETRIEVAL_AND_EXPLORATION, "output_answer"),
        max_steps=max_steps,
    )


def test_in_json_mode_the_tools_are_described_and_a_schema_is_asked_for(scripted_model):
    model = scripted_model.ScriptedModel(call("output_answer", {}))
    planner(model).next_call("What did Ann buy?", (), ("semantic_retrieve", "output_answer"))
    (request,) = model.asked
    system, user = request.messages
    assert (request.stage, request.tools) == ("recall", ())
    assert "- semantic_retrieve(query, " in system.content
    assert '{"thought": ' in system.content
    assert "- find_entity_contexts(" not in system.content
    assert request.reply_schema["properties"]["tool"]["enum"] == [
        "semantic_retrieve",
        "output_answer",
    ]
    assert "Question: What did Ann buy?" in user.content
    assert "You have made no step yet." in user.content
    assert "You can make 3 more calls" in user.content


def test_in_tools_mode_the_tools_are_native(scripted_model):
    native = scripted_model.said(
        "I look it up.", tool="lexical_retrieve", arguments='{"query": "x"}'
    )
    model = scripted_model.ScriptedModel(native)
    made = planner(model, "tools").next_call("What?", (), TOOLS)
    (request,) = model.asked
    assert (made.tool, made.arguments, made.thought) == (
        "lexical_retrieve",
        {"query": "x"},
        "I look it up.",
    )
    assert [spec.name for spec in request.tools] == list(TOOLS)
    assert request.reply_schema is None
    assert "- lexical_retrieve(" not in request.messages[0].content


def test_in_tools_mode_a_text_is_no_call_even_if_it_holds_one(scripted_model):
    written = call("output_answer", {})
    native = scripted_model.said("", tool="output_answer", arguments="{}")
    model = scripted_model.ScriptedModel(written, native)
    assert planner(model, "tools").next_call("What?", (), TOOLS).usage == Usage(2, 200, 20)
    with pytest.raises(RejectedReplyError, match="the reply has text and no tool call"):
        parse_native_call(reply(written))


def test_an_endpoint_that_returns_no_tool_calls_stops_the_run_and_is_told_what_to_change(
    scripted_model, toolbox
):
    model = scripted_model.ScriptedModel("I would search.", "I would search.")
    with pytest.raises(
        StopRunError,
        match=r"http://here/v1 returned no tool calls.*; use planner=llm, .*tool_choice",
    ):
        run(model, toolbox, mode="tools")


def test_an_endpoint_that_has_returned_tool_calls_may_fail_on_a_question(scripted_model, toolbox):
    native = scripted_model.said("", tool="lexical_retrieve", arguments='{"query": "red"}')
    model = scripted_model.ScriptedModel(native, "no", "no")
    with pytest.raises(UnusableReplyError):
        run(model, toolbox, mode="tools")


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="unknown mode 'xml'"):
        planner(None, "xml")


def test_earlier_steps_are_shown_with_what_they_saw_and_the_cap_is_stated(scripted_model, toolbox):
    model = scripted_model.ScriptedModel(
        call("semantic_retrieve", {"query": "boat"}, "First."), call("output_answer", {})
    )
    evidence = run(model, toolbox)
    shown = model.asked[1].messages[1].content
    assert "at most 10 gists and 10 facts, and 1000 characters" in shown
    assert 'Step 1\nThought: First.\nCall: semantic_retrieve {"query": "boat"}' in shown
    for gist in evidence.gists:
        assert f"- {gist.id} [{gist.time or 'undated'}] {gist.text}" in shown
    assert "- f3 red boat | has | leak | undated" in shown


def test_a_count_and_the_last_call_are_told(scripted_model):
    model = scripted_model.ScriptedModel(call("output_answer", {}))
    planner(model).next_call("How many?", (COUNTED, COUNTED), TOOLS)
    shown = model.asked[0].messages[1].content
    assert "Count: 4" in shown
    assert "This is your last call." in shown


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "output_answer", "arguments": {"answer": "3"}, "thought": null}',
        'I saw {"count": 3}. {"tool": "output_answer", "arguments": {"answer": "3"}} Done.',
        '{"tool": "output_answer", "arguments": {"answer": "3"}}{"tool": "x", "arguments": {}}',
        '{"tool": "output_answer", "arguments": "{\\"answer\\": \\"3\\"}"}',
    ],
)
def test_prose_and_a_second_call_do_not_hide_the_first(text):
    assert parse_call(reply(text)) == ToolCall("output_answer", {"answer": "3"})


@pytest.mark.parametrize(
    "bad",
    [
        reply(""),
        reply('{"tool": "output_answer"}'),
        reply('{"tool": "output_answer", "arguments": null}'),
        reply('{"tool": ["output_answer"], "arguments": {}}'),
        reply('{"tool": "output_answer", "arguments": {}}', truncated=True),
        reply("", "semantic_retrieve", '["boat"]'),
    ],
)
def test_a_reply_in_which_no_call_can_be_found_is_rejected(bad):
    with pytest.raises(RejectedReplyError):
        parse_call(bad)


def test_of_several_native_calls_the_first_is_made():
    calls = (NativeCall("find_gist_contexts", '{"gist_id": "g1"}'), NativeCall("output_answer", ""))
    found = parse_call(ChatReply("", calls, truncated=False, usage=Usage()))
    assert (found.tool, found.arguments) == ("find_gist_contexts", {"gist_id": "g1"})


def test_a_native_call_without_arguments_has_none():
    assert parse_call(reply("", "output_answer", "")) == ToolCall("output_answer")


@given(st.text(), st.text(), st.text(), st.booleans())
def test_any_reply_is_a_call_or_rejected(text, tool, arguments, truncated):
    try:
        found = parse_call(reply(text, tool, arguments, truncated=truncated))
    except RejectedReplyError:
        return
    assert isinstance(found.arguments, dict)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), st.text(), st.text())
def test_what_a_model_writes_as_arguments_arrives_as_it_is(arguments, tool, thought):
    found = parse_call(reply(call(tool, arguments, thought)))
    assert (found.tool, found.arguments, found.thought) == (tool, arguments, thought.strip())
