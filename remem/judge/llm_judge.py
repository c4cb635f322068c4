"""Judge answers as CORRECT or WRONG with a language model (paper, section Metrics).

The rubric is our own, or it comes from another prompt file. The label may be in any JSON object of
the reply. A reply without a label is an error and never counts as WRONG.
"""

from collections.abc import Sequence
from typing import Literal

from remem.errors import ModelUnavailableError
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import object_schema, read_label
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.types import Usage

REPLY_SCHEMA = object_schema(
    {"explanation": {"type": "string"}, "label": {"type": "string", "enum": ["CORRECT", "WRONG"]}}
)


class LLMJudge:
    """Asks a model for a JSON reply that first explains the verdict, then gives the label."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        golds: Literal["together", "each"],
    ) -> None:
        """Store the model and the rubric.

        Args:
            chat_model: The model to ask.
            prompts: The library with the prompt.
            prompt: The name of the prompt, or the path of a .txt file.
            golds: Whether to ask once about all gold answers "together", or about "each" until one
                matches.
        """
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._golds = golds

    def judge(self, question: str, golds: Sequence[str], answer: str) -> tuple[bool, Usage]:
        """Return whether the answer means the same as one of the gold answers.

        Raises:
            ModelUnavailableError: The model gave no reply with a label.
        """
        usage = Usage()
        for gold in golds if self._golds == "each" else [" / ".join(golds)]:
            try:
                correct, spent = self._ask(question, gold, answer)
            except ModelUnavailableError as error:
                error.usage = usage + error.usage
                raise
            usage += spent
            if correct:
                return True, usage
        return False, usage

    def _ask(self, question: str, gold: str, answer: str) -> tuple[bool, Usage]:
        messages = self._prompt.render(
            question=question,
            gold_answer=gold,
            generated_answer=answer or "(no answer was given)",
        )
        request = ChatRequest("judge", messages, reply_schema=REPLY_SCHEMA)
        return self._chat_model.ask(request, parse_label)


def parse_label(reply: ChatReply) -> bool:
    """Return whether the label in a reply is CORRECT.

    Raises:
        RejectedReplyError: The reply has no label, an unknown label, or several labels.
    """
    return read_label(reply, ("CORRECT", "WRONG")) == "CORRECT"
