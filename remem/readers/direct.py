"""The reader that asks for one thought and a short answer (paper, Algorithm 2, synthesis).

The model sees all steps of the agent, including counts and a proposed answer.
"""

from remem.metrics.answer_lists import checked_separator
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import chosen_prompt
from remem.prompts.interaction import Cap
from remem.prompts.library import PromptLibrary
from remem.protocols import ChatModel, ChatRequest
from remem.readers.answer_lines import GRAMMAR, parse_answer
from remem.readers.rendering import interaction_history
from remem.types import REFUSAL_PHRASE, Answer, AnswerSeparator, Evidence, Query


class DirectReader:
    """Asks a model for a thought and an answer; refuses without a call if there is no evidence."""

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
        request = ChatRequest("read", messages, reply_grammar=self.grammar)
        text, usage = self._chat_model.ask(request, self.parse)
        return Answer(text, estimated_tokens(history), usage)
