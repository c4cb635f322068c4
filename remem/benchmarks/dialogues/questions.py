"""Questions on single events of a generated dialogue, some of them unanswerable.

Categories are LoCoMo's integers. A question identifies its event by details that no other event of
the speaker matches. An unanswerable question describes an event that is not in the dialogue.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from remem.benchmarks.dialogues.events import (
    AlikeEvents,
    Cast,
    Event,
    Known,
    chance,
    group_by_speaker_and_pastime,
    known_of,
    pick,
    single_out,
)
from remem.benchmarks.dialogues.wording import ask

MULTI_HOP, WHEN, OPEN_DOMAIN, SINGLE_HOP, UNANSWERABLE = 1, 2, 3, 4, 5
CHANCE_OF_WRONG_SPEAKER = 0.5


@dataclass(frozen=True, slots=True)
class DialogueQuestion:
    """A question that asks for `slot`, a detail of the events that `speakers` and `known` identify.

    An unanswerable question is made from an answerable one. Its `answer` is a trap: the answer to
    the original question.
    """

    category: int
    text: str
    answer: str
    evidence: tuple[str, ...]
    speakers: tuple[int, ...]
    activity: str
    slot: str
    known: Known


@dataclass(frozen=True, slots=True)
class DetailMessages:
    """The ids of the messages that tell details of events.

    `ids` has the message id by event index and detail. `mentions` has the details by message id.
    """

    ids: Mapping[tuple[int, str], str]
    mentions: Mapping[str, frozenset[str]]

    def evidence(self, events: Sequence[Event], slot: str, known: Iterable[str]) -> tuple[str, ...]:
        """Return the ids of the messages that identify the events and tell `slot`, in order."""
        needed = {"activity", *("time" if name == "month" else name for name in known)}
        ids: set[str] = set()
        for event in events:
            answer = self.ids[event.index, slot]
            apart = needed - self.mentions[answer]
            ids |= {answer, *(self.ids[event.index, name] for name in apart)}
        return tuple(sorted(ids, key=lambda i: [int(number) for number in i[1:].split(":")]))


class EventQuestions:
    """Generates questions that ask for one detail of one event."""

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
        self._kinds = {
            kind: AlikeEvents(some) for kind, some in group_by_speaker_and_pastime(events).items()
        }

    def ask_all(self) -> Iterator[DialogueQuestion]:
        """Yield questions for each detail of each identifiable event, some of them unanswerable."""
        for event in self._events:
            for slot in event.details:
                known = known_of(event)
                known.pop("month" if slot == "time" else slot, None)
                chosen = single_out(self._rng, self._kinds[event.kind], known)
                if chosen is not None:
                    question = self._ask(event, slot, chosen)
                    yield question
                    yield from self._trap(event, question)

    def _ask(self, event: Event, slot: str, known: Known) -> DialogueQuestion:
        evidence = self._told.evidence([event], slot, known)
        in_one_session = len({message.split(":")[0] for message in evidence}) == 1
        return DialogueQuestion(
            category=WHEN if slot == "time" else SINGLE_HOP if in_one_session else MULTI_HOP,
            text=self._word(event, slot, event.speaker, known),
            answer=event.details[slot],
            evidence=evidence,
            speakers=(event.speaker,),
            activity=event.activity.name,
            slot=slot,
            known=known,
        )

    def _trap(self, event: Event, question: DialogueQuestion) -> Iterator[DialogueQuestion]:
        """Yield the same question about the other speaker, or with one detail replaced."""
        speaker, known = event.speaker, dict(question.known)
        pools = self._pools(event)
        named = [slot for slot in pools if slot in known]
        if not named or chance(self._rng, CHANCE_OF_WRONG_SPEAKER):
            speaker = 1 - speaker
        else:
            slot = pick(self._rng, named)
            known[slot] = pick(self._rng, [value for value in pools[slot] if value != known[slot]])
        alike = self._kinds.get((speaker, event.activity.name))
        if alike is None or alike.count_meant(known) == 0:
            text = self._word(event, question.slot, speaker, known)
            yield replace(
                question, category=UNANSWERABLE, text=text, speakers=(speaker,), known=known
            )

    def _pools(self, event: Event) -> dict[str, Sequence[str]]:
        """Return the values that can replace a detail of the event."""
        return {
            "object": self._cast.objects[event.activity.name],
            "companion": tuple(self._cast.people[event.speaker].companions),
            "place": self._cast.places[event.activity.setting],
        }

    def _word(self, event: Event, slot: str, speaker: int, known: Known) -> str:
        name = self._cast.people[speaker].name
        return ask(self._rng, slot, name, event.activity, known=known, planned=event.planned)
