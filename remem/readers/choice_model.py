"""The reader that asks a model to choose an option, in the form that PersonaMem asks for.

The whole reply is the answer, so that each score can look for the letter by its own rule.
"""

from remem.errors import RejectedReplyError
from remem.metrics.choices import TAG, lettered
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.readers.options import options_of
from remem.readers.rendering import interaction_history
from remem.types import Answer, Evidence, Query

NOTHING = "(nothing was found)"


class ChoiceModelReader:
    """Asks a model for a thought and a letter, with or without evidence."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        prompt: str,
        items_shown: int,
        characters_shown: int,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            items_shown: The maximum number of gists, and of facts, shown per step.
            characters_shown: The maximum number of characters of a line of a step.
        """
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._cap = Cap(items_shown, characters_shown)

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Choose one of the options of the query."""
        options = "\n".join(lettered(options_of(query)))
        history = interaction_history(evidence, self._cap)
        messages = self._prompt.render(
            question=query.text, options=options, evidence=history or NOTHING
        )
        text, usage = self._chat_model.ask(ChatRequest("read", messages), parse_choice)
        return Answer(text, estimated_tokens(history), usage)


def parse_choice(reply: ChatReply) -> str:
    """Return the whole reply.

    Raises:
        RejectedReplyError: The reply was cut, or says nothing after <final_answer>.
    """
    text = whole_text(reply).strip()
    if not text or text.endswith(TAG):
        raise RejectedReplyError(f"the reply has no answer after {TAG}")
    return text
