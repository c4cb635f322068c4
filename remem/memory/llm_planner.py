"""The planner that uses a language model (paper, Agentic Inference: retrieve, explore, answer).

A reply may name any tool and any arguments: if they are wrong, the tools report it. The planner
rejects only replies without a call, and asks the model again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from remem.errors import RejectedReplyError, StopRunError, UnusableReplyError
from remem.memory.tool_arguments import describe, reply_alternatives, reply_schema, tool_specs
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap, interaction_lines
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import json_objects, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest, ToolSpec
from remem.types import Step, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKeys:
    """The JSON keys that a prompt requests for the thought, tool and arguments of a call."""

    thought: str
    tool: str
    arguments: str


OWN_KEYS = CallKeys(thought="thought", tool="tool", arguments="arguments")
"""The key names in our own prompt."""

NO_TOOL_CALLS = (
    "returned no tool calls, which planner=llm_tools needs; use planner=llm, set "
    "llm.build.endpoint.tool_choice=required, or serve the model with tool calls"
)


class LLMPlanner:
    """Asks a language model for the next call, as JSON or as a native tool call."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        call_keys: CallKeys,
        mode: Literal["json", "tools"],
        max_steps: int,
        items_shown: int,
        characters_shown: int,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            call_keys: The key names of a call in the reply that the prompt asks for.
            mode: Whether calls are requested as JSON or as native tool calls.
            max_steps: T_max; the prompt says how many calls are left.
            items_shown: The maximum number of gists, and of facts, shown for each step.
            characters_shown: The maximum number of characters in a line.
        """
        if mode not in ("json", "tools"):
            raise ValueError(f"unknown mode {mode!r} of the planner, expected 'json' or 'tools'")
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._keys = call_keys
        self._mode = mode
        self._max_steps = max_steps
        self._cap = Cap(items_shown, characters_shown)
        self._may_have_native_calls = False

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Ask the model for the next call, given the results of all earlier calls.

        Raises:
            StopRunError: `mode` is "tools", and the model's first replies have no native calls.
            ModelUnavailableError: No reply has a call, or the model did not reply.
        """
        try:
            call, usage = self._chat_model.ask(self._request(query, steps, tools), self._call_of)
        except UnusableReplyError as error:
            if self._mode == "tools" and not self._may_have_native_calls:
                raise StopRunError(f"{error.address} {NO_TOOL_CALLS} ({error})") from error
            raise
        return replace(call, usage=usage)

    def _call_of(self, reply: ChatReply) -> ToolCall:
        if self._mode == "tools":
            self._may_have_native_calls |= bool(reply.tool_calls) or reply.truncated
            return parse_native_call(reply)
        return parse_call(reply, self._keys)

    def _request(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ChatRequest:
        description = _describe_tools(tuple(tools), self._keys)
        native = self._mode == "tools"
        messages = self._prompt.render(
            native=native,
            tools=description.text,
            question=query,
            steps="\n".join(interaction_lines(steps, self._cap)),
            cap=self._cap,
            calls_left=self._max_steps - len(steps),
        )
        if native:
            return ChatRequest("recall", messages, tools=description.specs)
        return ChatRequest(
            "recall",
            messages,
            reply_schema=description.schema,
            reply_alternatives=description.alternatives,
        )


@dataclass(frozen=True, slots=True)
class _ToolDescription:
    """The description of the tools: for native calls, for the prompt and as a reply schema."""

    specs: tuple[ToolSpec, ...]
    text: str
    schema: Mapping[str, Any]
    alternatives: Mapping[str, Any]


@cache  # every step of every question uses the same description
def _describe_tools(tools: tuple[str, ...], keys: CallKeys) -> _ToolDescription:
    specs = tool_specs(tools)
    schema, alternatives = (
        shape(specs, thought=keys.thought, tool=keys.tool, arguments=keys.arguments)
        for shape in (reply_schema, reply_alternatives)
    )
    return _ToolDescription(specs, describe(specs), schema, alternatives)


def parse_call(reply: ChatReply, keys: CallKeys = OWN_KEYS) -> ToolCall:
    """Return the first call in a reply: a native call, else a JSON object that names a tool.

    Raises:
        RejectedReplyError: The reply has no call, or the arguments are not a JSON object.
    """
    text = whole_text(reply)
    arguments: Any
    if reply.tool_calls:
        first = reply.tool_calls[0]
        arguments = next(json_objects(first.arguments or "{}"), None)
        return _call(first.name, arguments, text)
    call = next(
        (json_object for json_object in json_objects(text) if keys.tool in json_object), None
    )
    if call is None:
        raise RejectedReplyError(f"the reply has no JSON object with the key {keys.tool!r}")
    arguments = call.get(keys.arguments)
    if isinstance(arguments, str):  # as in OpenAI's native calls
        arguments = next(json_objects(arguments), None)
    return _call(call[keys.tool], arguments, call.get(keys.thought))


def parse_native_call(reply: ChatReply) -> ToolCall:
    """Return the first native call in a reply; JSON in its text is ignored.

    Raises:
        RejectedReplyError: The reply has no call, or the arguments are not a JSON object.
    """
    if not reply.tool_calls and not reply.truncated:
        raise RejectedReplyError("the reply has text and no tool call")
    return parse_call(reply)


def _call(tool: object, arguments: object, thought: object) -> ToolCall:
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise RejectedReplyError("a call is the name of a tool and an object of arguments")
    return ToolCall(tool, arguments, thought.strip() if isinstance(thought, str) else "")
