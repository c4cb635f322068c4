"""The agent loop of Algorithm 2: plan, act and observe until output_answer or the step limit T_max.

T_max limits all tool calls, including output_answer. After the loop, the reader writes the final
answer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from remem.errors import ModelUnavailableError
from remem.memory.tool_arguments import BadArgumentsError, OutputAnswer, parse_arguments
from remem.memory.tools import Toolbox
from remem.protocols import Planner
from remem.types import Evidence, Fact, Gist, Observation, Step, ToolCall, Usage

Item = TypeVar("Item", Gist, Fact)

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion (Cormack et al., SIGIR 2009)."""


def run_agent(
    query: str,
    *,
    planner: Planner,
    toolbox: Toolbox,
    offered: Callable[[Sequence[Step]], tuple[str, ...]],
    max_steps: int,
) -> Evidence:
    """Let a planner call tools at most `max_steps` times, and return the evidence that it found.

    Args:
        query: The question.
        planner: Chooses each call.
        toolbox: Executes the calls.
        offered: Returns the tools to offer the planner, given the steps so far.
        max_steps: T_max.
    """
    steps: list[Step] = []
    proposed: str | None = None
    ended = False
    while len(steps) < max_steps and not ended:
        try:
            call = planner.next_call(query, tuple(steps), offered(steps))
        except ModelUnavailableError as error:
            error.usage = _total_usage(steps) + error.usage
            raise
        if call.tool == "output_answer":
            observation, proposed = _end_search(call)
            ended = not observation.error
        else:
            observation = _refuse_repeated(call, steps) or toolbox.execute(call, query)
        steps.append(Step(call, observation))
    return Evidence(
        gists=_fuse([step.observation.gists for step in steps]),
        facts=_fuse([step.observation.facts for step in steps]),
        steps=tuple(steps),
        proposed_answer=proposed,
        usage=_total_usage(steps),
    )


def _total_usage(steps: Sequence[Step]) -> Usage:
    return sum((step.call.usage for step in steps), Usage())


def _refuse_repeated(call: ToolCall, steps: Sequence[Step]) -> Observation | None:
    """Return an error observation if the same call was made before, else None."""
    for number, step in enumerate(steps, start=1):
        if step.call.tool == call.tool and _arguments(step.call) == _arguments(call):
            return Observation(
                f"Already called in step {number}, see there; make another call.", error=True
            )
    return None


def _arguments(call: ToolCall) -> dict[str, Any]:
    return {name: value for name, value in call.arguments.items() if value is not None}


def _end_search(call: ToolCall) -> tuple[Observation, str | None]:
    try:
        arguments = parse_arguments(call.tool, call.arguments)
    except BadArgumentsError as error:
        return Observation(str(error), error=True), None
    if not isinstance(arguments, OutputAnswer):
        raise TypeError(f"output_answer was parsed as {type(arguments).__name__}")
    if arguments.answer is None:
        return Observation("Search ended."), None
    return Observation("Answer proposed."), arguments.answer


def _fuse(rankings: Sequence[Iterable[Item]]) -> tuple[Item, ...]:
    """Merge the rankings of the steps: each item once, ordered by its best rank."""
    items: dict[str, Item] = {}
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            items.setdefault(item.id, item)
            scores[item.id] += 1 / (RANK_OFFSET + rank)
    return tuple(sorted(items.values(), key=lambda item: -scores[item.id]))
