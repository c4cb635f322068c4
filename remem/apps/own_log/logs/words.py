"""Count the words of a log, and how many of them reached a message.

A word is a run of letters and digits. In a text file, every word counts. In JSON, only the words of
texts count. The values of keys such as "text" and "title" are texts, and so are other values of two
words or more. Ids, times, addresses and types are not texts. Reactions are not counted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import cache
from math import inf
from typing import Any

from remem.apps.own_log.logs.log import OTHER_BRANCHES, Reading
from remem.intake import Account, Intake

_WORD = re.compile(r"[^\W_]+")
_NO_TEXT = re.compile(r"[a-zA-Z][\w+.-]*:/*\S+|[\d\s:.,/+TZ-]*")
"""An address, or a moment in numbers."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TEXTS = "text content title caption body description message quote summary"
_NO_TEXTS = (
    "id ids uuid guid type types subtype mimetype kind ts date time timestamp unixtime ms at on "
    "url urls uri href link path hash color colour lang locale timezone tz model version "
    "thumbnail thumb avatar icon icons token signature currency slug"
)
_TEXT_KEYS, _NO_TEXT_KEYS = frozenset(_TEXTS.split()), frozenset(_NO_TEXTS.split())
_NOT_WORDS = frozenset({"reactions"})
Path = tuple[Any, str | int]
"""The path of a value above, or the place of the part of the log, and the key or number in it."""


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.casefold())


def texts_besides(value: Any, shown: str, unread: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the texts in a JSON value that have a word not found in `shown` or an earlier text."""
    known = set[str]()
    for _, _, text in _texts(value, ("", ""), frozenset(), unread):
        known = known or set(words(shown))
        if new := set(words(text)) - known:
            known |= new
            yield text.strip()


def word_account(reading: Reading) -> Account:
    """Count the words of a log that reached a message, and those that did not."""
    stocks, owners = _stocks(reading), {id(record.source): record for record in reading.records}
    not_read: Intake[str] = Intake("words")
    read = unread = 0
    for place, part in reading.source:
        for path, owner, text in _texts(part, (place, ""), stocks.keys(), reading.unread):
            stock = stocks[owner]
            for word in words(text):
                if stock.get(word, 0) > 0:
                    stock[word] -= 1
                    read += 1
                else:
                    by_choice = owner in owners and owners[owner].left_out == OTHER_BRANCHES
                    not_read.leave_out(_format(path), OTHER_BRANCHES if by_choice else "")
                    unread += 1
    left_out = not_read.account(arrived=unread).left_out
    return Account("words", read + unread, read, left_out)


def _stocks(reading: Reading) -> dict[int | None, dict[str, float]]:
    """Return how often each word was read, by the `id` of its JSON record; None for other texts.

    A JSON record often repeats a text, so the number is infinite for its words. The words of a
    text file are counted.
    """
    stocks: dict[int | None, dict[str, float]] = {}
    lines = Counter(words(reading.besides))
    names = set[str]()
    for record in reading.records:
        item = record.message
        texts = f"{item.message.speaker} {item.message.text}"
        session = f"{item.session} {item.chat}"
        names.add(session)
        if record.source is None:
            lines.update(words(texts))
        else:
            known = words(f"{texts} {item.message.date} {session} {record.besides}")
            stocks.setdefault(id(record.source), {}).update(dict.fromkeys(known, inf))
    others: dict[str, float] = dict(lines)
    stocks[None] = others | dict.fromkeys(words(" ".join(names)), inf)
    return stocks


def _texts(
    part: Any, top: Path, records: Set[int | None], unread: Set[str]
) -> Iterator[tuple[Path, int | None, str]]:
    """Yield the texts of a part with their paths and the records they are in, in order."""
    if isinstance(part, str):
        yield top, None, part
        return
    skipped = unread | _NOT_WORDS
    waiting: list[tuple[Path, str, Any, int | None]] = [(top, "", part, None)]
    while waiting:
        path, key, value, owner = waiting.pop()
        if isinstance(value, str):
            if _is_text(key, value):
                yield path, owner, value
        elif isinstance(value, Mapping):
            inner = id(value) if id(value) in records else owner
            named = [(each, item) for each, item in value.items() if each not in skipped]
            waiting += [((path, each), each, item, inner) for each, item in reversed(named)]
        elif isinstance(value, list):
            numbered = list(enumerate(value))
            waiting += [((path, at), key, item, owner) for at, item in reversed(numbered)]


def _is_text(key: str, value: str) -> bool:
    if _is_bookkeeping(key) or _NO_TEXT.fullmatch(value.strip()):
        return False
    if key in _TEXT_KEYS or not value.isascii():
        return True
    with_letters = (any(map(str.isalpha, word)) for word in value.split())
    return any(with_letters) and any(with_letters)  # at least two


@cache
def _is_bookkeeping(key: str) -> bool:
    return _CAMEL.sub("_", key).lower().rsplit("_", 1)[-1] in _NO_TEXT_KEYS


def _format(path: Path) -> str:
    steps = list[str]()
    above: Any = path
    while isinstance(above, tuple):
        above, step = above
        steps.append(f"[{step + 1}]" if isinstance(step, int) else f".{step}" if step else "")
    inside = "".join(reversed(steps)).lstrip(".")
    return f"{above}, {inside}" if inside else above
