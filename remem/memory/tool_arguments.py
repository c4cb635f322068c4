"""The arguments of the five tools (paper, Table 1) and their validation.

A model may write anything, so an invalid call becomes one sentence that the agent can act on.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from remem.temporal.dates import parse_point
from remem.temporal.scopes import Operator, TimeFilter

Aggregation = Literal["count", "count_unique_subjects", "count_unique_objects"]


class BadArgumentsError(ValueError):
    """A tool call cannot be executed; the message is written for the agent."""


class TimeArguments(BaseModel):
    """The four time arguments that retrieval and exploration tools share."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, coerce_numbers_to_str=True, str_strip_whitespace=True
    )

    start_time: str | None = Field(
        None, description="a date that the item's start is compared with"
    )
    end_time: str | None = Field(None, description="a date that the item's end is compared with")
    start_operator: Operator = Field("ge", description="how the start compares with start_time")
    end_operator: Operator = Field("le", description="how the end compares with end_time")

    @field_validator("start_time", "end_time")
    @classmethod
    def _is_a_date(cls, text: str | None) -> str | None:
        if text is not None and parse_point(text) is None:
            raise ValueError(f"{text!r} is not a date that can be read; write it as 2023-05-08")
        return text

    def time_filter(self) -> TimeFilter:
        """Return the time condition of these arguments."""
        return TimeFilter(
            parse_point(self.start_time) if self.start_time else None,
            parse_point(self.end_time) if self.end_time else None,
            self.start_operator,
            self.end_operator,
        )


class SemanticRetrieve(TimeArguments):
    """Find the gists and facts whose meaning is nearest to the query."""

    query: str = Field(min_length=1, description="what to look for, in words of your own")


class LexicalRetrieve(TimeArguments):
    """Find the gists and facts that share the query's words."""

    query: str = Field(min_length=1, description="what to look for, in words of your own")


class FindGistContexts(TimeArguments):
    """Find what is linked to a gist: similar gists, and the gists and facts of its episode."""

    gist_id: str = Field(min_length=1, description="the id of a gist shown before, such as g12")


class FindEntityContexts(TimeArguments):
    """Find facts by their subject, predicate or object, and the gists of the same episodes."""

    subject: str | None = Field(
        None, description="who or what the fact is about, or a part of its name"
    )
    predicate: str | None = Field(None, description="the relation, or a part of it")
    object: str | None = Field(
        None, description="what the subject is related to, or a part of its name"
    )
    limit: int | None = Field(
        None, ge=1, description="how many facts to show, if not the usual number"
    )
    ordering: Literal["asc", "desc"] | None = Field(
        None,
        description="asc: earliest start first; desc: latest end first; if left out, what is "
        "nearest to the question first",
    )
    offset: int = Field(0, ge=0, description="how many of the matching facts to skip")
    aggregation: Aggregation | None = Field(
        None, description="count all matching facts instead of showing them"
    )


class OutputAnswer(BaseModel):
    """End the search and propose an answer, or none if the memory does not tell it."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)

    answer: str | None = Field(None, description="the answer, as short as it can be")


TOOL_ARGUMENTS: Mapping[str, type[BaseModel]] = {
    "semantic_retrieve": SemanticRetrieve,
    "lexical_retrieve": LexicalRetrieve,
    "find_gist_contexts": FindGistContexts,
    "find_entity_contexts": FindEntityContexts,
    "output_answer": OutputAnswer,
}


def parse_arguments(tool: str, arguments: Mapping[str, Any]) -> BaseModel:
    """Validate the arguments of a call; a null counts as a missing argument.

    Raises:
        BadArgumentsError: The tool is unknown or an argument is invalid.
    """
    model = TOOL_ARGUMENTS.get(tool)
    if model is None:
        raise BadArgumentsError(
            f"There is no tool {tool!r}; use one of {', '.join(TOOL_ARGUMENTS)}."
        )
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        problems = "; ".join(
            f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
            for item in error.errors(include_url=False)
        )
        raise BadArgumentsError(f"{tool} takes {known}. Wrong here: {problems}.") from error
