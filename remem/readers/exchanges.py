"""Find the question that a chat message replies to, since replies seldom repeat its topic."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remem.readers.question_kinds import Kind, question_kind
from remem.readers.ranked_sentences import CHATTER, terms
from remem.types import Message

LOOK_BACK, FURTHER = 8, 0.95
"""Earlier messages of the same day that count, and the factor for each step back."""
ABOUT = 2
"""Messages before a question that say what it is about, as in "We move." "And when?"."""
OWN, BEFORE, ASKED_BEFORE = 0.6, 0.3, 0.85
"""The weight of a word that occurs only in an earlier message by the same person, by another
person, or in the exchange that a reply belongs to."""

REPLIES = terms(
    "ok okay no nope sorry fine lol haha hahaha ha omg wow thx ty please congrat right true maybe "
    "idk dunno idea hm ah oh ooh aww again btw same deal done exactly course cant wait not"
) | terms(" ".join(CHATTER))
_SAYS_MORE = re.compile(r"\d|\b(?:I|i|me|mine|we)\b")
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")
_ASKS = re.compile(
    r"\?|^\W*(?:(?:and|so|ok|but|guys|hey|also)\W+)*(?:who\b|what\b(?!\s+an?\b)|which\b|how come\b|"
    r"(?:when|where|why|how)(?:['\u2019]s\b|\s+(?:is|are|was|were|do|does|did|can|could|will|would|"
    r"should|have|has|many|much|long|old)\b)|(?:do|does|did|can|could|will|would|should|have|has|is|are)"
    r"\s+(?:you|u|he|she|it|we|they|i|there|any\w+|some\w+)\b|"
    r"(?:does|can|will|has|is|are)\s+(?:the|your|my|our)\b)|"
    r"[,.;!]\s*(?:what|why|how)(?:['\u2019]s|\s+(?:is|are|do|does|did))\b|"
    r"\b(?:who|what|when|where|why|how)(?:\s+(?:long|much|many|old|come|time))?\W*$",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"^(?!.*\byour?\b).*\b(?:i|me|my|mine|we|our|us)\b", re.IGNORECASE)
_ASKS_WHAT = re.compile(r"\b(?:what(?!\s+time)|which|why|how)\b\W+\w", re.IGNORECASE)


def asks(text: str) -> bool:
    """Return whether a text asks something, with or without a question mark.

    >>> asks("and where did you put it"), asks("nooo where"), asks("What a day")
    (True, True, False)
    """
    return _ASKS.search(text) is not None


def is_short_reply(text: str) -> bool:
    """Return whether a text says nothing by itself, such as "sure", "lol" or an emoji.

    >>> is_short_reply("yes!!"), is_short_reply("ohhhh, ok thanks"), is_short_reply("at 4")
    (True, True, False)
    """
    plain = _DRAWN_OUT.sub(r"\1", text)
    return _SAYS_MORE.search(plain) is None and terms(plain) <= REPLIES


@dataclass(frozen=True, slots=True)
class Exchange:
    """The context of a message: weighted terms, and the question that the message replies to."""

    layers: tuple[tuple[frozenset[str], float], ...]
    replied_to: str
    speakers: str


def exchange(messages: Sequence[Message], place: int, kind: Kind) -> Exchange:
    """Return the context of a message, from earlier messages of the same day.

    A message replies only to a question that another person asked and that may ask for `kind`. If
    the message before it is another person's question for something else, the context is empty.
    """
    message, layers, speakers, replied_to = messages[place], [], "", ""
    asked_at = 0
    for step in range(1, min(LOOK_BACK, place) + 1):
        before = messages[place - step]
        if _day(before) != _day(message):
            break
        own = before.speaker == message.speaker
        if not own and not replied_to and asks(before.text):
            if _may_ask(before.text, kind):
                replied_to, asked_at = before.text, step
            elif step == 1:
                break
        in_exchange = bool(replied_to) and step - asked_at <= ABOUT
        if in_exchange and _OF_ONESELF.search(before.text):
            speakers = f"{speakers} {before.speaker}"
        share = ASKED_BEFORE if in_exchange else OWN if own else BEFORE
        layers.append((terms(f"{before.text} {before.caption}"), share * FURTHER ** (step - 1)))
    return Exchange(tuple(layers), replied_to, speakers)


def _may_ask(text: str, kind: Kind) -> bool:
    """Return whether a question of the log may ask for this kind; "really?" may ask for any."""
    kind_asked = question_kind(text)
    return kind_asked in (kind, "truth") or (kind_asked == "words" and not _ASKS_WHAT.search(text))


def _day(message: Message) -> tuple[int, int | None, int | None] | None:
    time = message.time
    return (time.year, time.month, time.day) if time else None
