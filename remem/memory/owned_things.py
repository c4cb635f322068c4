"""What "my" says by itself: "my daughter is six" also says that the speaker has a daughter."""

from collections.abc import Iterator

from remem.memory.chat_words import KIN, NOT_YET_OWNED, OWNED
from remem.memory.noun_phrases import People, resolved_text, with_article
from remem.memory.parsed_text import Sentence, Token

_NOT_ITS_OWN = ("compound", "amod", "poss", "nmod")
_LEFT_OUT = ("relcl", "acl", "prep", "appos", "conj", "cc", "advcl", "parataxis")


def owned_things(sentence: Sentence, people: People) -> Iterator[str]:
    """Yield the relatives, animals and things that a statement calls the speaker's."""
    if "?" in sentence.text:
        return
    for noun in sentence.tokens:
        if noun.tag not in ("NN", "NNS") or noun.dep in _NOT_ITS_OWN:
            continue
        lemma = noun.lemma.lower()
        words = {child.text.lower() for child in sentence.children(noun)}
        told = lemma in KIN or (lemma in OWNED and sentence.child(noun, "compound", "amod"))
        if told and "my" in words and not words & NOT_YET_OWNED:
            text = _without_my(sentence, noun, people)
            if text is not None:
                yield with_article(text) if noun.tag == "NN" else text


def _without_my(sentence: Sentence, noun: Token, people: People) -> str | None:
    tokens = sentence.subtree(noun, _LEFT_OUT)
    return resolved_text(
        [each for each in tokens if each.norm.lower() not in ("my", "own")], people
    )
