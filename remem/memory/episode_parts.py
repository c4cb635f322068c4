"""Render the messages of an episode for extraction, split them, and find sources of items.

If the model's reply is cut, each half of the episode is extracted, and the results are merged.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from remem.errors import UnusableReplyError
from remem.passages import undated_line
from remem.prompts.replies import CutReplyError
from remem.protocols import ChatReply
from remem.temporal.dates import format_point
from remem.types import Message, Usage

Item = TypeVar("Item")
Items = tuple[Item, ...]
Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class ExtractedPart(Generic[Item]):
    """The messages of one request, and all items that the model found in them."""

    messages: Messages
    items: Items[Item]


def unless_cut(
    parse: Callable[[ChatReply], Items[Item]], messages: Messages
) -> Callable[[ChatReply], Items[Item] | None]:
    """Return a parser that returns None for a cut reply if the messages can be split.

    A single message cannot be split. If the reply to it was cut within an item, the reply is
    rejected, and the model is asked again. If the reply is only marked as cut because its list was
    full, the items are used.
    """

    def parsed(reply: ChatReply) -> Items[Item] | None:
        was_full = reply.truncated and reply.text.rstrip().endswith("}")
        if was_full and len(messages) > 1:
            return None
        try:
            return parse(reply)
        except CutReplyError:
            if len(messages) > 1:
                return None
            raise

    return parsed


def ask_in_halves(
    messages: Messages, ask: Callable[[Messages], tuple[Items[Item] | None, Usage]]
) -> tuple[tuple[ExtractedPart[Item], ...], Usage]:
    """Ask about all messages at once; if the reply was cut, ask in the same way about each half.

    Args:
        messages: The messages in order.
        ask: Returns the items that a model finds in messages, or None if its reply was cut.

    Raises:
        UnusableReplyError: A part has no usable reply; `usage` covers the calls for all parts.
    """
    items, usage = ask(messages)
    if items is not None:
        return (ExtractedPart(messages, items),), usage
    parts: tuple[ExtractedPart[Item], ...] = ()
    middle = len(messages) // 2
    for half in (messages[:middle], messages[middle:]):
        try:
            replies, taken = ask_in_halves(half, ask)
        except UnusableReplyError as error:
            error.usage += usage
            raise
        parts, usage = parts + replies, usage + taken
    return parts, usage


def each_once(
    parts: Sequence[ExtractedPart[Item]], identity: Callable[[Item], Hashable]
) -> tuple[ExtractedPart[Item], ...]:
    """Keep only the first occurrence of each item in the parts; leave a single part unchanged."""
    if len(parts) == 1:
        return tuple(parts)
    stated: set[Hashable] = set()
    merged = []
    for part in parts:
        new: dict[Hashable, Item] = {}
        for item in part.items:
            new.setdefault(identity(item), item)
        merged.append(
            ExtractedPart(part.messages, tuple(new[key] for key in new if key not in stated))
        )
        stated |= new.keys()
    return tuple(merged)


def session_text(messages: Sequence[Message], *, captions: bool) -> str:
    """Return the messages of an episode as text, with a date line whenever the day changes."""
    lines: list[str] = []
    day = ""
    for message in messages:
        if (today := _day(message)) != day:
            day = today
            lines.append(f"Date: {_date(message)}")
        lines.append(_line(message, captions=captions))
    return "\n".join(lines)


def _line(message: Message, *, captions: bool) -> str:
    line = " ".join(undated_line(message).split())
    caption = " ".join(message.caption.split())
    return f"{line} [image: {caption}]" if captions and caption else line


def _day(message: Message) -> str:
    return str(message.time).partition("T")[0] if message.time else message.date


def _date(message: Message) -> str:
    return format_point(message.time) if message.time else message.date


MOST_MESSAGES = 3
NEARLY_AS_GOOD = 0.5
"""Minimum weight of a further source message, as a share of the best message's weight."""

_WORD = re.compile(r"\w+")


class Attribution:
    """An index of the words in an episode's messages, used to find the sources of texts."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._ids = tuple(message.id for message in messages)
        self._words = [_words(f"{message.speaker} {message.text}") for message in messages]
        held_by = Counter(word for words_of_message in self._words for word in words_of_message)
        self._weights = {word: 1 / count for word, count in held_by.items()}

    def supporting(self, text: str) -> tuple[str, ...]:
        """Return the ids of the one to three messages most similar to a text, in message order.

        If no message shares a word with the text, return all ids.
        """
        weights = self._shared(text)
        if not any(weights):
            return self._ids
        best = sorted(range(len(weights)), key=lambda at: -weights[at])[:MOST_MESSAGES]
        floor = NEARLY_AS_GOOD * weights[best[0]]
        return tuple(self._ids[at] for at in sorted(best) if weights[at] >= floor)

    def nearest(self, text: str) -> str:
        """Return the id of the message most similar to a text; the first message wins a tie."""
        weights = self._shared(text)
        return self._ids[weights.index(max(weights))]

    def _shared(self, text: str) -> list[float]:
        """Return the weight of the words that each message shares with a text."""
        shared_words = sorted(_words(text) & self._weights.keys())
        return [
            sum(self._weights[word] for word in shared_words if word in has) for has in self._words
        ]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
