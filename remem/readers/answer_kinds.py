"""Find out whether a sentence contains what a question asks for, such as a date."""

import re

from remem.readers.exchanges import REPLIES
from remem.readers.extractive import asks_date
from remem.readers.question_kinds import question_kind
from remem.readers.ranked_sentences import terms
from remem.temporal.dates import MONTH_PATTERN
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint

_NUMBERS = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|once|hundred"
)
_COLOURS = (
    r"black|blue|brown|gr[ae]y|green|orange|pink|purple|red|silver|turquoise|violet|white|yellow"
)
_UNITS = r"(?:min|minute|hour|hr|h|day|night|week|month|year)s?\b"
_NO_PLACE = (
    rf"(?:(?:the\s+)?(?:{MONTH_PATTERN}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{_NUMBERS}|\d)|"
    r"last|least|all|time|noon|night|midnight|once|the end|(?:my|your|his|her|our|their)\s+"
    r"(?:mum|mom|dad|own)|(?:be|get|do|go|see|have|me|you|him|them|us|it)\b)"
)
_KIN = (
    r"mum|mom|dad|mother|father|sister|brother|cousin|aunt|uncle|gran|grandma|grandpa|wife|husband|"
    r"son|daughter|friend|neighbou?r|boss|colleague"
)
NAME = re.compile(rf"(?<=[\w,:]\s)(?!(?:{MONTH_PATTERN}|\w+day)\b)[A-Z][a-z]+")
_BEFORE_NAME = re.compile(rf"\b(\w+),?\s+(?={NAME.pattern})")
_PERSON = re.compile(
    rf"{NAME.pattern}|(?i:^\W*(?:me|mine|I (?:do|did|can|will|have|am|was))\b\W*(?:$|[!,.])|"
    rf"\b(?:I|we)\b.{{1,60}}\b(?:it|them|him|her|that|those|one)\b|\b(?:{_KIN})\b)"
)
_FIRST_PERSON = re.compile(r"\b(?:I|i|me|mine|we)\b")
_WHO_IS = re.compile(r"\bwho(?:['\u2019]s|\s+(?:is|was))\s+(\w+)(?:\s+again)?\W*$", re.IGNORECASE)
_ROLE = r"(?:an?|my|our|the|his|her|their|your|\w+['\u2019]s)\s"
_NOUN = (
    r"(?!(?:of|to|for|with|and|or|from|at|in|on|by|is|was|are|were|has|had|that|who|when|if)\b)"
    r"[\w'\u2019-]+"
)
_NAME_AND_ROLE = re.compile(rf"{NAME.pattern}(?:,|\s+(?:is|was))\s+{_ROLE}")
_WHY = re.compile(r"\b(?:why|how come|what happened)\b|^\W*what\W*$", re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|since|so that|due to|cause|cos|bc)\b", re.IGNORECASE)
_NAMING = re.compile(
    r"\bnames?\b|\b(?:call|named?|called)\W*$|^\W*what\b.*\b(?:called|named)\b", re.IGNORECASE
)
_IS_CALLED = re.compile(r"\b(?:called|named?|names|call)\b", re.IGNORECASE)
_DATE_OR_TIME = re.compile(
    r"\bthe\s+\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[ap]\.?m\b|"
    r"\b(?:at|around|from|until|by)\s+\d{1,2}\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\bwhere\b|\b(?:what|which)\s+(?:place|city|town|country|street)\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"(?i)\b(?:in|at|near|on|behind|under|next to|by|inside|above|below|between|opposite|from|into)"
    rf"\s+(?!{_NO_PLACE})(?:(?:the|an?|my|our|your|his|her|their)\s+)?[\w'\u2019-]+|"
    r"\bto\s+(?:(?:the|an?|my|our)\s+\w+|(?-i:[A-Z])\w+)|\b(?:upstairs|downstairs|outside|home)\b"
)
_NUMBER_KINDS = tuple(
    (re.compile(asking, re.IGNORECASE), re.compile(having, re.IGNORECASE))
    for asking, having in (
        (r"\bhow\s+long\b", rf"(?:\d|\b(?:an?|{_NUMBERS}))\s*(?:and a half\s+)?{_UNITS}"),
        (
            r"\bhow\s+old\b",
            rf"(?:\d|\b(?:{_NUMBERS}))\s*(?:{_UNITS}|old\b)|"
            r"\b(?:is|am|turns?|turned|aged?|birthday|born)\W+(?:\w+\s+)?\d+\b(?![:.]\d)",
        ),
        (r"\bhow\s+much\b", rf"\d(?![\d.,]{{0,12}}(?:(?:st|nd|rd|th|km?|kg|[ap]m)\b|\s*{_UNITS}))"),
        (
            r"\bhow\s+(?:many|often|far|tall|big|cold|fast)\b|\bwhat\s+time\b",
            rf"\d|\b(?:{_NUMBERS})\b",
        ),
        (r"\bcolou?r\b", rf"\b(?:{_COLOURS})\b"),
    )
)


def has_kind(
    question: str,
    sentence: str,
    sent_at: TimePoint | None,
    replied_to: str = "",
    names: frozenset[str] = frozenset(),
) -> bool:
    """Return whether a sentence contains the kind of thing that a question asks for.

    `replied_to` is the question that the sentence replies to; `names` has all known names.

    >>> has_kind("Where is the key?", "It hangs on the door.", None)
    True
    >>> has_kind("Where is the key?", "I lost it on Monday.", None)
    False
    """
    who = _WHO_IS.search(question)
    if who is not None and (who[1].istitle() or terms(who[1]) & names):
        return _says_who(who[1], sentence, replied_to)
    having = [having for asking, having in _NUMBER_KINDS if asking.search(question)]
    dates = times_in(sentence, sent_at) if having or asks_date(question) else ()
    if asks_date(question):
        return bool(dates) or _DATE_OR_TIME.search(sentence) is not None
    for date in reversed(dates):  # the 2 of "2 March" is not a number of people
        sentence = f"{sentence[: date.start]}\u2026{sentence[date.end :]}"
    question_terms = terms(question)
    if _WHERE.search(question):
        return any(terms(place) - question_terms for place in _PLACE.findall(sentence))
    if _WHY.search(question):
        return bool(_WHY.search(replied_to) or _REASON.search(sentence))
    if _NAMING.search(question):
        named = terms(" ".join(_BEFORE_NAME.findall(sentence))) & question_terms
        says = _IS_CALLED.search(sentence) or _NAME_AND_ROLE.search(sentence)
        return bool(named or says or _NAMING.search(replied_to))
    added = terms(sentence) - question_terms - REPLIES
    if question_kind(question) == "person":
        mine = _FIRST_PERSON.search(sentence) and terms(sentence) & question_terms
        return bool(mine or _PERSON.search(sentence) or added & names)
    if having:
        return all(form.search(sentence) for form in having)
    return question_kind(question) == "truth" or bool(added)


def _says_who(name: str, sentence: str, replied_to: str) -> bool:
    """Return whether a sentence says who a person is: "my sister Ann", "Ann is a plumber"."""
    who_was_asked = _WHO_IS.search(replied_to)
    forms = (
        rf"\b{name}\W*(?:\s+(?:is|was)|['\u2019]s|[,(])\s*{_ROLE}",
        rf"\b{_ROLE}\s*(?:{_NOUN}\s+){{0,3}}{_NOUN},?\s+"
        rf"(?:(?:is\s+)?(?:called|named)\s+|name of\s+)?{name}\b",
        rf"(?:^|[,;:(-]\s*)(?:he|she|it|they)(?:['\u2019](?:s|re)|\s+(?:is|was|are))\s+{_ROLE}",
    )
    replies = who_was_asked is not None and who_was_asked[1].lower() == name.lower()
    return replies or any(re.search(form, sentence, re.IGNORECASE) for form in forms)
