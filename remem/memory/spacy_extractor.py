"""The extractor on spaCy's English parse: the gists of the rules, and facts from chats; no model.

Gists are byte-equal to those of `extractor=rules`. Facts come from clauses that can stand alone
(`chat_facts.py`), so that most messages have none.
"""

from collections.abc import Sequence
from dataclasses import replace

from remem.memory.chat_facts import message_facts
from remem.memory.noun_phrases import People
from remem.memory.parsed_text import Parse
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.spacy_model import check_configured
from remem.memory.spacy_parser import shared_parse
from remem.types import Episode, Extraction, Fact, Message


class SpacyExtractor:
    """Extracts the gists of the rules, and facts from what people say in chats.

    Args:
        model_sha256: The sha256 of the list of the model's files with their sums.

    Raises:
        ValueError: The configuration names another model.
    """

    def __init__(self, *, model_sha256: str) -> None:
        check_configured(model_sha256)
        self._rules = RulesExtractor()

    def extract(self, episode: Episode) -> Extraction:
        """Extract the gists of the rules, and the facts that the speakers state.

        Raises:
            StopRunError: spaCy or its model is missing, has another version, or a file differs.
        """
        extraction = self._rules.extract(episode)
        told = chat_facts(episode.messages, shared_parse)
        return replace(extraction, facts=(*extraction.facts, *told))


def chat_facts(messages: Sequence[Message], parse: Parse) -> tuple[Fact, ...]:
    """Return the facts that the speakers of a session state, each once.

    Args:
        messages: The messages of one session; those without a speaker are skipped.
        parse: Parses texts into sentences.
    """
    spoken = [message for message in messages if message.speaker]
    if not spoken:
        return ()
    parsed = parse([" ".join(message.text.split()) for message in spoken])
    found: dict[tuple[str, ...], Fact] = {}
    for message, sentences in zip(spoken, parsed, strict=True):
        for fact in message_facts(message, sentences, _people(message, spoken)):
            found.setdefault((fact.subject, fact.predicate, fact.object, str(fact.time)), fact)
    return tuple(found.values())


def _people(message: Message, messages: Sequence[Message]) -> People:
    others = sorted({each.speaker for each in messages} - {message.speaker})
    return People(message.speaker, others[0] if len(others) == 1 else "")
