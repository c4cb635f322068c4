"""Questions on several events of a generated dialogue: lists, counts, shared events, preferences.

All questions are about past events. A question is left out if a planned event could match it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from remem.benchmarks.dialogues.events import (
    Cast,
    Event,
    Known,
    group_by_speaker_and_pastime,
    may_be_meant,
    names,
    pick,
    sample,
)
from remem.benchmarks.dialogues.questions import (
    MULTI_HOP,
    OPEN_DOMAIN,
    DetailMessages,
    DialogueQuestion,
)
from remem.benchmarks.dialogues.wording import ask, wording

LISTED = ("object", "companion", "place")
LONGEST_LIST = 5
ENOUGH_TO_JUDGE = 2
OFTEN = 3
NOTHING: Known = MappingProxyType({})


class OverviewQuestions:
    """Generates questions that no single message of a dialogue answers."""

    def __init__(
        self,
        rng: np.random.Generator,
        cast: Cast,
        events: Sequence[Event],
        detail_messages: DetailMessages,
    ) -> None:
        self._rng = rng
        self._cast = cast
        self._events = events
        self._told = detail_messages
        self._kinds = group_by_speaker_and_pastime(events)

    def ask_all(self) -> Iterator[DialogueQuestion]:
        """Yield all questions that the events allow."""
        for alike in self._kinds.values():
            yield from self._lists(alike)
            yield from self._counts(alike)
            yield from self._feelings(alike)
            yield from self._presents(alike)
        for activity in self._cast.objects:
            yield from self._both(activity)
        for speaker in range(2):
            yield from self._pastimes(speaker)

    def _lists(self, alike: Sequence[Event]) -> Iterator[DialogueQuestion]:
        """Ask for all objects, companions or places, some with one of the other details fixed."""
        by_activity = {
            (slot, e.details[slot]): None for e in alike for slot in LISTED if slot in e.details
        }
        fixed: list[Known] = [{}, *({slot: value} for slot, value in by_activity)]
        for known in fixed:
            for slot in LISTED:
                members = [e for e in alike if slot in e.details and tells(e, known)]
                answer = listed([(e, e.details[slot]) for e in members])
                if answer and slot not in known and all_past(alike, known):
                    text = self._word(slot, members[0], known=known, in_order=True)
                    yield self._question(text, answer, members, slot=slot, known=known, dated=True)

    def _counts(self, alike: Sequence[Event]) -> Iterator[DialogueQuestion]:
        if 2 <= len(alike) <= LONGEST_LIST and all_past(alike, {}):
            text = self._word("times", alike[0])
            yield self._question(text, str(len(alike)), alike, slot="activity")

    def _both(self, activity: str) -> Iterator[DialogueQuestion]:
        """Ask for the only object or place that the events of both speakers have in common."""
        sides = [self._kinds.get((speaker, activity), []) for speaker in range(2)]
        for slot in ("object", "place"):
            values = [{e.details[slot] for e in side if slot in e.details} for side in sides]
            common = values[0] & values[1]
            if len(common) == 1 and all(all_past(side, {}) for side in sides):
                known = {slot: common.pop()}
                members = [e for side in sides for e in side if tells(e, known)]
                name = "both " + " and ".join(person.name for person in self._cast.people)
                text = ask(self._rng, slot, name, members[0].activity, known={})
                yield self._question(text, known[slot], members, slot=slot)

    def _pastimes(self, speaker: int) -> Iterator[DialogueQuestion]:
        """Ask what a speaker did with one companion."""
        person = self._cast.people[speaker]
        for companion in person.companions:
            known = {"companion": companion}
            members = [e for e in self._events if e.speaker == speaker and tells(e, known)]
            answer = listed([(e, e.activity.name) for e in members])
            if answer and all_past(members, known):
                text = wording().pastimes.format(name=person.name, companion=companion)
                yield self._question(
                    text, answer, members, slot="activity", known=known, dated=True
                )

    def _feelings(self, alike: Sequence[Event]) -> Iterator[DialogueQuestion]:
        """Ask whether a speaker would repeat what they always or never enjoyed."""
        felt = [event for event in alike if "feeling" in event.details]
        moods = {event.details["feeling"] for event in felt}
        if len(felt) >= ENOUGH_TO_JUDGE:
            for answer, kind in (
                ("Likely yes", names().good_moods),
                ("Likely no", names().bad_moods),
            ):
                if moods <= {*kind}:
                    text = self._word("again", felt[0])
                    yield self._question(text, answer, felt, slot="feeling", category=OPEN_DOMAIN)

    def _presents(self, alike: Sequence[Event]) -> Iterator[DialogueQuestion]:
        """Ask which of two presents suits a speaker: for a frequent or an unknown pastime."""
        speaker, liked = alike[0].kind
        moods = {event.details.get("feeling", "") for event in alike}
        never = [name for name in self._cast.objects if (speaker, name) not in self._kinds]
        if len(alike) >= OFTEN and never and not moods & {*names().bad_moods}:
            first, second = sample(self._rng, (liked, pick(self._rng, never)), 2)
            name = self._cast.people[speaker].name
            text = wording().present.format(name=name, first=first, second=second)
            yield self._question(text, liked, alike, slot="activity", category=OPEN_DOMAIN)

    def _word(
        self, slot: str, event: Event, *, known: Known = NOTHING, in_order: bool = False
    ) -> str:
        name = self._cast.people[event.speaker].name
        return ask(self._rng, slot, name, event.activity, known=known, in_order=in_order)

    def _question(
        self,
        text: str,
        answer: str,
        members: Sequence[Event],
        *,
        slot: str,
        known: Known = NOTHING,
        category: int = MULTI_HOP,
        dated: bool = False,
    ) -> DialogueQuestion:
        # A question about the order needs the messages that date the events.
        needed = (*known, "time") if dated else tuple(known)
        return DialogueQuestion(
            category=category,
            text=text,
            answer=answer,
            evidence=self._told.evidence(members, slot, needed),
            speakers=tuple(sorted({event.speaker for event in members})),
            activity=members[0].activity.name,
            slot=slot,
            known=known,
        )


def tells(event: Event, known: Known) -> bool:
    """Return True if the dialogue tells all `known` details of the event, with the same values."""
    return all((slot, value) in event.details.items() for slot, value in known.items())


def all_past(events: Sequence[Event], known: Known) -> bool:
    """Return True if no planned event matches the known details."""
    return not any(event.planned and may_be_meant(event, known) for event in events)


def listed(values: Sequence[tuple[Event, str]]) -> str:
    """Return the distinct values in the order of their events, separated by commas.

    The result is "" if the times of two events overlap, or if there are not two to five values.
    """
    in_time = sorted(values, key=lambda pair: pair[0].telling.first)
    distinct = list(dict.fromkeys(value for _, value in in_time))
    ordered = all(a.telling.last < b.telling.first for (a, _), (b, _) in pairwise(in_time))
    return ", ".join(distinct) if ordered and 2 <= len(distinct) <= LONGEST_LIST else ""
