"""Facts from the parse of a chat message: few, and each understandable on its own."""

from collections.abc import Iterator, Sequence

from remem.memory.asserted import clause_tokens
from remem.memory.chat_words import (
    EMPTY_VERBS,
    KNOWN_PLACES,
    LIGHT_VERBS,
    LIKING,
    LISTENER,
    PARENTS,
    TELLING_PAIRS,
)
from remem.memory.clauses import Clause, asserted_clauses
from remem.memory.noun_phrases import People, is_vague, resolved_text, whole_phrase
from remem.memory.owned_things import owned_things
from remem.memory.parsed_text import Sentence, Token
from remem.memory.placed_dates import PlacedDate, placed_dates
from remem.memory.verb_phrases import relation_text
from remem.time_scope import TimeScope
from remem.types import Fact, Message

Triple = tuple[str, str, str]

_YOUNG = frozenset({"kid", "boy", "girl", "child", "baby", "teenager", "teen"})
_NOT_FURTHER = frozenset({"of", "as", "like", "than"})


def message_facts(
    message: Message, sentences: Sequence[Sentence], people: People
) -> Iterator[Fact]:
    """Yield the facts of a message whose text was parsed into sentences."""
    dates = placed_dates(" ".join(message.text.split()), message.time)
    for sentence in sentences:
        for owned in owned_things(sentence, people):
            yield _fact((people.speaker, "has", owned), None, message)
        for clause in asserted_clauses(sentence):
            own = [date for date in dates if date.is_in(clause_tokens(sentence, clause.verb))]
            time = own[0].scope if len(own) == 1 else None
            for triple in _triples(sentence, clause, people, own):
                yield _fact(triple, time, message)


def _fact(triple: Triple, time: TimeScope | None, message: Message) -> Fact:
    return Fact(
        id="",
        subject=triple[0],
        predicate=triple[1],
        object=triple[2],
        time=time,
        episode_id="",
        source=(message.id,),
        record_time=message.time,
    )


def _triples(
    sentence: Sentence, clause: Clause, people: People, dates: Sequence[PlacedDate]
) -> Iterator[Triple]:
    subject = _subject(sentence, clause, people)
    if subject is None or _says_nothing(sentence, clause):
        return
    relation = relation_text(clause.relation, singular=subject == people.speaker)
    heads = _separate(sentence, clause.object)
    targets = [_target(sentence, each, people, dates, joined=len(heads) == 1) for each in heads]
    told = [target for target in targets if target is not None]
    if not told and len(heads) == 1 and is_vague(clause.object):
        yield from _about_vague(sentence, clause, people, dates, (subject, relation))
    if not told or len(told) < len(targets):
        return
    if len(told) > 1:
        yield from ((subject, relation, target) for target in told)
        return
    if not (clause.rest and clause.verb.lemma.lower() in LIGHT_VERBS):
        yield subject, relation, told[0]
    begun = f"{relation} {told[0]}"
    yield from _further(sentence, clause.rest, people, dates, (subject, begun))


def _further(
    sentence: Sentence,
    prepositions: Sequence[Token],
    people: People,
    dates: Sequence[PlacedDate],
    begun: tuple[str, str],
) -> Iterator[Triple]:
    """Yield what follows an object: "gave a talk" and "at a school" are two facts."""
    for preposition in prepositions:
        governed = sentence.child(preposition, "pobj")
        word = preposition.text.lower()
        if governed is None or word in _NOT_FURTHER:
            continue
        target = _target(sentence, governed, people, dates, joined=True)
        if target is not None:
            yield begun[0], f"{begun[1]} {word}", target


def _about_vague(
    sentence: Sentence,
    clause: Clause,
    people: People,
    dates: Sequence[PlacedDate],
    begun: tuple[str, str],
) -> Iterator[Triple]:
    """Yield facts such as "had a great time at": the object says little, what follows says more."""
    branches = ("prep", "relcl", "acl", "conj", "cc", "advcl", "appos")
    tokens = sentence.subtree(clause.object, branches)
    text = resolved_text(tokens, people)
    if text is None or clause.verb.lemma == "be" or _mentions_listener(tokens):
        return
    prepositions = (*sentence.children(clause.object, "prep"), *clause.rest)
    yield from _further(sentence, prepositions, people, dates, (begun[0], f"{begun[1]} {text}"))


def _is_definite(sentence: Sentence, clause: Clause) -> bool:
    determiner = sentence.child(clause.object, "det")
    known = clause.object.lemma.lower() in KNOWN_PLACES
    return determiner is not None and determiner.text.lower() == "the" and not known


def _says_nothing(sentence: Sentence, clause: Clause) -> bool:
    """Return whether a clause is about talk, thought or a picture just shown."""
    first = next((each.text.lower() for each in clause.relation if each.dep == "prep"), "")
    lemma = clause.verb.lemma.lower()
    if lemma == "be" and clause.object.lemma.lower() in _YOUNG:
        return True
    if lemma in LIKING and clause.object.head == clause.verb.at and _is_definite(sentence, clause):
        return True
    return lemma in EMPTY_VERBS and (lemma, first) not in TELLING_PAIRS


def _separate(sentence: Sentence, head: Token) -> tuple[Token, ...]:
    """Return the heads of joined nouns if each can stand for itself, else only the first."""
    joined = _joined(sentence, head)
    if any(sentence.child(each, "prep", "relcl", "acl") for each in (head, *joined)):
        return (head,)
    bare = not sentence.children(head, "compound", "amod", "det", "poss", "nummod")
    if bare and any(sentence.children(each, "compound", "amod") for each in joined):
        return (head,)
    return (head, *joined)


def _joined(sentence: Sentence, head: Token) -> tuple[Token, ...]:
    joined = sentence.child(head, "conj")
    return () if joined is None else (joined, *_joined(sentence, joined))


def _target(
    sentence: Sentence,
    head: Token,
    people: People,
    dates: Sequence[PlacedDate],
    *,
    joined: bool,
) -> str | None:
    """Return the object, unless it is the listener's, a date, or joined to another kind of word."""
    if _is_me(sentence, head):
        return people.speaker
    tokens = sentence.subtree(head)
    if _mentions_listener(tokens) or any(date.is_in(tokens) for date in dates):
        return None
    kinds = {each.tag.rstrip("SP") for each in (head, *_joined(sentence, head))}
    if len(kinds) > 1 and not kinds <= {"NN", "NNP"}:
        return None
    return whole_phrase(sentence, head, people, joined=joined)


def _mentions_listener(tokens: Sequence[Token]) -> bool:
    return any(token.norm.lower() in LISTENER for token in tokens)


def _subject(sentence: Sentence, clause: Clause, people: People) -> str | None:
    """Return the name of the subject: the speaker, someone named, or what is the speaker's."""
    subject = clause.subject
    if subject is None:
        return people.speaker
    if subject.tag == "PRP":
        word = subject.norm.lower()
        if word == "we" and _is_told(clause):
            return f"{people.speaker} and others"
        return people.speaker if word == "i" else None
    is_named = subject.tag in ("NNP", "NNPS") and subject.entity == "PERSON"
    general = sentence.child(subject, "det", "poss") is None
    if general and subject.text.lower() in PARENTS:
        return f"{people.speaker}'s {subject.text.lower()}"
    affects = general and _is_me(sentence, clause.object)
    describes = affects or (clause.verb.lemma == "be" and _is_mine(sentence, clause.object))
    if not (is_named or _is_mine(sentence, subject) or describes):
        return None
    name = whole_phrase(sentence, subject, people, joined=False)
    joined = _joined(sentence, subject)
    if name is None or not joined:
        return name
    with_speaker = len(joined) == 1 and joined[0].norm.lower() == "i"
    return f"{name} and {people.speaker}" if with_speaker else None


def _is_told(clause: Clause) -> bool:
    """Return whether "we" did something, or like something, and are not merely something."""
    verbs = [part for part in clause.relation if part.pos in ("VERB", "AUX")]
    told = verbs[0].tag == "VBD" or len(verbs) > 1 or clause.verb.lemma not in ("have", "need")
    return told and clause.verb.lemma != "be"


def _is_me(sentence: Sentence, noun: Token) -> bool:
    only = len(sentence.children(sentence.at(noun.head), "dobj")) == 1
    return noun.tag == "PRP" and noun.norm.lower() == "me" and noun.dep == "dobj" and only


def _is_mine(sentence: Sentence, noun: Token) -> bool:
    return any(child.norm.lower() == "my" for child in sentence.children(noun, "poss"))
