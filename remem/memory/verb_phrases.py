"""Relations of facts: the verbs of a clause in the third person, with their "not"."""

from collections.abc import Sequence

from remem.memory.parsed_text import Token

_SINGULAR = {
    **dict.fromkeys(("am", "are", "'m", "'re", "\u2019m", "\u2019re", "'s", "\u2019s"), "is"),
    **dict.fromkeys(("have", "'ve", "\u2019ve"), "has"),
    **{"be": "is", "been": "has been", "do": "does", "were": "was", "wan": "wants"},
}
"""First verbs of a clause about a single person."""

_WRITTEN_OUT = {
    **{"n't": "not", "n\u2019t": "not", "gon": "going", "na": "to", "wan": "want"},
    **dict.fromkeys(("'m", "\u2019m", "'s", "\u2019s"), "is"),
    **dict.fromkeys(("'re", "\u2019re"), "are"),
    **dict.fromkeys(("'ve", "\u2019ve"), "have"),
}
_HISSING = ("s", "x", "z", "ch", "sh", "o")


def relation_text(tokens: Sequence[Token], *, singular: bool) -> str:
    """Return the words of a relation in order, with its first verb in the third person.

    Args:
        tokens: The auxiliaries, "not", verbs, particles and prepositions of a clause.
        singular: Whether the subject is a name that takes the place of "I".
    """
    first = next(token for token in tokens if token.pos in ("VERB", "AUX"))
    words = [_singular(each) if singular and each is first else _plain(each) for each in tokens]
    left_out = "is" if first.tag == "VBG" else ""
    return " ".join(filter(None, (left_out, *words)))


def third_person(verb: str) -> str:
    """Return the third person of a verb in the present tense.

    >>> third_person("study"), third_person("teach"), third_person("have")
    ('studies', 'teaches', 'has')
    """
    if verb in _SINGULAR:
        return _SINGULAR[verb]
    if verb.endswith(_HISSING):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "i", "o", "u"):
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _singular(token: Token) -> str:
    word = token.text.lower()
    if word in ("'s", "\u2019s") and token.lemma == "have":
        return "has"
    return third_person(word) if token.tag == "VBP" else _SINGULAR.get(word, _plain(token))


def _plain(token: Token) -> str:
    word = token.text.lower()
    return _WRITTEN_OUT.get(word, word)
