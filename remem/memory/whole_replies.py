"""Split a passage in halves if the model's reply is cut, and merge the results."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from remem.errors import UnusableReplyError
from remem.prompts.replies import CutReplyError
from remem.protocols import ChatReply
from remem.types import Message, Usage

Item = TypeVar("Item")
Items = tuple[Item, ...]
Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Part(Generic[Item]):
    """Messages that were in one request, and all items that the model found in them."""

    messages: Messages
    items: Items[Item]


def unless_cut(
    parse: Callable[[ChatReply], Items[Item]], messages: Messages
) -> Callable[[ChatReply], Items[Item] | None]:
    """Return a parser that gives None for a cut reply if the passage can be split.

    A single message cannot be split: its cut reply is rejected, and the model is asked again. But a
    list that was closed at its maximum length is accepted.
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


def in_whole_replies(
    messages: Messages, ask: Callable[[Messages], tuple[Items[Item] | None, Usage]]
) -> tuple[tuple[Part[Item], ...], Usage]:
    """Ask for all messages at once, and for each half again if the reply was cut.

    Args:
        messages: The messages in order.
        ask: Returns the items that a model finds in messages, or None if its reply was cut.

    Raises:
        UnusableReplyError: A part has no usable reply; its usage includes that of all parts.
    """
    items, usage = ask(messages)
    if items is not None:
        return (Part(messages, items),), usage
    parts: tuple[Part[Item], ...] = ()
    middle = len(messages) // 2
    for half in (messages[:middle], messages[middle:]):
        try:
            found, taken = in_whole_replies(half, ask)
        except UnusableReplyError as error:
            error.usage += usage
            raise
        parts, usage = parts + found, usage + taken
    return parts, usage


def each_once(
    parts: Sequence[Part[Item]], identity: Callable[[Item], Hashable]
) -> tuple[Part[Item], ...]:
    """Remove items that an earlier part contains already; a single part is unchanged."""
    if len(parts) == 1:
        return tuple(parts)
    stated: set[Hashable] = set()
    merged = []
    for part in parts:
        new: dict[Hashable, Item] = {}
        for item in part.items:
            new.setdefault(identity(item), item)
        merged.append(Part(part.messages, tuple(new[key] for key in new if key not in stated)))
        stated |= new.keys()
    return tuple(merged)
