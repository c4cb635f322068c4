"""REALTALK: ten real chats over 21 days, with 728 questions (paper, Datasets).

One episode is one session of the file. In five chats, the session number in a message id may differ
from that of the session with the message. Repeated messages are kept, because they were really sent
more than once.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remem.benchmarks.chat_sessions import numbered_sessions, parse_time
from remem.benchmarks.evidence_ids import Resolver, choose_rule, resolve, within_session
from remem.benchmarks.json_files import (
    checked,
    field,
    gold_text,
    missing_file,
    read_json,
    strings,
)
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question

DATE_LAYOUT = "%d.%m.%Y, %H:%M:%S"
"""Day first: 05.01.2024 is the fifth of January."""

CHAT_FILE = re.compile(r"(Chat_([0-9]+)_.*\.json)(?:\.gz)?")


class RealTalk(BenchmarkOnLoaded):
    """The published benchmark: a folder of `Chat_<n>_<speaker>_<speaker>.json`."""

    def __init__(self, *, data: str, evidence_rule: str) -> None:
        chats: dict[int, Any] = {}
        files = []
        for number, file in chat_files(Path(data)):
            chats[number], source = read_json(Path(data), "realtalk", file)
            files.append(source)
        self._loaded = self.from_json(chats, evidence_rule=evidence_rule, files=files)

    @staticmethod
    def from_json(
        chats: dict[int, Any], *, evidence_rule: str, files: Sequence[DataFile]
    ) -> LoadedBenchmark:
        """Return the benchmark from parsed JSON with the structure of the chat files.

        Args:
            chats: The chats by their file number.
            evidence_rule: `paper` or `tolerant`, see `evidence_ids`.
            files: The files that the data came from.
        """
        rule = choose_rule(evidence_rule, paper=within_session)
        questions_of_history = []
        for number in sorted(chats):
            history = read_history(chats[number], f"chat-{number}")
            questions_of_history.append(
                (history, read_questions(chats[number], history, rule(history)))
            )
        return LoadedBenchmark(questions_of_history, files)


def chat_files(data: Path) -> list[tuple[int, str]]:
    """Return the numbers and names (without .gz) of the chats, in numeric order."""
    folder = data / "realtalk"
    entries = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    names = {match[1]: int(match[2]) for e in entries if (match := CHAT_FILE.fullmatch(e))}
    if not names:
        raise missing_file(folder / "Chat_<n>_<speaker>_<speaker>.json", "realtalk")
    if len(set(names.values())) < len(names):
        raise ValueError(f"{folder} has two chats with the same number: {', '.join(sorted(names))}")
    return sorted((number, name) for name, number in names.items())


def read_history(raw: Any, history_id: str) -> History:
    """Return one chat with its sessions."""
    sessions = numbered_sessions(checked(raw, dict, history_id), history_id)
    return History(
        history_id,
        tuple(
            Episode(key, tuple(read_message(m, f"{key} of {history_id}") for m in messages))
            for key, messages in sessions
        ),
    )


def read_message(raw: Any, where: str) -> Message:
    """Return one message with its own date."""
    message_id = field(raw, "dia_id", str, f"a message in {where}")
    message = f"{message_id} in {where}"
    date = field(raw, "date_time", str, message)
    return Message(
        id=message_id,
        speaker=field(raw, "speaker", str, message),
        text=field(raw, "clean_text", str, message),
        time=parse_time(date, DATE_LAYOUT, message),
        date=date,
        caption=checked(raw.get("blip_caption") or "", str, f"the caption of {message}"),
    )


def read_questions(raw: Any, history: History, resolver: Resolver) -> list[Question]:
    """Return the questions of one chat; all of them have an answer."""
    questions = []
    for index, item in enumerate(field(raw, "qa", list, history.id)):
        query_id = f"{history.id}/q{index}"
        evidence, unresolved = resolve(resolver, strings(item, "evidence", query_id))
        gold = Gold(
            answers=(gold_text(item.get("answer"), query_id),),
            category=str(field(item, "category", int, query_id)),
            evidence=evidence,
            unresolved=unresolved,
            group=history.id,
        )
        text = field(item, "question", str, query_id).strip()
        questions.append(Question(Query(query_id, history.id, index, text), gold))
    return questions
