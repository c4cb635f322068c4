"""A planner without a model for templated temporal questions: it parses a question and calls tools.

It uses only the question and the observations, so its score is an upper bound for the tools. It
calls only find_entity_contexts; if that tool is not offered, it gives up after one call.
"""

from collections.abc import Sequence

from remem.memory.complex_tr_plan import next_complex_tr_call
from remem.memory.planned_calls import put_out
from remem.memory.tot_plan import next_tot_call
from remem.temporal.complex_tr_questions import ComplexTRQuestion
from remem.temporal.statements import statements_of
from remem.temporal.templates import TemplatedQuestion, answer_question, parse_question
from remem.types import Step, ToolCall


class SymbolicPlanner:
    """Answers Test of Time and Complex-TR questions with at most three tool calls."""

    def next_call(self, query: str, steps: Sequence[Step], tools: Sequence[str]) -> ToolCall:
        """Return the next call; end the search without an answer if the wording is unknown."""
        question = parse_question(query)
        if question is None:
            return put_out("", "The wording matches no template.")
        if steps and steps[-1].observation.error:
            return put_out("", "The tool did not carry out the call.")
        return _next_search(question, steps) or _answer(question, steps)


def _next_search(question: TemplatedQuestion, steps: Sequence[Step]) -> ToolCall | None:
    if isinstance(question, ComplexTRQuestion):
        return next_complex_tr_call(question, steps)
    return next_tot_call(question, steps)


def _answer(question: TemplatedQuestion, steps: Sequence[Step]) -> ToolCall:
    observations = [step.observation for step in steps]
    facts = statements_of(fact for seen in observations for fact in seen.facts)
    count = next((seen.count for seen in observations if seen.count is not None), None)
    answer = answer_question(question, facts, count)
    return put_out(answer or "", "The facts seen tell the answer.")
