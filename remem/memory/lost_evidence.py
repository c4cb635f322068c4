"""Find the step of REMem that missed a stored message, by repeating the calls with changes.

These changes are tried in order: drop the time conditions, return ten times as many items, send the
same words to the retrieval tool that was not called, and search with the question instead of the
planner's words. The first change that finds a missing message identifies the step.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Literal, get_args

from remem.memory.remem_memory import REMem
from remem.memory.tools import RETRIEVAL, RETRIEVAL_AND_EXPLORATION, Toolbox
from remem.types import StepRecord, ToolCall

LostBy = Literal[
    "time condition", "ranked below top_k", "tool not called", "words of the planner", "search"
]
LOST_BY: tuple[LostBy, ...] = get_args(LostBy)
DEEPER = 10
"""How many times as many items a deeper search returns."""
TIMES = ("start_time", "end_time", "start_operator", "end_operator")


def lost_by(memory: REMem, question: str, steps: Sequence[StepRecord], missing: Set[str]) -> LostBy:
    """Return which step missed messages that are in the memory.

    Args:
        memory: The memory, with the index of the question's history.
        question: The question.
        steps: The steps that the agent took.
        missing: The ids of the messages that the agent should have found.
    """
    calls = [
        (step.tool, step.arguments) for step in steps if step.tool in RETRIEVAL_AND_EXPLORATION
    ]
    untimed = [(tool, _without(arguments, TIMES)) for tool, arguments in calls]
    queries = {str(arguments["query"]): None for _, arguments in calls if "query" in arguments}
    in_all_tools = [(tool, {"query": query}) for query in queries for tool in RETRIEVAL]
    own_words = [(tool, {"query": question}) for tool in RETRIEVAL]
    as_made, deep = memory.toolbox(), memory.toolbox(DEEPER)
    if untimed != calls and _find(as_made, question, untimed, missing):
        return "time condition"
    deeper = [(tool, _without(arguments, ("limit",))) for tool, arguments in calls]
    if _find(deep, question, deeper, missing):
        return "ranked below top_k"
    if _find(as_made, question, in_all_tools, missing):
        return "tool not called"
    if _find(as_made, question, own_words, missing):
        return "words of the planner"
    return "search"


def _find(
    toolbox: Toolbox,
    question: str,
    calls: Sequence[tuple[str, Mapping[str, Any]]],
    missing: Set[str],
) -> bool:
    """Return whether one of the calls finds one of the messages."""
    return any(
        missing & set(_sources(toolbox, question, ToolCall(tool, arguments)))
        for tool, arguments in calls
    )


def _sources(toolbox: Toolbox, question: str, call: ToolCall) -> Iterator[str]:
    observation = toolbox.execute(call, question)
    for items in (observation.gists, observation.facts):
        for item in items:
            yield from item.source


def _without(arguments: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in names}
