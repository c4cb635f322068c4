"""The tool calls that answer a Complex-TR question: one call, or two if it refers to an event."""

from collections.abc import Sequence

from remem.memory.planned_calls import find, overlapping, put_out
from remem.temporal.complex_tr_answers import (
    FirstAfter,
    LastBefore,
    Overlapping,
    When,
    find_event,
    month_text,
    when_meant,
)
from remem.temporal.complex_tr_questions import ComplexTRQuestion
from remem.temporal.statements import statements_of
from remem.types import Step, ToolCall


def next_complex_tr_call(question: ComplexTRQuestion, steps: Sequence[Step]) -> ToolCall | None:
    """Return the next call, or None if all facts that the question needs are found."""
    anchor = question.anchor
    if anchor is not None and not steps:  # by relation only: the event's label may differ
        return find(anchor.held, {}, "When was the other event?")
    if len(steps) >= (1 if anchor is None else 2):
        return None
    seen = statements_of(fact for step in steps for fact in step.observation.facts)
    when = when_meant(question.condition, find_event(anchor, seen) if anchor else None)
    if when is None:
        return put_out("", "The other event is not known.")
    return find(question.target, _condition(when), "Who or what fits that time?")


def _condition(when: When) -> dict[str, str]:
    match when:
        case Overlapping(first, last):
            return overlapping(month_text(first), month_text(last))
        case LastBefore(month):
            return {"end_time": month_text(month), "end_operator": "le", "ordering": "desc"}
        case FirstAfter(month):
            return {"start_time": month_text(month), "start_operator": "ge"}
