"""Judge whether a reply makes use of an earlier cue (LoCoMo-Plus): correct 1, partial 0.5, wrong 0.

The rule `released` follows the authors' code (`llm_as_judge.py`): the judge does not see the remark
that was replied to, and a reply of the judge that is no JSON is searched for the labels as parts of
words, "correct" first, so that "incorrect" is correct. The rule `strict` shows the remark, and
takes only a label of a JSON object. The prompt is ours.

Deviation: a reply of the judge without a label is an error. In the authors' code it is wrong.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import json_objects, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest, RejectedReplyError
from remem.types import Usage

SCORES = {"correct": 1.0, "partial": 0.5, "wrong": 0.0}
"""A partial label is taken, but the prompt does not offer it, as in the authors' code."""
SEARCHED = ("correct", "wrong", "partial")
"""The order in which the authors' code searches for labels in a text that is no JSON."""
REPLY_SCHEMA = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "enum": ["correct", "wrong"]},
        "reason": {"type": "string"},
    },
    "required": ["label", "reason"],
    "additionalProperties": False,
}
_LABEL_AND_REASON = re.compile(
    r"""\{[^{}]*?"label"\s*:\s*["']([^"']+)["'][^{}]*?"reason"\s*:\s*["']"""
)

JudgeRule = Literal["released", "strict"]


class CueJudge:
    """Asks a model whether a reply makes use of the cue."""

    def __init__(
        self, *, chat_model: ChatModel, prompts: PromptLibrary, prompt: str, rule: JudgeRule
    ) -> None:
        """Take the model and the rule.

        Args:
            chat_model: The model to ask.
            prompts: The library with the prompt.
            prompt: The name of the prompt, which has a system message and two user messages: with
                the remark, and without.
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
            question: The remark that was replied to.
            golds: The cue.
            answer: The reply.

        Raises:
            ModelUnavailableError: The model gave no reply with a label.
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
        RejectedReplyError: The reply has no label, or by the strict rule several.
    """
    text = whole_text(reply)
    label = released_label(text) if rule == "released" else strict_label(text)
    if label not in SCORES:
        raise RejectedReplyError(f"expected a label correct, partial or wrong, found {label!r}")
    return SCORES[label]


def released_label(text: str) -> str:
    """Return the label as the authors' code reads it; "" if there is none.

    >>> released_label('{"label": "Wrong", "reason": "x"}'), released_label("That is incorrect.")
    ('wrong', 'correct')
    """
    marked = _LABEL_AND_REASON.search(text)
    if marked:
        return marked[1].strip().lower()
    parsed = _parsed(text)
    if isinstance(parsed, dict) and isinstance(parsed.get("label") or "", str):
        return str(parsed.get("label") or "").strip().lower()
    return next((label for label in SEARCHED if label in text.lower()), "")


def strict_label(text: str) -> str:
    """Return the label of the JSON objects in a text; "" if they have none or several.

    >>> strict_label('{"label": "wrong", "reason": "x"}'), strict_label("That is incorrect.")
    ('wrong', '')
    """
    labels = {
        str(found["label"]).strip().lower() for found in json_objects(text) if "label" in found
    }
    return labels.pop() if len(labels) == 1 else ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
