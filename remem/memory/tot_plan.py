"""The tool calls that answer a Test of Time question: one call, or two if an event dates it."""

from collections.abc import Sequence

from remem.memory.planned_calls import find, overlapping, put_out
from remem.temporal.statements import matching, statements_of
from remem.temporal.tot_questions import AtEvent, AtYear, CountBetween, ToTQuestion
from remem.types import Step, ToolCall


def next_tot_call(question: ToTQuestion, steps: Sequence[Step]) -> ToolCall | None:
    """Return the next call, or None if all facts that the question needs are found."""
    if isinstance(question, AtEvent) and not steps:
        return find(question.anchor, {}, "When did the other relation begin?")
    if len(steps) >= (2 if isinstance(question, AtEvent) else 1):
        return None
    match question:
        case AtYear(target, year):
            return find(target, _holding_at(year), "Who or what held in that year?")
        case AtEvent(target, anchor):
            anchors = matching(anchor, statements_of(steps[0].observation.facts))
            if not anchors:
                return put_out("", "The other relation never began.")
            begun = min(fact.start.year for fact in anchors)
            return find(target, _holding_at(begun), "Who or what held at that time?")
        case CountBetween(target, first_year, last_year):
            asked = "subjects" if target.subject is None else "objects"
            overlap = {
                **overlapping(str(first_year), str(last_year)),
                "aggregation": f"count_unique_{asked}",
            }
            return find(target, overlap, "How many of them overlap the interval?")
        case _:
            return find(question.target, {}, "All facts of that relation.")


def _holding_at(year: int) -> dict[str, str]:
    return overlapping(str(year), str(year))
