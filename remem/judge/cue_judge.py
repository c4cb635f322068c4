"""Read the label in a reply of LoCoMo-Plus's judge: correct 1, partial 0.5, wrong 0.

The rule `released` reads any reply as the authors' code does (`llm_as_judge.py`). A label counts if
it comes after an opening brace and before a complete reason. If there is no such label, and the
reply is not a JSON object of texts, the code searches the entire reply for "correct", then "wrong",
then "partial", and takes the first that occurs, even within a word. So "incorrect" counts as
correct, and so does the label "wrong" if the reply is cut within a reason that contains "correct".
A reply without any label counts as wrong.

The rule `strict` reads labels only from JSON objects, and accepts a reply only with a single label.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from remem.errors import RejectedReplyError
from remem.files.json_text import json_value
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import json_objects, object_schema, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.types import Usage

SCORES = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}
"""The scores of the labels; "partial" is accepted, but the prompts do not offer it."""
SEARCHED = ("correct", "wrong", "partial")
"""The order in which the authors' code searches for labels in a text that is not JSON."""
_BRACE = re.compile("[{}]")
_LABEL = re.compile(r"""(?="label"\s*:\s*["']([^"']+)["'])""")
_REASON = re.compile(r"""(?="reason"\s*:\s*["'][^"']*["'])""")


def released_score(text: str) -> float:
    """Return the score of a reply as read by the authors' code; 0 if it has no known label."""
    return SCORES.get(released_label(text), 0.0)


def strict_score(text: str) -> float | None:
    """Return the score of the label in a reply's JSON objects; None unless there is exactly one."""
    return SCORES.get(strict_label(text))


def released_label(text: str) -> str:
    """Return the label of a reply as read by the authors' code; "" if there is none.

    >>> released_label('{"label": "Wrong", "reason": "x"}'), released_label("That is incorrect.")
    ('wrong', 'correct')
    """
    reply = text.strip()
    marked = _marked_label(reply)
    if marked is not None:
        return marked.strip().lower()
    parsed = _parsed(reply)
    label, reason = (
        (parsed.get("label") or "", parsed.get("reason") or "")
        if isinstance(parsed, dict)
        else (None, None)
    )
    stated = label.strip().lower() if isinstance(label, str) else ""
    if isinstance(label, str) and isinstance(reason, str):
        return stated
    return next((label for label in SEARCHED if label in reply.lower()), stated)


def strict_label(text: str) -> str:
    """Return the label of the JSON objects in a text; "" if they have none or several.

    >>> strict_label('{"label": "wrong", "reason": "x"}'), strict_label("That is incorrect.")
    ('wrong', '')
    """
    labels = {
        str(fields["label"]).strip().lower() for fields in json_objects(text) if "label" in fields
    }
    return labels.pop() if len(labels) == 1 else ""


def _marked_label(text: str) -> str | None:
    """Return the label after an opening brace and before a complete reason; None without one.

    No brace may come between the opening one and the label, or between the label and the reason.
    Of several such labels, the last one after the first such brace is returned. The time is linear
    in the length of the text, which comes from a model.
    """
    braces = [match.start() for match in _BRACE.finditer(text)]
    reasons = [match.start() for match in _REASON.finditer(text)]
    labels: dict[int, str] = {}
    for match in _LABEL.finditer(text):
        before = bisect_left(braces, match.start())
        end = match.end(1) + 1
        reason = _first_from(end, reasons, len(text))
        is_opened = before > 0 and text[braces[before - 1]] == "{"
        if is_opened and reason < _first_from(end, braces, len(text)):
            labels[braces[before - 1]] = match[1]
    return labels[min(labels)] if labels else None


def _first_from(start: int, places: list[int], end: int) -> int:
    """Return the first of sorted places that is not before a start, or the end."""
    at = bisect_left(places, start)
    return places[at] if at < len(places) else end


def _parsed(text: str) -> Any:
    try:
        return json_value(text)
    except ValueError:
        return None


REPLY_SCHEMA = object_schema(
    {"label": {"type": "string", "enum": ["correct", "wrong"]}, "reason": {"type": "string"}}
)
JudgeRule = Literal["released", "strict"]


class CueJudge:
    """Asks a model whether a reply makes use of the cue."""

    def __init__(
        self, *, chat_model: ChatModel, prompts: PromptLibrary, prompt: str, rule: JudgeRule
    ) -> None:
        """Store the model, the prompt and the rule.

        Args:
            chat_model: The model to ask.
            prompts: The library with the prompt.
            prompt: The name of the prompt, which has a system message and two user messages, one
                with the remark and one without.
            rule: `released` or `strict`.
        """
        if rule not in ("released", "strict"):
            raise ValueError(f"judge.build.rule is {rule!r}, expected 'released' or 'strict'")
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._rule = rule

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[float, Usage]:
        """Return the score of a reply.

        Args:
            question: The remark to which the reply was given.
            golds: The cue.
            answer: The reply.

        Raises:
            ModelUnavailableError: The model gave no reply, or no label if the rule is "strict".
        """
        system, with_remark, without = self._prompt.render(
            cue="\n".join(golds), remark=question, reply=answer or "(no reply was given)"
        )
        shown = without if self._rule == "released" else with_remark
        request = ChatRequest("judge", (system, shown), reply_schema=REPLY_SCHEMA)
        return self._chat_model.ask(request, partial(parse_score, rule=self._rule))


def parse_score(reply: ChatReply, rule: JudgeRule) -> float:
    """Return the score of the label in a judge's reply.

    Raises:
        RejectedReplyError: The rule is "strict", and the reply is cut or does not have exactly
            one label.
    """
    if rule == "released":
        return released_score(reply.text)
    text = whole_text(reply)
    score = strict_score(text)
    if score is None:
        label = strict_label(text)
        raise RejectedReplyError(f"expected a label correct, partial or wrong, found {label!r}")
    return score
