"""LoCoMo-Plus: 401 items that hide a cue in a conversation of LoCoMo and later allude to it.

Each item is its own history: a conversation of LoCoMo in which the cue is inserted at its date.
The question is asked seven days after the last session, and the cue comes `time_gap` before the
question. The data does not give items an id or a conversation, so the loader chooses them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np

from remem.benchmarks.chat_sessions import GapRule, checked_gap_rule, gap_days
from remem.benchmarks.json_files import checked, field, read_json
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.benchmarks.locomo import DATE_LAYOUT, read_history
from remem.intake import Account, Intake
from remem.time_scope import TimePoint
from remem.types import Episode, Gold, History, Message, Query, Question

QUERY_DELAY = timedelta(days=7)
"""The time from the last session to the question."""
CUE = "cue"
"""The id of the episode that is inserted; its messages are "D0:1", "D0:2" and so on."""

Choice = Literal["in_turn", "random"]


@dataclass(frozen=True, slots=True)
class LoCoMoPlusItem:
    """An item of the file; `cue` has (speaker, text) pairs, and `gap` is a time span in words."""

    relation: str
    cue: tuple[tuple[str, str], ...]
    trigger: str
    gap: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of LoCoMo, and the names of the speakers A and B."""

    history: History
    names: Mapping[str, str]


class LoCoMoPlus(BenchmarkOnLoaded):
    """The published items, stitched into the conversations of LoCoMo.

    Args:
        data: The folder of the data sets.
        file: The file of the items, in the folder `locomo_plus`.
        conversations: The file of the conversations, in the folder `locomo`.
        choice: `in_turn` cycles through the conversations, like `unified_input.py`, the code that
            the authors evaluated. `random` draws a conversation for each item, like
            `build_conv.py`, whose seed is unknown.
        seed: The seed of `random`.
        gap_rule: `released` or `counted`, see `chat_sessions.gap_days`.
    """

    def __init__(
        self,
        *,
        data: str,
        file: str,
        conversations: str,
        choice: Choice,
        seed: int,
        gap_rule: str,
    ) -> None:
        raw_items, items_file = read_json(Path(data), "locomo_plus", file)
        raw_conversations, conversations_file = read_json(Path(data), "locomo", conversations)
        self._items = read_items(raw_items, items_file.name)
        self._rule = checked_gap_rule(gap_rule)
        known = read_conversations(raw_conversations, conversations_file.name)
        places = choose_places(len(self._items), len(known), choice, seed)
        self._loaded = LoadedBenchmark(
            [
                stitch(item, index, known[place], self._rule)
                for index, (item, place) in enumerate(zip(self._items, places, strict=True))
            ],
            (items_file, conversations_file),
            (self._account(),),
        )

    def _account(self) -> Account:
        intake: Intake[LoCoMoPlusItem] = Intake("items")
        for place, item in enumerate(self._items):
            intake.keep(item)
            if gap_days(item.gap, self._rule) == 0:
                intake.repair(f"item {place}", "their time gap has no number and is read as 0 days")
        return intake.account(arrived=len(self._items))

    def flaws(self) -> Mapping[str, int]:
        """Return how often each known flaw of the items and of the stitching occurs."""
        histories = self._loaded.histories()
        repeated = Counter(item.cue for item in self._items)
        return {
            "cues of a single line": sum(len(item.cue) == 1 for item in self._items),
            "cues that repeat another": len(self._items) - len(repeated),
            "phrasings of the time gap": len({item.gap for item in self._items}),
            "time gaps without a number, read as 0 days as released": sum(
                gap_days(item.gap, "released") == 0 for item in self._items
            ),
            "cues before all sessions": sum(h.episodes[0].id == CUE for h in histories),
            "cues after all sessions": sum(h.episodes[-1].id == CUE for h in histories),
        }


def read_items(raw: Any, name: str) -> list[LoCoMoPlusItem]:
    """Return the items of the file."""
    items = []
    for place, record in enumerate(checked(raw, list, name)):
        where = f"item {place} of {name}"
        trigger = read_lines(field(record, "trigger_query", str, where), f"the trigger of {where}")
        if (speakers := [speaker for speaker, _ in trigger]) != ["A"]:
            raise ValueError(
                f"the trigger of {where} has lines by {', '.join(speakers)}, expected one line by A"
            )
        items.append(
            LoCoMoPlusItem(
                relation=field(record, "relation_type", str, where),
                cue=read_lines(field(record, "cue_dialogue", str, where), f"the cue of {where}"),
                trigger=trigger[0][1],
                gap=field(record, "time_gap", str, where),
            )
        )
    return items


def read_lines(text: str, where: str) -> tuple[tuple[str, str], ...]:
    """Return the speaker and the text of lines such as "A: Hello."; blank lines are left out.

    Raises:
        ValueError: There are no lines, or a line has no speaker or text.
    """
    lines = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        speaker, colon, line_text = line.partition(":")
        if speaker not in ("A", "B") or not colon or not line_text.strip():
            raise ValueError(f"{where} has the line {line[:60]!r}, expected 'A: ...' or 'B: ...'")
        lines.append((speaker, line_text.strip()))
    if not lines:
        raise ValueError(f"{where} has no lines, expected 'A: ...' or 'B: ...'")
    return tuple(lines)


def read_conversations(raw: Any, name: str) -> list[Conversation]:
    """Return the conversations of LoCoMo without their questions."""
    conversations = []
    for place, record in enumerate(checked(raw, list, name)):
        where = f"conversation {place} of {name}"
        history = read_history(record, where)
        chat = field(record, "conversation", dict, where)
        names = {each: field(chat, f"speaker_{each.lower()}", str, where) for each in ("A", "B")}
        conversations.append(Conversation(history, names))
    if not conversations:
        raise ValueError(f"{name} has no conversations: fetch it again")
    return conversations


def choose_places(items: int, conversations: int, choice: str, seed: int) -> list[int]:
    """Return the index of the conversation for each item.

    Raises:
        ValueError: The name of the choice is unknown.
    """
    if choice == "in_turn":
        return [index % conversations for index in range(items)]
    if choice == "random":
        places: list[int] = np.random.default_rng(seed).integers(conversations, size=items).tolist()
        return places
    raise ValueError(f"dataset.build.choice is {choice!r}, expected 'in_turn' or 'random'")


def stitch(
    item: LoCoMoPlusItem, index: int, conversation: Conversation, rule: GapRule
) -> tuple[History, list[Question]]:
    """Insert the cue of an item into a conversation; return it with the item's question."""
    query_id = f"plus-{index:03d}"
    base, names = conversation.history, conversation.names
    spoken = [episode for episode in base.episodes if episode.messages]
    if not spoken:
        raise ValueError(f"conversation {base.id!r} has no message, expected at least one")
    cue = _cue_episode(item, names, _cue_time(spoken, item.gap, rule))
    history = History(f"{query_id}-{base.id}", tuple(_in_order([*spoken, cue])))
    cue_text = "\n".join(f"{message.speaker}: {message.text}" for message in cue.messages)
    gold = Gold(
        answers=(cue_text,),  # there is no reference answer; a judge is shown the cue
        category=item.relation,
        evidence=tuple(message.id for message in cue.messages),
        group=base.id,
    )
    text = f"{names['A']}: {item.trigger}"
    return history, [Question(Query(query_id, history.id, 0, text), gold)]


def _cue_time(spoken: Sequence[Episode], gap: str, rule: GapRule) -> datetime:
    """Return the time of the cue: `gap` before the question, which is asked after all sessions."""
    last = max(datetime.strptime(episode.messages[0].date, DATE_LAYOUT) for episode in spoken)
    try:
        return last + QUERY_DELAY - timedelta(days=gap_days(gap, rule))
    except OverflowError as error:
        raise ValueError(
            f"the time gap {gap!r} is too long: the cue would be before the year 1"
        ) from error


def _cue_episode(item: LoCoMoPlusItem, names: Mapping[str, str], said_at: datetime) -> Episode:
    # As LoCoMo writes a date, without leading zeros: its form must not give the cue away.
    clock = f"{said_at.hour % 12 or 12}:{said_at:%M} {'am' if said_at.hour < 12 else 'pm'}"
    date = f"{clock} on {said_at.day} {said_at:%B, %Y}"
    return Episode(
        CUE,
        tuple(
            Message(f"D0:{place}", names[speaker], text, TimePoint.from_datetime(said_at), date)
            for place, (speaker, text) in enumerate(item.cue, start=1)
        ),
    )


def _in_order(episodes: Sequence[Episode]) -> list[Episode]:
    """Return episodes in order of time; of those at the same time, the first stays first."""
    return sorted(episodes, key=_first_minute)


def _first_minute(episode: Episode) -> int:
    time = episode.messages[0].time
    if time is None:
        raise ValueError(f"session {episode.id} has no date, expected one")
    return time.first_minute
