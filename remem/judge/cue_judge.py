"""Judge whether a reply makes use of an earlier cue (LoCoMo-Plus): correct 1, partial 0.5, wrong 0.

The rule `released` follows the authors' code: the judge does not see the remark that was replied
to, and its reply is read as they read it. The rule `strict` shows the remark, and a reply without a
single label in JSON is an error. The prompt is ours; `official_judges` has the judge with theirs.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from remem.errors import RejectedReplyError
from remem.judge.cue_labels import released_score, strict_label, strict_score
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.types import Usage

REPLY_SCHEMA = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "enum": ["correct", "wrong"]},
        "reason": {"type": "string"},
    },
    "required": ["label", "reason"],
    "additionalProperties": False,
}
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
            ModelUnavailableError: The model gave no reply, or by the strict rule none with a label.
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
        RejectedReplyError: By the strict rule, the reply is cut, or has no label or several.
    """
    if rule == "released":
        return released_score(reply.text)
    text = whole_text(reply)
    score = strict_score(text)
    if score is None:
        found = strict_label(text)
        raise RejectedReplyError(f"expected a label correct, partial or wrong, found {found!r}")
    return score
