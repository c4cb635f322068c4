"""BEAM: long chats of a user with an assistant, 20 questions on each (Tavakoli et al. 2025).

Each turn of the file becomes one episode: a main question with its follow-ups, in two to eight
messages. The file groups turns into batches of about 64 long messages, too many for one extraction.
The only date in the data is the time anchor of each batch, so every message gets the anchor of its
batch.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from remem.benchmarks.beam_questions import RawQuestion, count_flaws, raw_questions, read_question
from remem.benchmarks.chat_sessions import parse_time
from remem.benchmarks.json_files import checked, field, missing_file, read_json
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.intake import Account, Intake
from remem.protocols import DataFile
from remem.time_scope import TimePoint
from remem.types import Episode, History, Message

DATE_LAYOUT = "%B-%d-%Y"
PLAN_MARK = re.compile(r"\s*->->.*")
"""The item of the writing plan at the end of a message; it is not part of the conversation."""

MARKED = "the mark of the writing plan at their end was removed"

PLAN_KEY = re.compile(r"plan-[0-9]+")
"""The key of an item of a 10M chat: each item holds one plan under its only key."""


@dataclass(frozen=True, slots=True)
class RawChat:
    """A chat as read from its files: its id, its batches, and its questions by ability."""

    id: str
    batches: tuple[Any, ...]
    questions: tuple[RawQuestion, ...]


class Beam(BenchmarkOnLoaded):
    """The published benchmark: the folders `beam/<size>/<number>/` with two files each.

    Args:
        data: The folder of the data.
        size: The folder of the chats: "100K", "500K", "1M" or "10M".
        chats: The numbers of the chats to read; None for all.
    """

    def __init__(self, *, data: str, size: str, chats: Sequence[int] | None) -> None:
        raw, files = [], []
        for number in chat_numbers(Path(data), size, chats):
            folder = f"{size}/{number}"
            chat, chat_file = read_json(Path(data), "beam", f"{folder}/chat.json")
            probing_questions, asked_file = read_json(
                Path(data), "beam", f"{folder}/probing_questions.json"
            )
            raw.append(raw_chat(f"{size}-{number}", chat, probing_questions))
            files += [chat_file, asked_file]
        self._loaded = self.from_raw(raw, files)
        self._flaws = count_flaws(
            [batch for chat in raw for batch in chat.batches],
            [message for chat in raw for message in raw_messages(chat)],
            [question for chat in raw for question in chat.questions],
        )

    @staticmethod
    def from_raw(chats: Sequence[RawChat], files: Sequence[DataFile]) -> LoadedBenchmark:
        """Build the benchmark from parsed chats."""
        questions_of_history = []
        for chat in chats:
            history = read_history(chat)
            ids = frozenset(message.id for message in history.messages())
            questions = [
                read_question(question, history.id, index, ids)
                for index, question in enumerate(chat.questions)
            ]
            questions_of_history.append((history, questions))
        return LoadedBenchmark(questions_of_history, files, (_account(chats),))

    def flaws(self) -> Mapping[str, int]:
        """Return how often each flaw of the data occurs."""
        return self._flaws


def chat_numbers(data: Path, size: str, chats: Sequence[int] | None) -> list[int]:
    """Return the numbers of the chats of one size, in order.

    Raises:
        FileNotFoundError: There is no chat of this size.
        ValueError: A chosen chat is missing.
    """
    folder = data / "beam" / size
    entries = folder.iterdir() if folder.is_dir() else []
    there = sorted(int(path.name) for path in entries if re.fullmatch("[0-9]{1,6}", path.name))
    if not there:
        raise missing_file(folder / "<number>" / "chat.json", "beam")
    missing = [number for number in chats or () if number not in there]
    if missing:
        raise ValueError(
            f"dataset.build.chats names {missing}, but {folder} has only the chats {there}: "
            f"choose among these, or null for all"
        )
    return sorted(chats) if chats else there


def raw_chat(chat_id: str, chat: object, questions: object) -> RawChat:
    """Return the parts of a chat from the parsed JSON of its two files."""
    batches = [_batches(item, chat_id) for item in checked(chat, list, f"the chat of {chat_id}")]
    return RawChat(chat_id, tuple(chain(*batches)), tuple(raw_questions(questions, chat_id)))


def raw_messages(chat: RawChat) -> Iterator[Any]:
    """Iterate over the messages of a chat, unchanged from the file."""
    for place, batch in enumerate(chat.batches, 1):
        for turn in field(batch, "turns", list, f"batch {place} of {chat.id}"):
            yield from checked(turn, list, f"a turn in batch {place} of {chat.id}")


def read_history(chat: RawChat) -> History:
    """Return the history of a chat, with one episode per turn."""
    turns = (_read_batch(batch, place, chat.id) for place, batch in enumerate(chat.batches, 1))
    return History(chat.id, tuple(chain(*turns)))


def without_plan_mark(text: str) -> str:
    """Return a message text without the reference to a writing plan at its end.

    >>> without_plan_mark("I sold the boat. ->-> 1,1")
    'I sold the boat.'
    """
    return PLAN_MARK.sub("", text)


def _account(chats: Sequence[RawChat]) -> Account:
    """Return the account of the messages; the mark of the writing plan is removed from some."""
    intake: Intake[Any] = Intake("messages")
    for chat in chats:
        for message in raw_messages(chat):
            intake.keep(message["id"])
            if without_plan_mark(message["content"]) != message["content"]:
                intake.repair(f"message {message['id']} of {chat.id}", MARKED)
    return intake.account(arrived=sum(1 for chat in chats for _ in raw_messages(chat)))


def _batches(item: object, chat_id: str) -> list[Any]:
    """Return the batches in an item of a chat: the item itself, or the batches of a plan (10M)."""
    plan, batches = next(iter(item.items()), ("", [])) if isinstance(item, dict) else ("", [])
    if PLAN_KEY.fullmatch(plan):
        return checked(batches, list, f"{plan!r} of {chat_id}")
    return [item]


def _read_batch(batch: object, place: int, chat_id: str) -> Iterator[Episode]:
    where = f"batch {place} of {chat_id}"
    turns = [
        checked(turn, list, f"a turn in {where}") for turn in field(batch, "turns", list, where)
    ]
    date = _anchor([message for turn in turns for message in turn], where)
    day = replace(parse_time(date, DATE_LAYOUT, where), minute=None) if date else None
    for number, turn in enumerate(turns, 1):
        messages = (_read_message(raw, date, day, f"turn {number} of {where}") for raw in turn)
        yield Episode(f"batch_{place}_turn_{number}", tuple(messages))


def _anchor(messages: Sequence[object], where: str) -> str:
    """Return the only time anchor of a batch, as the file writes it; empty if it has none."""
    anchors = [message.get("time_anchor") for message in messages if isinstance(message, dict)]
    dates = {checked(date, str, f"a time anchor of {where}") for date in anchors if date}
    if len(dates) > 1:
        raise ValueError(f"{where} has several time anchors, {sorted(dates)}; expected only one")
    return next(iter(dates), "")


def _read_message(raw: object, date: str, day: TimePoint | None, where: str) -> Message:
    number = field(raw, "id", int, f"a message in {where}")
    message = f"message {number} in {where}"
    return Message(
        id=str(number),
        speaker=field(raw, "role", str, message),
        text=without_plan_mark(field(raw, "content", str, message)),
        time=day,
        date=date,
    )
