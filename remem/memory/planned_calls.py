"""The tool calls that the plans for templated questions consist of."""

from collections.abc import Mapping

from remem.temporal.statements import Triple
from remem.types import ToolCall

EVERYTHING = 10_000
"""A limit higher than the number of facts of any relation of an entity."""


def find(target: Triple, conditions: Mapping[str, str], thought: str) -> ToolCall:
    """Return a call that finds all facts matching the triple and the conditions."""
    fields = {
        "subject": target.subject,
        "predicate": target.relation,
        "object": target.object,
        "limit": EVERYTHING,
        "ordering": "asc",  # by time, because there is no search text
        **conditions,
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return ToolCall("find_entity_contexts", given, thought)


def overlapping(first: str, last: str) -> dict[str, str]:
    """Return the time condition that selects facts overlapping the closed interval."""
    return {
        "start_time": last,
        "start_operator": "le",
        "end_time": first,
        "end_operator": "ge",
    }


def put_out(answer: str, thought: str) -> ToolCall:
    """Return the call that ends the search; an empty answer means that none was found."""
    return ToolCall("output_answer", {"answer": answer}, thought)
