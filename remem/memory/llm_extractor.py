"""The extractor that uses a language model (paper, Indexing, steps 1 and 2; our own prompts).

The model first extracts gists, then facts from the passage and its gists. For Test of Time, it
extracts only facts. If a reply was cut at the token limit, the episode is split into halves. If any
request for an episode gets no usable reply, no item of the episode is stored, so gists are never
stored without their facts. If the model did not reply at all, an error stops the indexing of the
history.
"""

import logging
from collections.abc import Callable, Iterator, Sequence

from remem.errors import UnusableReplyError
from remem.memory.episode_parts import (
    Attribution,
    ExtractedPart,
    Messages,
    ask_in_halves,
    each_once,
    session_text,
    unless_cut,
)
from remem.memory.extraction_replies import (
    BOUNDED_GISTS_SCHEMA,
    FACTS_SCHEMA,
    GISTS_SCHEMA,
    QUALIFIED_FACTS_SCHEMA,
    StatedFact,
    UnreadableDateError,
    bounded_facts,
    fact_said,
    fact_scope,
    gist_scope,
    parse_facts,
    parse_gists,
)
from remem.prompts.chosen import chosen_prompt
from remem.prompts.library import PromptLibrary
from remem.protocols import ChatModel, ChatRequest
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, Usage

log = logging.getLogger(__name__)

AsksForFacts = Callable[[Messages], tuple[tuple[StatedFact, ...] | None, Usage]]


class LLMExtractor:
    """Extracts the gists and the facts of an episode with a language model."""

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        prompts: PromptLibrary,
        gist_prompt: str | None,
        fact_prompt: str,
        qualifiers: bool,
        captions: bool,
    ) -> None:
        """Store the model and the settings.

        Args:
            chat_model: The model.
            prompts: The prompt library.
            gist_prompt: The name of the prompt for gists; None extracts facts only.
            fact_prompt: The name of the prompt for facts.
            qualifiers: Whether the fact prompt asks for the times of a fact as a nested object.
            captions: Whether image captions are included.
        """
        self._chat_model = chat_model
        self._gist_prompt = chosen_prompt(prompts, gist_prompt) if gist_prompt else None
        self._fact_prompt = chosen_prompt(prompts, fact_prompt)
        self._facts_schema = QUALIFIED_FACTS_SCHEMA if qualifiers else FACTS_SCHEMA
        self._bounded_facts = bounded_facts(self._facts_schema)
        self._captions = captions

    def extract(self, episode: Episode) -> Extraction:
        """Return the gists and facts of an episode, or only a `failure` if a reply was unusable."""
        spent = Usage()
        try:
            gist_parts, spent = ask_in_halves(episode.messages, self._ask_for_gists)
            gist_parts = each_once(gist_parts, str)
            fact_parts: list[ExtractedPart[StatedFact]] = []
            for gist_part in gist_parts:
                parts, usage = ask_in_halves(gist_part.messages, self._asking_for_facts(gist_part))
                fact_parts, spent = [*fact_parts, *parts], spent + usage
        except UnusableReplyError as error:
            taken = spent + error.usage
            return Extraction(usage=taken, failure=str(error) or type(error).__name__)
        if spent.cut_replies:
            log.warning(
                "episode %s: cut replies: %d; the facts of the episode were requested in parts "
                "(%d)",
                *(episode.id, spent.cut_replies, len(fact_parts)),
            )
        facts = _dated_facts(each_once(fact_parts, _apart_from_record_time), episode.id)
        gists = tuple(gist for part in gist_parts for gist in _gists(part))
        return Extraction(gists=gists, facts=facts, usage=spent)

    def _ask_for_gists(self, asked: Messages) -> tuple[tuple[str, ...] | None, Usage]:
        if self._gist_prompt is None:
            return (), Usage()
        messages = self._gist_prompt.render(passage=self._passage(asked))
        request = ChatRequest(
            "index",
            messages,
            reply_schema=GISTS_SCHEMA,
            reply_alternatives=BOUNDED_GISTS_SCHEMA,
        )
        return self._chat_model.ask(request, unless_cut(parse_gists, asked))

    def _asking_for_facts(self, gist_part: ExtractedPart[str]) -> AsksForFacts:
        """Return a function that extracts the facts of messages, given their gists."""

        def ask(asked: Messages) -> tuple[tuple[StatedFact, ...] | None, Usage]:
            messages = self._fact_prompt.render(
                passage=self._passage(asked), gists=_gists_of(asked, gist_part)
            )
            request = ChatRequest(
                "index",
                messages,
                reply_schema=self._facts_schema,
                reply_alternatives=self._bounded_facts,
            )
            return self._chat_model.ask(request, unless_cut(parse_facts, asked))

        return ask

    def _passage(self, messages: Messages) -> str:
        return session_text(messages, captions=self._captions)


def _gists_of(messages: Messages, part: ExtractedPart[str]) -> Sequence[str]:
    """Return the gists of a part whose source is among these messages."""
    if messages == part.messages:
        return part.items
    sources, ids = Attribution(part.messages), {message.id for message in messages}
    return [gist for gist in part.items if sources.nearest(gist) in ids]


def _gists(part: ExtractedPart[str]) -> Iterator[Gist]:
    sources = Attribution(part.messages)
    time_said = _first_time(part)
    for text in part.items:
        yield Gist("", text, gist_scope(text, time_said), "", sources.supporting(text))


def _first_time(part: ExtractedPart[str] | ExtractedPart[StatedFact]) -> TimePoint | None:
    """Return when the first message of a part was said."""
    return part.messages[0].time if part.messages else None


def _apart_from_record_time(stated: StatedFact) -> StatedFact:
    """Return a fact without its record_time, which may differ between the halves of an episode."""
    return stated.model_copy(update={"record_time": None})


def _dated_facts(parts: Sequence[ExtractedPart[StatedFact]], episode_id: str) -> tuple[Fact, ...]:
    facts, unreadable = [], []
    for part in parts:
        sources, time_said = Attribution(part.messages), _first_time(part)
        for stated in part.items:
            said_at = fact_said(stated, time_said)
            try:
                time = fact_scope(stated, said_at)
            except UnreadableDateError as error:
                time = None
                unreadable.append(str(error))
            facts.append(_fact(stated, time, said_at, sources))
    if unreadable:
        log.warning(
            "episode %s: %d of %d facts stay undated; no date could be read from %s",
            *(episode_id, len(unreadable), len(facts), unreadable),
        )
    return tuple(facts)


def _fact(
    stated: StatedFact, time: TimeScope | None, said_at: TimePoint | None, sources: Attribution
) -> Fact:
    subject, predicate, object_ = (
        part or "" for part in (stated.subject, stated.predicate, stated.object)
    )
    source = sources.supporting(f"{subject} {predicate} {object_}")
    return Fact("", subject, predicate, object_, time, "", source, said_at)
