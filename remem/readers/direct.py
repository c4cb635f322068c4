"""The reader that asks for one thought and a short answer (paper, Algorithm 2, synthesis).

The model sees all steps of the agent, including counts and a proposed answer.
"""

import re
from itertools import pairwise

from remem.errors import RejectedReplyError
from remem.metrics.qa import checked_separator
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap, interaction_lines
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import CutReplyError, valid_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.readers.answer_lines import GRAMMAR, parse_answer
from remem.types import REFUSAL_PHRASE, Answer, AnswerSeparator, Evidence, Query


class DirectReader:
    """Asks a model for a thought and an answer; refuses without a call if there is no evidence."""

    shows_steps = True
    grammar = GRAMMAR
    parse = staticmethod(parse_answer)

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
        """Answer the query only from the evidence."""
        history = interaction_history(evidence, self._cap)
        if not history:
            return Answer(REFUSAL_PHRASE)
        messages = self._prompt.render(
            question=query.dated_text,
            evidence=history,
            refusal=REFUSAL_PHRASE,
            separator=self._separator,
        )
        request = ChatRequest("read", messages, reply_grammar=self.grammar)
        text, usage = self._chat_model.ask(request, self.parse)
        return Answer(text, estimated_tokens(history), usage)


_STAGE = re.compile(r"<\s*+/?\s*+(?:reasoning|timeline|reflection|answer)\s*+>", re.IGNORECASE)
_TAG = re.compile(r"<\s*+(/?)\s*+answer\s*+>", re.IGNORECASE)


def parse_tagged_answer(reply: ChatReply) -> str:
    """Return the text between the last pair of answer tags.

    A reply that was cut after the closing tag is accepted. A reply without any tags is parsed by
    `parse_answer`.

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


class TiserReader(DirectReader):
    """A direct reader whose prompt asks for an answer in tags; no grammar enforces the tags."""

    grammar = ""
    parse = staticmethod(parse_tagged_answer)


def evidence_texts(evidence: Evidence) -> tuple[str, ...]:
    """Return the texts of the gists, then of the facts, then of the passages."""
    return (
        *(gist.text for gist in evidence.gists),
        *(fact.text for fact in evidence.facts),
        *(passage.text for passage in evidence.passages),
    )


def interaction_history(evidence: Evidence, cap: Cap) -> str:
    """Return the text shown to a model: the agent's steps with observations, or the evidence.

    The evidence is shown if there are no steps, or if it has passages, which steps do not contain.
    The result is empty if nothing was retrieved, even if the planner proposed an answer.
    """
    texts = evidence_texts(evidence)
    counted = any(step.observation.count is not None for step in evidence.steps)
    if not texts and not counted:
        return ""
    if evidence.passages or not evidence.steps:
        return "\n".join(texts)
    lines = [*interaction_lines(evidence.steps, cap)]
    if evidence.proposed_answer:
        lines.append(f"Proposed answer: {cap.line(evidence.proposed_answer)}")
    return "\n".join(lines)
