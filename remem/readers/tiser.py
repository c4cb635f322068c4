"""The reader with the stages of TISER (ACL 2025): reasoning, timeline, reflection, answer.

It works with any memory (paper, TISER as a reader). The prompt is ours, or TISER's if it was
downloaded.
"""

import re
from itertools import pairwise

from remem.metrics.answer_lists import checked_separator
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import CutReplyError, valid_text
from remem.protocols import ChatModel, ChatReply, ChatRequest, RejectedReplyError
from remem.readers.answer_lines import parse_answer
from remem.readers.rendering import interaction_history
from remem.types import REFUSAL_PHRASE, Answer, AnswerSeparator, Evidence, Query

_STAGE = re.compile(r"<\s*/?\s*(?:reasoning|timeline|reflection|answer)\s*>", re.IGNORECASE)
_TAG = re.compile(r"<\s*(/?)\s*answer\s*>", re.IGNORECASE)


class TiserReader:
    """Asks a model for an answer in tags; refuses without a call if there is no evidence."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        items_shown: int,
        characters_shown: int,
        answer_separator: AnswerSeparator,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            items_shown: The maximum number of gists, and of facts, shown per step.
            characters_shown: The maximum number of characters of a line of a step.
            answer_separator: The separator that the model must put between several answers.
        """
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._cap = Cap(items_shown, characters_shown)
        self._separator = checked_separator(answer_separator)

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Answer the query from the evidence alone."""
        history = interaction_history(evidence, self._cap)
        if not history:
            return Answer(REFUSAL_PHRASE)
        messages = self._prompt.render(
            question=query.dated_text,
            evidence=history,
            refusal=REFUSAL_PHRASE,
            separator=self._separator,
        )
        text, usage = self._chat_model.ask(ChatRequest("read", messages), parse_tagged_answer)
        return Answer(text, estimated_tokens(history), usage)


def parse_tagged_answer(reply: ChatReply) -> str:
    """Return the text between the last pair of answer tags.

    The answer is the last stage, so a reply that was cut after it is complete. A reply without any
    tags is parsed like a reply to a prompt that asks for no tags.

    Raises:
        CutReplyError: The reply was cut before an answer was complete.
        RejectedReplyError: There is no pair of answer tags, or no readable answer.
    """
    text = valid_text(reply)
    if not _STAGE.search(text):
        return parse_answer(reply)
    tags = list(_TAG.finditer(text))
    pairs = [
        (opened.end(), closed.start())
        for opened, closed in pairwise(tags)
        if not opened[1] and closed[1]
    ]
    if not pairs and reply.truncated:
        raise CutReplyError
    if not pairs:
        raise RejectedReplyError("the reply has no text between <answer> and </answer>")
    start, end = pairs[-1]
    return text[start:end].strip()
