"""Planners without a model for any question: the plan is fixed."""

from collections.abc import Sequence
from typing import Literal

from remem.types import Step, ToolCall


class ScriptedPlanner:
    """Makes a semantic and a lexical retrieval, then explores the contexts of the best gist.

    Tools that are not offered are skipped. The planner proposes no answer; the reader answers.
    """

    begins_with = ("semantic_retrieve", "lexical_retrieve")
    """The tools that can start the plan; at least one of them must be offered."""

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Return the first call of the plan that is offered and not yet made."""
        return _next((*_searches(query), *_contexts_of_best_gist(steps)), steps, tools)


class SingleStep:
    """Makes one retrieval with the original question, the policy of REMem-S."""

    def __init__(self, *, tool: Literal["semantic_retrieve", "lexical_retrieve"]) -> None:
        self.begins_with = (tool,)
        self._tool = tool

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Return one retrieval with the configured tool, then output_answer."""
        if not steps and self._tool in tools:
            return ToolCall(self._tool, {"query": query})
        return ToolCall("output_answer")


def _next(plan: Sequence[ToolCall], steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
    done = {step.call.tool for step in steps}
    for call in plan:
        if call.tool in tools and call.tool not in done:
            return call
    return ToolCall("output_answer", thought="The plan is carried out.")


def _searches(query: str) -> tuple[ToolCall, ...]:
    return (
        ToolCall("semantic_retrieve", {"query": query}, "Search by meaning."),
        ToolCall("lexical_retrieve", {"query": query}, "Search by words."),
    )


def _contexts_of_best_gist(steps: Sequence[Step]) -> tuple[ToolCall, ...]:
    best = next((gist for step in steps for gist in step.observation.gists), None)
    if best is None:
        return ()
    return (ToolCall("find_gist_contexts", {"gist_id": best.id}, "Look around the best gist."),)
