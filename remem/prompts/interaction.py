"""Render the steps of an agent for a prompt, in the same way for the planner and for a reader.

Each message of a history is on one line, so that its text cannot look like a step.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.types import Fact, Gist, Step


@dataclass(frozen=True, slots=True)
class Cap:
    """The maximum numbers of gists and facts per step, and of characters per line."""

    items: int
    characters: int

    def line(self, text: str) -> str:
        """Join a text into one line and truncate it."""
        line = " ".join(text.split())
        return line if len(line) <= self.characters else line[: self.characters] + " [cut]"


def interaction_lines(steps: Sequence[Step], cap: Cap) -> Iterator[str]:
    """Yield the thought, call, observation and items of each step as lines."""
    for number, step in enumerate(steps, start=1):
        yield f"Step {number}"
        if step.call.thought:
            yield f"Thought: {cap.line(step.call.thought)}"
        given = {name: value for name, value in step.call.arguments.items() if value is not None}
        arguments = json.dumps(given, ensure_ascii=False)
        yield f"Call: {cap.line(step.call.tool)} {cap.line(arguments)}"
        yield f"Observation: {cap.line(step.observation.message)}"
        if step.observation.count is not None:
            yield f"Count: {step.observation.count}"
        yield from _items("Gists", [_gist_line(gist) for gist in step.observation.gists], cap)
        yield from _items("Facts", [_fact_line(fact) for fact in step.observation.facts], cap)


def _items(heading: str, lines: Sequence[str], cap: Cap) -> Iterator[str]:
    if lines:
        yield f"{heading}:"
    yield from (f"- {cap.line(line)}" for line in lines[: cap.items])
    if len(lines) > cap.items:
        yield f"- ({len(lines) - cap.items} more, not shown: a step shows at most {cap.items})"


def _gist_line(gist: Gist) -> str:
    return f"{gist.id} [{gist.time or 'undated'}] {gist.text}"


def _fact_line(fact: Fact) -> str:
    return f"{fact.id} {fact.text}" if fact.when else f"{fact.id} {fact.text} | undated"


PROMPT = re.compile(
    r"\s*Here is a set of temporal facts:\s*\n(?P<facts>.*?)\n\s*"
    r"Answer the following question[^\n]*\n\s*Question:\s*(?P<question>.*)",
    re.DOTALL,
)
