"""HippoRAG 2, open information extraction: the named entities of a passage, then its triples.

As in the package, the entities are only used in the request for triples. A passage without a usable
reply gets no triples and is counted as a failure. If the model did not reply at all, the error
stops the indexing of the history.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from remem.errors import RejectedReplyError, UnusableReplyError
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.prompts.replies import json_objects, object_schema, whole_text
from remem.protocols import ChatModel, ChatReply, ChatRequest
from remem.types import Usage

Triple = tuple[str, str, str]

MOST_CUTS = 20
"""Number of commas that are tried as the end of the last complete item in a cut reply."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The triples of a passage; `failure` is the reason if extraction failed."""

    triples: tuple[Triple, ...]
    usage: Usage
    failure: str = ""


class OpenIE(Protocol):
    """Extracts the triples of a passage."""

    def extract(self, passage: str) -> Extracted:
        """Return the triples of a passage, in the order of the text."""


ENTITIES_SCHEMA = object_schema({"named_entities": {"type": "array", "items": {"type": "string"}}})
TRIPLES_SCHEMA = object_schema(
    {"triples": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}
)


class LLMOpenIE:
    """Asks a language model twice for each passage."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        entity_prompt: str,
        triple_prompt: str,
    ) -> None:
        self._chat_model = chat_model
        self._entity_prompt = chosen_prompt(prompts, entity_prompt)
        self._triple_prompt = chosen_prompt(prompts, triple_prompt)

    def extract(self, passage: str) -> Extracted:
        """Return the triples of a passage, or the reason why extraction failed.

        Deviation: if the request for entities fails, the package still asks for triples. It treats
        every failure, even an outage, as a passage without triples.

        Raises:
            ModelUnavailableError: The model did not reply.
        """
        spent = Usage()
        try:
            entities, spent = self._ask_for_entities(passage)
            triples, usage = self._ask_for_triples(passage, entities)
        except UnusableReplyError as error:
            taken = spent + error.usage
            return Extracted((), taken, failure=str(error) or type(error).__name__)
        return Extracted(triples, spent + usage)

    def _ask_for_entities(self, passage: str) -> tuple[tuple[str, ...], Usage]:
        messages = self._entity_prompt.render(passage=passage)
        request = ChatRequest("index", messages, reply_schema=ENTITIES_SCHEMA)
        return self._chat_model.ask(request, parse_entities)

    def _ask_for_triples(
        self, passage: str, entities: Sequence[str]
    ) -> tuple[tuple[Triple, ...], Usage]:
        named = json.dumps({"named_entities": list(entities)}, ensure_ascii=False)
        messages = self._triple_prompt.render(passage=passage, entities=named)
        request = ChatRequest("index", messages, reply_schema=TRIPLES_SCHEMA)
        return self._chat_model.ask(request, parse_triples)


def parse_entities(reply: ChatReply) -> tuple[str, ...]:
    """Return the distinct entities in a reply; raise RejectedReplyError if it is unusable."""
    entities = [_plain(item) for item in _items(reply, "named_entities")]
    return tuple(dict.fromkeys(text for text in entities if text))


def parse_triples(reply: ChatReply) -> tuple[Triple, ...]:
    """Return the distinct triples in a reply; other items are dropped, as in the package."""
    triples = [_triple(item) for item in _items(reply, "triples")]
    return tuple(dict.fromkeys(triple for triple in triples if triple is not None))


def _triple(item: object) -> Triple | None:
    match item:
        case [subject, predicate, object_]:
            return (_plain(subject), _plain(predicate), _plain(object_))
    return None


def _plain(item: object) -> str:
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def _items(reply: ChatReply, key: str) -> list[Any]:
    items = next(_lists(reply.text, key), None)
    if items is None and reply.truncated:
        items = _items_before_the_cut(reply.text, key)
    if items is None:
        raise RejectedReplyError(f"no JSON object with a list {key!r}")
    return items


def _lists(text: str, key: str) -> Iterator[list[Any]]:
    return (each[key] for each in json_objects(text) if isinstance(each.get(key), list))


def _items_before_the_cut(text: str, key: str) -> list[Any] | None:
    """Return the list, cut at the last comma that leaves valid JSON, as in the package."""
    opening = re.search(rf'"{key}"\s*:\s*\[', text)
    if opening is None:
        return None
    body = text[opening.end() :]
    commas = [match.start() for match in re.finditer(",", body)]
    for comma in commas[: -MOST_CUTS - 1 : -1]:
        items = next(_lists(f'{{"{key}": [{body[:comma]}]}}', key), None)
        if items is not None:
            return items
    return None


KEPT_SCHEMA = object_schema(
    {"fact": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}
)

KEPT_SECTION = "[[ ## fact_after_filter ## ]]"
"""The line above the facts in a reply in sections."""

_FACTS = TypeAdapter(list[list[str]])


class FactFilter(Protocol):
    """Selects the facts that are relevant to a question."""

    def keep(self, question: str, candidates: Sequence[Triple]) -> tuple[tuple[int, ...], Usage]:
        """Return the positions of the chosen candidates, best first; a position may occur twice."""


class LLMFilter:
    """Asks a language model which facts are relevant.

    Deviation: if no reply is usable, the question fails, while the package silently ranks by
    embeddings.
    """

    def __init__(
        self, *, chat_model: ChatModel, prompts: PromptLibrary, prompt: str, as_json: bool
    ) -> None:
        """Store the model and the prompt.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            prompt: The name of the prompt, or the path of a .txt file.
            as_json: Whether the prompt asks for nothing but a JSON object; the package's prompt
                asks for sections.
        """
        self._chat_model = chat_model
        self._prompt = chosen_prompt(prompts, prompt)
        self._reply_schema = KEPT_SCHEMA if as_json else None

    def keep(self, question: str, candidates: Sequence[Triple]) -> tuple[tuple[int, ...], Usage]:
        """Return the positions of the chosen candidates, best first; a position may occur twice."""
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
    reply_text = whole_text(reply).rpartition(KEPT_SECTION)[2]
    fact_lists = [each["fact"] for each in json_objects(reply_text) if "fact" in each]
    if not fact_lists:
        raise RejectedReplyError("no JSON object with the key 'fact'")
    try:
        return _FACTS.validate_python(fact_lists[0])
    except ValidationError as error:
        raise RejectedReplyError("'fact' is not a list of lists of texts") from error
