"""The tool calls from which the plans for templated questions are made."""

from collections.abc import Mapping

from remem.temporal.statements import Triple
from remem.types import ToolCall

EVERYTHING = 10_000
"""A limit above any number of facts that one relation of one entity has."""


def find(target: Triple, conditions: Mapping[str, str], thought: str) -> ToolCall:
    """Return a call that finds all facts matching the triple and the conditions."""
    fields = {
        "subject": target.subject,
        "predicate": target.relation,
        "object": target.object,
        "limit": EVERYTHING,
        "ordering": "asc",  # by time: there is nothing to search for
        **conditions,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return ToolCall("find_entity_contexts", given, thought)


def overlapping(first: str, last: str) -> dict[str, str]:
    """Return the time condition of overlapping the closed interval from `first` to `last`."""
    return {
        "start_time": last,
        "start_operator": "le",
        "end_time": first,
        "end_operator": "ge",
    }


def put_out(answer: str, thought: str) -> ToolCall:
    """Return the call that ends the search; an empty answer means giving up."""
    return ToolCall("output_answer", {"answer": answer}, thought)
