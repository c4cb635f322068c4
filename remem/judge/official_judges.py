"""Judges with the prompts of LongMemEval and LoCoMo-Plus, sent as their authors send them.

A request contains only the prompt, without a JSON schema. An empty answer is shown unchanged. The
rule `released` reads any reply as the authors' code does. The rule `strict` rejects a reply that
has no verdict or several verdicts. Both rules send the same request, so if both are used, the reply
is paid for only once.
"""

import re
from collections.abc import Sequence
from typing import Literal, get_args

from remem.errors import ModelUnavailableError
from remem.judge.cue_judge import released_score, strict_score
from remem.judge.llm_judge import REPLY_SCHEMA, parse_label
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.protocols import ChatMessage, ChatModel, ChatReply, ChatRequest
from remem.types import Gold, Usage

Rule = Literal["released", "strict"]
FULL_WIDTH_COLON = "\uff1a"
"""The text after a speaker's name when the authors of LoCoMo-Plus show a cue."""
_YES_OR_NO = re.compile(r"\b(yes|no)\b")


class _OfficialJudge:
    """A judge with a prompt of its benchmark's authors, and a rule for reading the replies."""

    def __init__(
        self, *, chat_model: ChatModel, prompts: PromptLibrary, prompt: str, rule: Rule
    ) -> None:
        _check_rule(rule)
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._rule = rule


class OfficialLongMemEvalJudge(_OfficialJudge):
    """Asks a model whether an answer is right, with LongMemEval's prompt for the kind of question.

    Args:
        chat_model: The model to ask.
        prompts: The library with the prompt.
        prompt: The name of the prompt, which has a message for each kind of question.
        rule: "released" or "strict".
    """

    def grade(self, question: str, gold: Gold, answer: str) -> tuple[bool, Usage]:
        """Return whether the answer is right, and the usage.

        Raises:
            ModelUnavailableError: The model gave no reply, or no verdict if the rule is "strict".
            ValueError: An unanswerable question has no explanation.
        """
        messages = self._prompt.render(
            kind=question_kind(gold),
            question=question,
            gold_answer=reference_of(gold),
            generated_answer=answer,
        )
        reply, usage = _ask_judge(self._chat_model, messages)
        right = released_yes(reply) if self._rule == "released" else strict_yes(reply)
        if right is None:
            raise _no_verdict(reply, "yes or no", usage)
        return right, usage


class OfficialCueJudge(_OfficialJudge):
    """Asks a model to score a reply, with LoCoMo-Plus's prompt.

    The prompt shows the cue and the reply, but not the remark to which the reply was given.

    Args:
        chat_model: The model to ask.
        prompts: The library with the prompt.
        prompt: The name of the prompt.
        rule: "released" or "strict".
    """

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[float, Usage]:
        """Return the score of a reply.

        Args:
            question: The remark to which the reply was given; the prompt does not include it.
            golds: The cue, with lines such as "Ann: I want to row."
            answer: The reply.

        Raises:
            ModelUnavailableError: The model gave no reply, or no verdict if the rule is "strict".
        """
        lines = (line for gold in golds for line in gold.split("\n"))
        cue = "\n".join(line.replace(": ", FULL_WIDTH_COLON, 1) for line in lines)
        reply, usage = _ask_judge(self._chat_model, self._prompt.render(cue=cue, reply=answer))
        score = released_score(reply) if self._rule == "released" else strict_score(reply)
        if score is None:
            raise _no_verdict(reply, "one of the labels correct, partial and wrong, in JSON", usage)
        return score, usage


def reference_of(gold: Gold) -> str:
    """Return the gold answers as one text; for an unanswerable question, the explanation.

    Raises:
        ValueError: An unanswerable question has no explanation.
    """
    if gold.answerable:
        return " / ".join(gold.answers)
    if not gold.items:
        raise ValueError(
            "this judge tells its model why a question should be refused, but the record does not "
            "explain this; run dataset=longmemeval again, or use judge=longmemeval"
        )
    return " / ".join(gold.items)


def released_yes(text: str) -> bool:
    """Return whether a reply contains "yes" anywhere, which LongMemEval's code reads as yes.

    >>> released_yes("Yes."), released_yes("No, not yesterday."), released_yes("Correct.")
    (True, True, False)
    """
    return "yes" in text.lower()


def strict_yes(text: str) -> bool | None:
    """Return whether a reply says yes; None if it says neither yes nor no, or both.

    >>> strict_yes("**Yes**"), strict_yes("No, not yesterday."), strict_yes("Correct.")
    (True, False, None)
    """
    words = set(_YES_OR_NO.findall(text.lower()))
    return words == {"yes"} if len(words) == 1 else None


def _ask_judge(chat_model: ChatModel, messages: tuple[ChatMessage, ...]) -> tuple[str, Usage]:
    # The strict rule must not reject the reply here: the call store would keep it as rejected, and
    # the released rule could not read it any more.
    reply, usage = chat_model.ask(ChatRequest("judge", messages), _as_it_is)
    return reply.text, usage


def _as_it_is(reply: ChatReply) -> ChatReply:
    return reply


def _no_verdict(reply: str, expected: str, usage: Usage) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"the judge said {reply[:80]!r}, expected {expected}; this reply stays in the call store, "
        f"so only convention=reference or another model can give a verdict",
        usage,
    )


def _check_rule(rule: str) -> None:
    if rule not in get_args(Rule):
        raise ValueError(f"judge.build.rule is {rule!r}, expected 'released' or 'strict'")


Kind = Literal["general", "temporal", "update", "preference", "abstention"]
KINDS: dict[str, Kind] = {
    "temporal-reasoning": "temporal",
    "temporal": "temporal",  # the excerpt's name
    "knowledge-update": "update",
    "single-session-preference": "preference",
}


class LongMemEvalJudge:
    """Asks a model whether an answer is right; the prompt depends on the kind of question.

    Args:
        chat_model: The model to ask.
        prompts: The library with the prompt.
        prompt: The name of the prompt, or the path of a .txt file.
    """

    def __init__(self, *, chat_model: ChatModel, prompts: PromptLibrary, prompt: str) -> None:
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)

    def grade(self, question: str, gold: Gold, answer: str) -> tuple[bool, Usage]:
        """Return whether the answer is right, and the usage.

        Raises:
            ModelUnavailableError: The model gave no reply with a label.
        """
        messages = self._prompt.render(
            kind=question_kind(gold),
            question=question,
            gold_answer=" / ".join(gold.answers),
            generated_answer=answer or "(no answer was given)",
        )
        request = ChatRequest("judge", messages, reply_schema=REPLY_SCHEMA)
        return self._chat_model.ask(request, parse_label)


def question_kind(gold: Gold) -> Kind:
    """Return the kind of question, which determines the prompt."""
    return KINDS.get(gold.category, "general") if gold.answerable else "abstention"
