"""Planners without a model: two follow a fixed plan, and one solves templated questions."""

from collections.abc import Mapping, Sequence
from typing import Literal

from remem.temporal.complex_tr_questions import (
    ComplexTRQuestion,
    FirstAfter,
    LastBefore,
    Overlapping,
    When,
    find_event,
    month_text,
    when_meant,
)
from remem.temporal.statements import Triple, matching, statements_of
from remem.temporal.templates import TemplatedQuestion, answer_question, parse_question
from remem.temporal.tot_questions import AtEvent, AtYear, CountBetween, ToTQuestion
from remem.types import Step, ToolCall


class ScriptedPlanner:
    """Makes a semantic and a lexical retrieval, then looks up the contexts of the best gist.

    Tools that are not offered are skipped. The planner proposes no answer; the reader answers.
    """

    begins_with = ("semantic_retrieve", "lexical_retrieve")
    """The tools that can start the plan; at least one of them must be offered."""

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Return the first call of the plan whose tool is offered and was not called yet."""
        return _next((*_searches(query), *_contexts_of_best_gist(steps)), steps, tools)


class SingleStep:
    """Makes one retrieval with the original question: the policy of REMem-S."""

    def __init__(self, *, tool: Literal["semantic_retrieve", "lexical_retrieve"]) -> None:
        self.begins_with = (tool,)
        self._tool = tool

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Return a call to the configured tool in the first step, then a call to output_answer."""
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


class SymbolicPlanner:
    """Answers Test of Time and Complex-TR questions with at most three tool calls.

    The planner sees only the question and the observations, so its score shows the best that an
    agent can do with the tools. It calls only find_entity_contexts, and gives up after the first
    call if that tool is not offered.
    """

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Return the next call.

        If no template fits the question, this is output_answer without an answer.
        """
        question = parse_question(query)
        if question is None:
            return _output_answer("", "The wording matches no template.")
        if steps and steps[-1].observation.error:
            return _output_answer("", "The tool did not carry out the call.")
        return _next_search(question, steps) or _answer(question, steps)


def _next_search(question: TemplatedQuestion, steps: Sequence[Step]) -> ToolCall | None:
    if isinstance(question, ComplexTRQuestion):
        return next_complex_tr_call(question, steps)
    return next_tot_call(question, steps)


def _answer(question: TemplatedQuestion, steps: Sequence[Step]) -> ToolCall:
    observations = [step.observation for step in steps]
    facts = statements_of(fact for observation in observations for fact in observation.facts)
    count = next(
        (observation.count for observation in observations if observation.count is not None), None
    )
    answer = answer_question(question, facts, count)
    return _output_answer(answer or "", "The facts seen tell the answer.")


EVERYTHING = 10_000
"""A limit higher than the number of facts of any relation of an entity."""


def _find_facts(target: Triple, conditions: Mapping[str, str], thought: str) -> ToolCall:
    """Return a call that finds all facts matching the triple and the conditions."""
    fields = {
        "subject": target.subject,
        "predicate": target.relation,
        "object": target.object,
        "limit": EVERYTHING,
        "ordering": "asc",  # by time, because there is no search text
        **conditions,
    }
    arguments = {name: value for name, value in fields.items() if value is not None}
    return ToolCall("find_entity_contexts", arguments, thought)


def _overlap(first: str, last: str) -> dict[str, str]:
    """Return the time condition that selects facts overlapping the closed interval."""
    return {
        "start_time": last,
        "start_operator": "le",
        "end_time": first,
        "end_operator": "ge",
    }


def _output_answer(answer: str, thought: str) -> ToolCall:
    """Return the call that ends the search; an empty answer means that none was found."""
    return ToolCall("output_answer", {"answer": answer}, thought)


def next_tot_call(question: ToTQuestion, steps: Sequence[Step]) -> ToolCall | None:
    """Return the next call, or None if all facts that the question needs are found."""
    if isinstance(question, AtEvent) and not steps:
        return _find_facts(question.anchor, {}, "When did the other relation begin?")
    if len(steps) >= (2 if isinstance(question, AtEvent) else 1):
        return None
    match question:
        case AtYear(target, year):
            return _find_facts(target, _holding_at(year), "Who or what held in that year?")
        case AtEvent(target, anchor):
            anchors = matching(anchor, statements_of(steps[0].observation.facts))
            if not anchors:
                return _output_answer("", "The other relation never began.")
            first_year = min(fact.start.year for fact in anchors)
            return _find_facts(target, _holding_at(first_year), "Who or what held at that time?")
        case CountBetween(target, first, last):
            counted_names = "subjects" if target.subject is None else "objects"
            condition = {
                **_overlap(str(first), str(last)),
                "aggregation": f"count_unique_{counted_names}",
            }
            return _find_facts(target, condition, "How many of them overlap the interval?")
        case _:
            return _find_facts(question.target, {}, "All facts of that relation.")


def _holding_at(year: int) -> dict[str, str]:
    return _overlap(str(year), str(year))


def next_complex_tr_call(question: ComplexTRQuestion, steps: Sequence[Step]) -> ToolCall | None:
    """Return the next call, or None if all facts that the question needs are found."""
    anchor = question.anchor
    if anchor is not None and not steps:  # by relation only: the event's label may differ
        return _find_facts(anchor.held, {}, "When was the other event?")
    if len(steps) >= (1 if anchor is None else 2):
        return None
    known = statements_of(fact for step in steps for fact in step.observation.facts)
    when = when_meant(question.condition, find_event(anchor, known) if anchor else None)
    if when is None:
        return _output_answer("", "The other event is not known.")
    return _find_facts(question.target, _condition(when), "Who or what fits that time?")


def _condition(when: When) -> dict[str, str]:
    match when:
        case Overlapping(first, last):
            return _overlap(month_text(first), month_text(last))
        case LastBefore(month):
            return {"end_time": month_text(month), "end_operator": "le", "ordering": "desc"}
        case FirstAfter(month):
            return {"start_time": month_text(month), "start_operator": "ge"}
