"""HippoRAG 2, recognition memory: select the relevant facts among those nearest to a question."""

import json
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from baselines.hipporag2_openie import Triple
from remem.errors import RejectedReplyError
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import json_objects, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.types import Usage

KEPT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "fact": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
    },
    "required": ["fact"],
    "additionalProperties": False,
}

KEPT_SECTION = "[[ ## fact_after_filter ## ]]"
"""The line above the facts in a reply in sections."""

_FACTS = TypeAdapter(list[list[str]])


class FactFilter(Protocol):
    """Selects the facts that are relevant to a question."""

    def keep(self, question: str, candidates: Sequence[Triple]) -> tuple[tuple[int, ...], Usage]:
        """Return the positions of the selected facts, best first; a position may occur twice."""


class LLMFilter:
    """Asks a language model which facts are relevant.

    Deviation: without a usable reply the question fails. The package then ranks by embeddings
    without any notice.
    """

    def __init__(
        self, *, chat_model: ChatModel, prompts: PromptLibrary, prompt: str, as_json: bool
    ) -> None:
        """Store the model and the prompt.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            as_json: Whether the prompt asks for a JSON object only; the package's prompt asks for
            sections.
        """
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._reply_schema = KEPT_SCHEMA if as_json else None

    def keep(self, question: str, candidates: Sequence[Triple]) -> tuple[tuple[int, ...], Usage]:
        """Return the positions of the selected facts, best first; a position may occur twice."""
        facts = json.dumps({"fact": [list(each) for each in candidates]}, ensure_ascii=False)
        messages = self._prompt.render(question=question, facts=facts)
        request = ChatRequest("recall", messages, reply_schema=self._reply_schema)
        return self._chat_model.ask(request, _reads_facts_of(candidates))


def _reads_facts_of(candidates: Sequence[Triple]) -> Callable[[ChatReply], tuple[int, ...]]:
    exact = [list(each) for each in candidates]
    shown = [str(each) for each in candidates]

    def position(fact: list[str]) -> int:
        if fact in exact:
            return exact.index(fact)
        # As in the package, an unknown fact is replaced by the most similar candidate.
        return shown.index(get_close_matches(str(fact), shown, n=1, cutoff=0.0)[0])

    return lambda reply: tuple(position(fact) for fact in _facts(reply))


def _facts(reply: ChatReply) -> list[list[str]]:
    said = whole_text(reply).rpartition(KEPT_SECTION)[2]
    found = [each["fact"] for each in json_objects(said) if "fact" in each]
    if not found:
        raise RejectedReplyError("no JSON object with the key 'fact'")
    try:
        return _FACTS.validate_python(found[0])
    except ValidationError as error:
        raise RejectedReplyError("'fact' is no list of lists of texts") from error
