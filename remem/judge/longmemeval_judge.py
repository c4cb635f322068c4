"""Judge answers to LongMemEval by the rules of its authors, in our words: one rule for each kind.

The kinds are the question types that the authors judge differently, and questions to refuse.
"""

from typing import Literal

from remem.judge.llm_judge import REPLY_SCHEMA, parse_label
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.protocols import ChatModel, ChatRequest
from remem.types import Gold, Usage

Kind = Literal["general", "temporal", "update", "preference", "abstention"]
KINDS: dict[str, Kind] = {
    "temporal-reasoning": "temporal",
    "temporal": "temporal",  # the excerpt's name
    "knowledge-update": "update",
    "single-session-preference": "preference",
}


class LongMemEvalJudge:
    """Asks a model whether an answer is right, by the rule for the kind of question.

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
            kind=kind_of(gold),
            question=question,
            gold_answer=" / ".join(gold.answers),
            generated_answer=answer or "(no answer was given)",
        )
        request = ChatRequest("judge", messages, reply_schema=REPLY_SCHEMA)
        return self._chat_model.ask(request, parse_label)


def kind_of(gold: Gold) -> Kind:
    """Return the kind of question, which decides the rule."""
    return KINDS.get(gold.category, "general") if gold.answerable else "abstention"
