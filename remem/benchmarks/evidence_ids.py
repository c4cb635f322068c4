"""Resolve the evidence strings of LoCoMo and REALTALK ("D3:5" is session 3, message 5).

The rule `paper` follows the released code for each dataset. The rule `tolerant` reads what the
annotators wrote: odd separators, ranges, leading zeros, and gaps in the numbering.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remem.types import History

MESSAGE_ID = re.compile(r"D(0|[1-9][0-9]{0,8}):(0|[1-9][0-9]{0,8})")
WRITTEN_ID = re.compile(
    r"D?:?\s*(?<![0-9])([0-9]{1,9})\s*[:;]\s*([0-9]{1,9})(?![0-9])"  # D3:5, D:3:5, D 3:5, 3:5, D3;5
    r"(?:\s*-\s*D?\1:([0-9]{1,9})(?![0-9]))?"  # D3:5-D3:9, within one session
)
LONGEST_RANGE = 10_000
"""Maximum length of a range of messages; no session is longer, so a longer range is invalid."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as written, and the id of its message; None if there is no such message."""

    written: str
    message_id: str | None


Resolver = Callable[[str], list[Reference]]
"""Turns one evidence string into its references."""

EvidenceRule = Callable[[History], Resolver]


def choose_rule(name: str, paper: EvidenceRule) -> EvidenceRule:
    """Return the rule with this name; `paper` is the released code's rule for the dataset."""
    if name == "paper":
        return paper
    if name == "tolerant":
        return tolerant
    raise ValueError(f"evidence_rule is {name!r}, expected 'paper' or 'tolerant'")


def resolve(resolver: Resolver, evidence: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the distinct ids of the named messages, and the strings that name no message."""
    references = [reference for written in evidence for reference in resolver(written)]
    message_ids = dict.fromkeys(r.message_id for r in references if r.message_id is not None)
    return tuple(message_ids), tuple(r.written for r in references if r.message_id is None)


def by_position(history: History) -> Resolver:
    """Return a resolver like the released code for LoCoMo: D3:5 is the 5th message of session 3.

    Several references are separated by "; ".
    """
    sessions = {episode.id: episode.messages for episode in history.episodes}

    def find(piece: str) -> str | None:
        try:
            session, position = (int(part) for part in piece[1:].split(":")[:2])
        except ValueError:
            return None
        messages = sessions.get(f"session_{session}", ())
        return messages[position - 1].id if 1 <= position <= len(messages) else None

    return lambda written: [Reference(piece, find(piece)) for piece in written.split("; ")]


def within_session(history: History) -> Resolver:
    """Return a resolver like the released code for REALTALK, which looks only in the named session.

    Message ids have the session numbers of an older division of the chats, so a message may be in
    another session than its id says. Four in ten references are therefore not found.
    """
    sessions = {episode.id: {m.id for m in episode.messages} for episode in history.episodes}

    def find(piece: str) -> str | None:
        try:
            session = int(piece[1:].partition(":")[0])
        except ValueError:
            return None
        return piece if piece in sessions.get(f"session_{session}", ()) else None

    return lambda written: [Reference(p, find(p)) for p in map(str.strip, written.split(";"))]


def tolerant(history: History) -> Resolver:
    """Return a resolver that finds every id in an evidence string.

    If the numbers of a session have a gap, an id in the gap means the message before it, into which
    the missing message was merged. An id before the first or after the last message of its session
    means no message.
    """
    numbers: dict[int, list[int]] = {}
    for session, number in sorted(session_and_number(m.id) for m in history.messages()):
        numbers.setdefault(session, []).append(number)

    def find(session: int, number: int) -> str | None:
        numbers_of_session = numbers[session]
        if not numbers_of_session[0] <= number <= numbers_of_session[-1]:
            return None
        return f"D{session}:{numbers_of_session[bisect_right(numbers_of_session, number) - 1]}"

    def references(match: re.Match[str]) -> list[Reference]:
        session = int(match[1])
        first, last = sorted((int(match[2]), int(match[3] or match[2])))
        if session not in numbers:
            return [Reference(match[0], None)]
        # A range past the end gets only one unresolved reference.
        end = max(first, min(last, numbers[session][-1] + 1))
        if end - first > LONGEST_RANGE:
            return [Reference(match[0], None)]
        return [Reference(match[0], find(session, n)) for n in range(first, end + 1)]

    def resolver(written: str) -> list[Reference]:
        references_of_text = [
            r for match in WRITTEN_ID.finditer(written) for r in references(match)
        ]
        return references_of_text or [Reference(written, None)]

    return resolver


def session_and_number(message_id: str) -> tuple[int, int]:
    """Return the session number and the message number of a message id."""
    match = MESSAGE_ID.fullmatch(message_id)
    if match is None:
        raise ValueError(f"the message id {message_id!r} does not have the form 'D3:5'")
    return int(match[1]), int(match[2])
