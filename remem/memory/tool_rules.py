"""Rules of the tools where the paper and the released code differ (conf/convention, `run`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from remem.temporal.scopes import Undated
from remem.types import Step

OfferedTools = Literal["all", "once_found"]
UnknownTool = Literal["error", "semantic_retrieve"]


@dataclass(frozen=True, slots=True)
class ToolRules:
    """The rules of one convention.

    Attributes:
        undated_items: How a time condition treats an item without a time.
        time_filter: Whether a time condition also applies to gists.
        gist_contexts: Whether the contexts of a gist include the gists of its episode.
        limit: Whether a call may request more facts than top_k.
        offered_tools: Whether exploring tools are offered before there is anything to explore.
        unknown_tool: What happens when a call names an unknown tool.
    """

    undated_items: Undated
    time_filter: Literal["gists_and_facts", "facts"]
    gist_contexts: Literal["episode_and_similar", "similar"]
    limit: Literal["any", "top_k"]
    offered_tools: OfferedTools
    unknown_tool: UnknownTool

    def offered(self, tools: Sequence[str], steps: Sequence[Step]) -> tuple[str, ...]:
        """Return the tools, with output_answer, that a planner is offered after some steps.

        The released code offers find_gist_contexts once a gist has been found, find_entity_contexts
        once a fact has been found, and output_answer once either has been found.
        """
        if self.offered_tools == "all":
            return (*tools, "output_answer")
        gists = any(step.observation.gists for step in steps)
        facts = any(step.observation.facts for step in steps)
        waits = {
            "find_gist_contexts": gists,
            "find_entity_contexts": facts,
            "output_answer": gists or facts,
        }
        return tuple(tool for tool in (*tools, "output_answer") if waits.get(tool, True))
