"""Texts parsed by spaCy into sentences of tokens."""

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from remem.memory.parsed_text import Sentence, Token
from remem.memory.spacy_model import load_pipeline

if TYPE_CHECKING:
    from spacy.language import Language


class SpacyParser:
    """Parses with one pipeline, which several threads may share.

    Args:
        pipeline: The loaded model.
    """

    def __init__(self, pipeline: "Language") -> None:
        self._pipeline = pipeline
        self._lock = Lock()

    def parse(self, texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
        """Parse each text into its sentences."""
        with self._lock, self._pipeline.memory_zone():
            return [_sentences(parsed) for parsed in self._pipeline.pipe(texts)]


def shared_parse(texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
    """Parse texts with the parser of this process, which is loaded at the first call.

    Raises:
        StopRunError: spaCy or its model is missing, has another version, or a file differs.
    """
    return _shared_parser().parse(texts)


@cache
def _shared_parser() -> SpacyParser:
    return SpacyParser(load_pipeline())


def _sentences(parsed: Any) -> tuple[Sentence, ...]:
    return tuple(Sentence(tuple(map(_token, sentence))) for sentence in parsed.sents)


def _token(token: Any) -> Token:
    return Token(
        at=token.i,
        start=token.idx,
        text=token.text,
        space=token.whitespace_,
        norm=token.norm_,
        lemma=token.lemma_,
        tag=token.tag_,
        pos=token.pos_,
        dep=token.dep_,
        head=token.head.i,
        entity=token.ent_type_,
    )
