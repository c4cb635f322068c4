"""Generate one history of any length, up to a million events and more, while it is read.

Conversations of the dialogue generator follow each other in time, and only one is in memory. Each
event is planted once and comes with small talk, so there are nearly five messages per event. The
benchmarks in scripts/ use this history as their load.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

import numpy as np

from remem.benchmarks.dialogues.cast import draw_cast
from remem.benchmarks.dialogues.plan import plan_dialogue, to_json
from remem.benchmarks.locomo import read_history
from remem.types import Episode

SESSIONS = 20
EVENTS_PER_SESSION = 4
"""Values per conversation, as in conf/dataset/generated_dialogues.yaml."""

FIRST_START = datetime(2021, 1, 1, 8)
MINUTES_APART = (30, 90)
"""Minutes between sessions; with days between them, a million events would pass year 9999."""


def long_chat(seed: int, events: int) -> Iterator[Episode]:
    """Yield the sessions of one history with at least `events` events, in order of time.

    Sessions and messages have ids that are unique over the whole history: "c12/session_3",
    "c12/D3:7". A million events take 28 years.
    """
    told, start = 0, FIRST_START
    for number in count(1):
        if told >= events:
            return
        rng = np.random.default_rng((seed, number))
        gaps = np.cumsum(rng.integers(*MINUTES_APART, size=SESSIONS)).tolist()
        starts = [start + timedelta(minutes=minutes) for minutes in gaps]
        dialogue = plan_dialogue(
            rng,
            f"c{number}",
            draw_cast(rng),
            starts,
            events_per_session=EVENTS_PER_SESSION,
            questions_per_session=1,
        )
        told, start = told + len(dialogue.events), starts[-1]
        history = read_history(to_json(dialogue), f"conversation {number} of the long chat")
        yield from (_renamed(episode, history.id) for episode in history.episodes)


def _renamed(episode: Episode, conversation: str) -> Episode:
    messages = (replace(message, id=f"{conversation}/{message.id}") for message in episode.messages)
    return Episode(f"{conversation}/{episode.id}", tuple(messages))
