"""Clauses of a chat message that assert something: subject, verbs and object, as tokens.

Each rule leaves out what would not be understood, or not be asserted, on its own. A clause that no
rule knows is left out too: a wrong fact costs more than a missing one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from remem.memory.asserted import asserted_verbs, clause_tokens, is_set_off, subject_of
from remem.memory.chat_words import (
    BEFORE_ACTIVITIES,
    DROPPED_ADVERBS,
    HEDGES,
    LINKING_PREPOSITIONS,
    READY_TO,
    STATES,
    TENSELESS,
)
from remem.memory.parsed_text import Sentence, Token

_VERB_PARTS = ("aux", "auxpass", "neg", "prt")
_COMPLEMENTS = ("ccomp", "oprd", "csubj", "csubjpass", "expl", "dative")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause as tokens.

    `subject` is None if it is left out, and means the speaker; `rest` has the prepositions after
    the object; `verb` is the main verb, at which the relation begins.
    """

    subject: Token | None
    relation: tuple[Token, ...]
    object: Token
    rest: tuple[Token, ...]
    verb: Token


def asserted_clauses(sentence: Sentence) -> Iterator[Clause]:
    """Yield the clauses of a sentence that are whole and asserted."""
    for verb in asserted_verbs(sentence):
        parts = _verb_parts(sentence, verb)
        subject = subject_of(sentence, verb)
        if subject is None and not _leaves_out_i(sentence, _first_joined(sentence, verb)):
            continue
        if _is_hedged(sentence, verb) or not _has_tense(parts, subject):
            continue
        clause = _completed(sentence, verb, parts)
        if clause is not None:
            yield replace(clause, subject=subject, verb=verb)


def _first_joined(sentence: Sentence, verb: Token) -> Token:
    return _first_joined(sentence, sentence.at(verb.head)) if verb.dep == "conj" else verb


def _leaves_out_i(sentence: Sentence, verb: Token) -> bool:
    """Return whether a sentence begins with its verb, as "Went to Rome" or "Been reading" do."""
    first = _verb_parts(sentence, verb)[0]
    before = [token for token in sentence.tokens if token.at < first.at]
    skipped = ("PUNCT", "INTJ", "ADV", "CCONJ", "SPACE")
    if verb.head != verb.at or any(token.pos not in skipped for token in before):
        return False
    if sentence.child(verb, "csubj", "csubjpass", "expl"):
        return False
    begins = first.tag == "VBD" or (first.text.lower() == "been" and first is not verb)
    finite = any(token.tag in ("VBD", "VBP", "VBZ", "MD") for token in sentence.tokens)
    return begins or (first is verb and verb.tag == "VBG" and not finite)


def _is_hedged(sentence: Sentence, verb: Token) -> bool:
    """Return whether a clause is said to be only possible, or holds under a condition."""
    words = {token.text.lower() for token in clause_tokens(sentence, verb)}
    conditions = [
        mark.text.lower()
        for clause in sentence.children(verb, "advcl")
        if (mark := sentence.child(clause, "mark")) is not None
    ]
    return bool(words & HEDGES or {"if", "unless"} & {*conditions})


def _has_tense(parts: tuple[Token, ...], subject: Token | None) -> bool:
    """Return whether a clause is in the past or present: "would" and "will" are neither."""
    first = next((part for part in parts if part.pos in ("VERB", "AUX")), parts[0])
    if first.tag == "VBP" and first.text.lower() in TENSELESS:
        return False
    if subject is None and first.text.lower() == "been":
        return True
    return first.tag in ("VBD", "VBP", "VBZ") or (subject is None and first.tag == "VBG")


def _verb_parts(sentence: Sentence, verb: Token) -> tuple[Token, ...]:
    """Return a verb with its auxiliaries, "not", particle and the adverbs that change its sense."""
    parts = {verb, *sentence.children(verb, *_VERB_PARTS)}
    for adverb in sentence.children(verb, "advmod"):
        word = adverb.text.lower()
        follows = adverb.at == verb.at + 1 and not word.endswith("ly")
        if follows and word not in DROPPED_ADVERBS:
            parts.add(adverb)
    own = sentence.child(verb, "aux", "auxpass", "nsubj", "nsubjpass")
    if verb.dep == "conj" and verb.tag in ("VBG", "VBN") and own is None:
        parts |= set(sentence.children(sentence.at(verb.head), "aux", "auxpass"))
    return tuple(sorted(parts, key=lambda part: part.at))


def _completed(sentence: Sentence, verb: Token, relation: tuple[Token, ...]) -> Clause | None:
    """Follow a verb to its object, through the verbs, adjectives and prepositions on the way."""
    if any(not is_set_off(sentence, each) for each in sentence.children(verb, *_COMPLEMENTS)):
        return None
    direct = sentence.child(verb, "dobj", "attr")
    later = sentence.child(verb, "xcomp", "acomp")
    prepositions = tuple(
        child for child in sentence.children(verb, "prep", "agent") if child.at > verb.at
    )
    if direct is not None:
        purpose = later is None or (later.at > direct.at and later.tag == "VB")
        return Clause(None, relation, direct, prepositions, verb) if purpose else None
    if later is not None:
        return _through(sentence, verb, later, relation)
    if prepositions:
        is_state = verb.lemma == "be"
        if is_state and prepositions[0].text.lower() not in LINKING_PREPOSITIONS:
            return None
        return _governed(sentence, verb, prepositions, relation)
    activity = verb.tag == "VBG" and verb.dep in ("xcomp", "pcomp") and relation[-1] is verb
    if activity and {relation[-2].lemma.lower()} & BEFORE_ACTIVITIES:
        return Clause(None, relation[:-1], verb, (), verb)
    return None


def _through(
    sentence: Sentence, verb: Token, later: Token, relation: tuple[Token, ...]
) -> Clause | None:
    """Follow a verb to the verb or adjective after it."""
    if later.pos in ("VERB", "AUX") and later.tag in ("VB", "VBG"):
        if verb.lemma == "be" or sentence.child(later, "nsubj"):
            return None
        return _completed(sentence, later, (*relation, *_verb_parts(sentence, later)))
    action = sentence.child(later, "xcomp")
    if action is not None and action.tag == "VB" and later.text.lower() in READY_TO:
        return _completed(sentence, action, (*relation, later, *_verb_parts(sentence, action)))
    preposition = sentence.child(later, "prep")
    if later.text.lower() not in STATES or preposition is None:
        return None
    if sentence.child(later, "xcomp", "ccomp") is not None:
        return None
    return _governed(sentence, later, (preposition,), (*relation, later))


def _governed(
    sentence: Sentence,
    verb: Token,
    prepositions: tuple[Token, ...],
    relation: tuple[Token, ...],
) -> Clause | None:
    """Follow the first preposition to its noun, or to the verb that it governs."""
    first, *rest = prepositions
    governed = sentence.child(first, "pobj", "pcomp")
    if governed is not None and governed.dep == "pobj":
        return Clause(None, (*relation, first), governed, tuple(rest), verb)
    if governed is None or governed.tag != "VBG":
        return None
    return _completed(sentence, governed, (*relation, first, *_verb_parts(sentence, governed)))
