"""Which verbs of a sentence are asserted: not asked, denied by a clause above, or only reported."""

from collections.abc import Iterator

from remem.memory.chat_words import ASSERTING_MARKS, DASHES, EMPTY_VERBS, FACTIVE
from remem.memory.parsed_text import Sentence, Token

SUBJECTS = ("nsubj", "nsubjpass")
_VERBS = ("VERB", "AUX")
_QUOTES = frozenset('"\u201c\u201d*')
_OTHER_CLAUSES = ("conj", "parataxis", "ccomp", "advcl", "relcl", "acl")


def asserted_verbs(sentence: Sentence) -> Iterator[Token]:
    """Yield the main verbs of the clauses that a sentence asserts; of a question there are none."""
    if "?" in sentence.text or any(token.text in _QUOTES for token in sentence.tokens):
        return
    for verb in sentence.tokens:
        is_main = verb.pos in _VERBS and verb.dep not in ("aux", "auxpass")
        if is_main and len(sentence.children(verb, *SUBJECTS)) < 2 and _is_asserted(sentence, verb):
            yield verb


def clause_tokens(sentence: Sentence, verb: Token) -> tuple[Token, ...]:
    """Return the tokens of a clause, without the clauses in it."""
    return sentence.subtree(verb, _OTHER_CLAUSES)


def subject_of(sentence: Sentence, verb: Token) -> Token | None:
    """Return the subject of a verb, or of the verb that it is joined to; None if there is none."""
    subject = sentence.child(verb, *SUBJECTS)
    if subject is None and verb.dep == "conj":
        return subject_of(sentence, sentence.at(verb.head))
    return subject


def is_set_off(sentence: Sentence, verb: Token) -> bool:
    """Return whether only punctuation joins a clause to the clause that it depends on."""
    if verb.dep not in ("ccomp", "parataxis") or sentence.child(verb, *SUBJECTS) is None:
        return False
    if sentence.child(verb, "mark") is not None:
        return False
    first, last = clause_tokens(sentence, verb)[0].at, clause_tokens(sentence, verb)[-1].at
    between = range(last + 1, verb.head) if verb.at < verb.head else range(verb.head + 1, first)
    return any(sentence.at(at).text in (*DASHES, ",", ";") for at in between)


def _is_asserted(sentence: Sentence, verb: Token) -> bool:
    if verb.head == verb.at:
        return True
    head = sentence.at(verb.head)
    own_subject = sentence.child(verb, *SUBJECTS) is not None
    if verb.dep == "conj":
        denied = not own_subject and sentence.child(head, "neg") is not None
        return head.pos in _VERBS and not denied and _is_asserted(sentence, head)
    if not own_subject:
        return False
    if verb.dep == "advcl":
        mark = sentence.child(verb, "mark", "advmod")
        word = mark.norm.lower().strip("'\u2019") if mark is not None else ""
        return word in ASSERTING_MARKS and _is_asserted(sentence, head)
    if verb.dep not in ("ccomp", "parataxis"):
        return False
    if head.lemma.lower() in FACTIVE:
        return True
    joined = head.lemma.lower() not in EMPTY_VERBS and is_set_off(sentence, verb)
    return joined and _is_asserted(sentence, head)
