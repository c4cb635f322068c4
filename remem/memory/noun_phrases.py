"""Noun phrases that say alone whom and what they mean: I, you, my and your become names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remem.memory.chat_words import (
    DASHES,
    GROUP,
    KNOWN_PLACES,
    LISTENER,
    RELATIVE_PRONOUNS,
    SPEAKER,
    THIN_NOUNS,
    UNRESOLVED,
    VAGUE_NOUNS,
)
from remem.memory.parsed_text import Sentence, Token

_NEVER = ("advcl", "parataxis", "meta", "intj", "ccomp", "xcomp", "preconj")
_CLAUSES = ("relcl", "acl")
_SHORTER: tuple[tuple[str, ...], ...] = ((), _CLAUSES, (*_CLAUSES, "prep", "appos"))
"""What is left out of a noun phrase in turn, until it can stand alone."""

_DESCRIBING = frozenset(
    {"compound", "amod", "prep", "poss", "nummod", "acl", "appos", "relcl", "nmod"}
)
_WORDS_AT_MOST = 14
_NOUN_TAGS = ("NN", "NNS", "NNP", "NNPS", "VBG")
_MARKS = frozenset('()[]{}"\u201c\u201d*_:;<>=/')


@dataclass(frozen=True, slots=True)
class People:
    """Who speaks, and to whom; the listener is empty if there is not exactly one."""

    speaker: str
    listener: str

    def named(self, word: str) -> str | None:
        """Return the name that a pronoun stands for, or None."""
        if word in SPEAKER:
            return self.speaker
        return self.listener or None if word in LISTENER else None


def whole_phrase(sentence: Sentence, head: Token, people: People, *, joined: bool) -> str | None:
    """Return the text of a noun phrase with names for pronouns; None if it cannot stand alone.

    Args:
        sentence: The sentence.
        head: The noun.
        people: Whom "I" and "you" stand for.
        joined: Whether nouns joined to it by "and" belong to the phrase.
    """
    if head.tag not in _NOUN_TAGS or sentence.child(head, "ccomp", "xcomp"):
        return None
    for left_out in _SHORTER:
        if _would_be_cut(sentence, head, left_out):
            continue
        text = resolved_text(_phrase(sentence, head, left_out, joined=joined), people)
        if text is not None:
            if not _tells_enough(sentence, head, left_out):
                return None
            return with_article(text) if _new_to_listener(sentence, head) else text
    return None


def resolved_text(tokens: Sequence[Token], people: People) -> str | None:
    """Return the text of tokens with names for pronouns; None if one stays unresolved."""
    tokens = _trimmed(tokens)
    if not tokens or len(tokens) > _WORDS_AT_MOST:
        return None
    parts = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        name = people.named(_pronoun(token))
        if token.text in _MARKS or (name is None and _is_unresolved(token)):
            return None
        if name is not None and token.dep in ("nsubj", "nsubjpass"):
            return None  # its verb would have to change with it
        space = token.space if after is not None and after.at == token.at + 1 else " "
        parts.append((_in_its_case(name, token) if name else token.text) + space)
    return re.sub(r"\s+([,.'])", r"\1", "".join(parts)).strip()


def with_article(text: str) -> str:
    """Return a singular noun phrase after "a" or "an".

    >>> with_article("English class")
    'an English class'
    """
    return f"{'an' if text[0].lower() in 'aeiou' else 'a'} {text}"


def is_vague(noun: Token) -> bool:
    """Return whether a noun says too little without more."""
    return bool({noun.lemma.lower(), noun.text.lower()} & VAGUE_NOUNS)


def _phrase(
    sentence: Sentence, head: Token, left_out: Sequence[str], *, joined: bool
) -> list[Token]:
    """Return the tokens of a noun phrase up to a dash."""
    others: tuple[str, ...] = () if joined else ("cc", "conj")
    if head.tag == "VBG":
        others += ("advmod", "npadvmod", "aux")
    shown = _new_to_listener(sentence, head)
    branches = [
        sentence.subtree(child, (*_NEVER, *left_out))
        for child in sentence.children(head)
        if child.dep not in (*_NEVER, *left_out, *others) and not (shown and child.dep == "det")
    ]
    tokens = [head, *(token for branch in branches for token in branch)]
    tokens.sort(key=lambda token: token.at)
    dashes = (token.at for token in tokens if token.at > head.at and _is_dash(sentence, token))
    end = next(dashes, tokens[-1].at + 1)
    return [token for token in tokens if token.at < end]


def _is_dash(sentence: Sentence, token: Token) -> bool:
    """Return whether something else begins at a mark, as at ", which"; not at a hyphen."""
    if token.text == "," and token != sentence.tokens[-1]:
        return sentence.at(token.at + 1).tag in ("WDT", "WP", "WRB")
    return token.text in DASHES and bool(sentence.at(token.at - 1).space)


def _new_to_listener(sentence: Sentence, head: Token) -> bool:
    """Return whether "this" introduces something: "this old book" is "an old book"."""
    determiner = sentence.child(head, "det")
    described = sentence.child(head, "amod", "compound")
    introduced = determiner is not None and determiner.text.lower() == "this"
    return introduced and described is not None and head.tag == "NN"


def _would_be_cut(sentence: Sentence, head: Token, left_out: Sequence[str]) -> bool:
    """Return whether a clause of the phrase would lose a clause in it, and end in the middle."""
    kept = [child for child in sentence.children(head, *_CLAUSES) if child.dep not in left_out]
    inner = [token for clause in kept for token in sentence.subtree(clause) if token != clause]
    return any(token.dep in _NEVER for token in inner)


def _tells_enough(sentence: Sentence, head: Token, left_out: Sequence[str]) -> bool:
    """Return whether what stays of a noun phrase is definite enough to stand alone."""
    kept = [child for child in sentence.children(head) if child.dep not in left_out]
    described = any(child.dep in _DESCRIBING for child in kept)
    if {head.lemma.lower(), head.text.lower()} & KNOWN_PLACES:
        return True
    if is_vague(head):
        return any(_is_of_something(sentence, child) for child in kept)
    if head.tag in ("NNP", "NNPS"):
        return True
    determiner = sentence.child(head, "det")
    definite = determiner is not None and determiner.text.lower() in ("the", "this", "that")
    shortened = len(kept) < len(sentence.children(head))
    thin = head.lemma.lower() in THIN_NOUNS
    return described or not (definite or shortened or thin)


def _is_of_something(sentence: Sentence, preposition: Token) -> bool:
    """Return whether a preposition is the "of" in "a group of dancers", but not "a lot of fun"."""
    if preposition.dep != "prep" or preposition.text.lower() != "of":
        return False
    noun = sentence.child(preposition, "pobj")
    return noun is not None and noun.tag in _NOUN_TAGS and not is_vague(noun)


def _pronoun(token: Token) -> str:
    return token.norm.lower() if token.tag.startswith("PRP") else token.text.lower()


def _is_unresolved(token: Token) -> bool:
    if token.tag in ("WDT", "WP", "WRB"):
        return token.text.lower() not in RELATIVE_PRONOUNS
    words = {token.text.lower(), token.norm.lower()}
    return bool(words & (UNRESOLVED | SPEAKER | LISTENER | GROUP))


def _in_its_case(name: str, token: Token) -> str:
    owned = token.tag == "PRP$" or token.norm.lower() in ("mine", "yours")
    return f"{name}'s" if owned else name


def _trimmed(tokens: Sequence[Token]) -> list[Token]:
    trimmed = [token for token in tokens if not token.text.isspace()]
    while trimmed and trimmed[-1].pos in ("PUNCT", "SYM", "CCONJ"):
        trimmed.pop()
    while trimmed and trimmed[0].pos in ("PUNCT", "CCONJ"):
        trimmed.pop(0)
    return trimmed
