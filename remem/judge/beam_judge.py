"""Judge answers to BEAM: grade each rubric statement 1, 0.5 or 0, and score the order of events.

The rule "strict" keeps half points, shows the question to the model, and scores orders by
`strict_order`. The rule "released" follows BEAM's code: a half point counts 0 except in event
ordering, the prompt's placeholder for the question is never filled, and orders are scored by
`released_order`.
"""

import re
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Literal, get_args

from remem.errors import ModelUnavailableError, RejectedReplyError
from remem.metrics.benchmark_scores import released_order, strict_order
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import json_objects, object_schema, read_label, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest, Parsed
from remem.types import Gold, Usage

Rule = Literal["strict", "released"]
GRADES = {"0": 0.0, "0.0": 0.0, "0.5": 0.5, "1": 1.0, "1.0": 1.0}
ORDERING = "event_ordering"
UNFILLED = "<question>"
"""What the released judge reads in place of the question."""
LIST_MARK = re.compile(r"^\s*(?:[-*\u2022]|\(?[0-9]{1,3}[.):])\s+")

RUBRIC_SCHEMA = object_schema(
    {"reason": {"type": "string"}, "score": {"type": "string", "enum": ["1", "0.5", "0"]}}
)
EVENT_SCHEMA = object_schema(
    {"reason": {"type": "string"}, "label": {"type": "string", "enum": ["SAME", "DIFFERENT"]}}
)


class BeamJudge:
    """Asks a model about each statement of the rubric, or about each pair of events.

    Args:
        chat_model: The model to ask.
        prompts: The library with the prompts.
        prompt: The name of the prompt for a statement, or the path of a .txt file.
        event_prompt: The name or path of the prompt for a pair of events.
        rule: "strict" or "released".
    """

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        event_prompt: str,
        rule: Rule,
    ) -> None:
        if rule not in get_args(Rule):
            raise ValueError(f"judge.build.rule is {rule!r}, expected 'strict' or 'released'")
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._event_prompt = chosen_prompt(prompts, event_prompt)
        self._rule = rule

    def grade(self, question: str, gold: Gold, answer: str) -> tuple[float, Usage]:
        """Return the score of an answer, from 0 to 1, and the usage.

        Raises:
            ModelUnavailableError: The model gave no readable grade for a statement or a pair.
            ValueError: The gold has no rubric.
        """
        if not gold.items:
            raise ValueError("the question has no rubric: this judge is for dataset=beam")
        calls = CountedCalls(self._chat_model)
        try:
            if gold.category == ORDERING:
                return self._order(calls, gold.items, answer), calls.usage
            grades = [self._grade(calls, question, item, answer) for item in gold.items]
        except ModelUnavailableError as error:
            error.usage = calls.usage + error.usage
            raise
        return fmean(grades), calls.usage

    def _grade(self, calls: "CountedCalls", question: str, item: str, answer: str) -> float:
        messages = self._prompt.render(
            question=question if self._rule == "strict" else UNFILLED,
            rubric_item=item,
            generated_answer=answer,
        )
        grade = calls.ask(ChatRequest("judge", messages, reply_schema=RUBRIC_SCHEMA), parse_grade)
        return grade if self._rule == "strict" else float(int(grade))

    def _order(self, calls: "CountedCalls", items: Sequence[str], answer: str) -> float:
        def is_same(item: str, line: str) -> bool:
            messages = self._event_prompt.render(first=item, second=line)
            return calls.ask(ChatRequest("judge", messages, reply_schema=EVENT_SCHEMA), parse_same)

        lines = answer.split("\n") if self._rule == "released" else stated_lines(answer)
        listed = aligned(items, lines, is_same)
        if self._rule == "strict":
            return strict_order(items, listed)
        score = released_order(items, listed)
        if score is None:
            raise ModelUnavailableError("BEAM's code gives no number for this order of events")
        return score


class CountedCalls:
    """Makes the calls for one answer, and adds up their usage."""

    def __init__(self, chat_model: ChatModel) -> None:
        self._chat_model = chat_model
        self.usage = Usage()

    def ask(self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]) -> Parsed:
        """Ask the model, add its usage to the total, and return the parsed reply."""
        parsed, usage = self._chat_model.ask(request, parse)
        self.usage += usage
        return parsed


def aligned(
    items: Sequence[str], lines: Sequence[str], is_same: Callable[[str, str], bool]
) -> list[str]:
    """Replace each line with the first unused item that is the same event; keep all other lines.

    A blank line is not an event, so `is_same` is not called for it.

    >>> aligned(["a", "b"], ["B!", "", "x"], lambda item, line: item == line[0].lower())
    ['b', '', 'x']
    """
    unused = list(items)
    listed = []
    for line in lines:
        item_of_line = next((item for item in unused if line.strip() and is_same(item, line)), None)
        if item_of_line is not None:
            unused.remove(item_of_line)
        listed.append(line if item_of_line is None else item_of_line)
    return listed


def stated_lines(answer: str) -> list[str]:
    r"""Split an answer at line ends and semicolons; remove list marks and surrounding spaces.

    >>> stated_lines("1. the boat; the oars\n\n- Ida")
    ['the boat', 'the oars', 'Ida']
    """
    parts = (part for line in answer.split("\n") for part in LIST_MARK.sub("", line).split(";"))
    return [LIST_MARK.sub("", part).strip() for part in parts if part.strip()]


def parse_grade(reply: ChatReply) -> float:
    """Return the score that a reply states as a number or as text: 0, 0.5 or 1.

    Raises:
        RejectedReplyError: The reply has no such score, or several.
    """
    objects = json_objects(whole_text(reply))
    scores = {str(each["score"]).strip() for each in objects if "score" in each}
    grades = {GRADES.get(text) for text in scores}
    if len(grades) != 1 or None in grades:
        raise RejectedReplyError(f"expected the score 0, 0.5 or 1, found {sorted(scores)}")
    return next(grade for grade in grades if grade is not None)


def parse_same(reply: ChatReply) -> bool:
    """Return whether the label in a reply is SAME.

    Raises:
        RejectedReplyError: The reply has no label, an unknown label, or several labels.
    """
    return read_label(reply, ("SAME", "DIFFERENT")) == "SAME"
