"""The sentences of the generated dialogues, stored in `texts/talk.yaml`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

from remem.benchmarks.dialogues.events import Cast, Event, Recall, chance, pick, sample
from remem.files.yaml_text import read_texts

FILE = Path(__file__).parent / "texts" / "talk.yaml"

Sentences = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """The sentences of the speakers, by kind; each mapping groups its sentences by detail."""

    past_clauses: Sentences
    undated_past_clauses: Sentences
    shared_past_clauses: Sentences
    plan_clauses: Sentences
    undated_plan_clauses: Sentences
    leads: Sentences
    tails: Sentences
    afterthoughts: Sentences
    reactions: Mapping[str, Sentences]
    remarks: Sentences
    handovers: Sentences
    enquiries: Mapping[str, Sentences]
    follow_up_leads: Sentences
    recalls: Sentences
    past_details: Mapping[str, Sentences]
    plan_details: Mapping[str, Sentences]
    quantity_details: Mapping[str, str]
    openings: Sentences
    answered_openings: Sentences
    small_talk: tuple[tuple[str, str], ...]
    closings: Sentences
    answered_closings: Sentences


@cache
def talk() -> Talk:
    """Return all sentences."""
    return read_texts(FILE, Talk)


CHANCE_OF_SMALL_TALK = 0.5
CHANCE_OF_REMARK = 0.6
CHANCE_OF_RELATION = 0.6
CHANCE_OF_SHARED_CLAUSE = 0.4
CHANCE_OF_JOINING = 0.5
AFTER_CLAUSE = ("quantity", "feeling")


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A message; `event` is the index of the event that it is about, or None.

    `tells` names the details that this message is the first to tell. `mentions` names the
    details that an earlier message told.
    """

    speaker: int
    text: str
    event: int | None = None
    tells: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()


class SessionWriter:
    """Writes sessions; a sentence is repeated only after all others of its kind were used."""

    def __init__(self, rng: np.random.Generator, cast: Cast) -> None:
        self._rng = rng
        self._cast = cast
        self._say = talk()
        self._decks: dict[tuple[str, ...], list[str]] = {}

    def write(self, new_events: Sequence[Event], recalled: Sequence[Event]) -> list[ChatLine]:
        """Return a session that tells the new events and adds a detail to each recalled event."""
        first = (*new_events, *recalled)[0].speaker if new_events or recalled else 0
        lines = list(self._frame(first, self._say.openings, self._say.answered_openings))
        if chance(self._rng, CHANCE_OF_SMALL_TALK):
            remark, answer = pick(self._rng, self._say.small_talk)
            lines += [ChatLine(lines[0].speaker, remark), ChatLine(lines[1].speaker, answer)]
        blocks = [self._tell(event) for event in new_events]
        blocks += [self._tell_late(event, event.recall) for event in recalled if event.recall]
        for line in chain.from_iterable(blocks):
            if lines[-1].speaker != line.speaker:
                lines.append(line)
            elif lines[-1].event is None and chance(self._rng, CHANCE_OF_JOINING):
                lines[-1] = replace(line, text=f"{lines[-1].text} {line.text}")
            else:
                lines += [ChatLine(1 - line.speaker, self._deal(self._say.handovers)), line]
        leaves = 1 - lines[-1].speaker
        return [*lines, *self._frame(leaves, self._say.closings, self._say.answered_closings)]

    def _frame(
        self, first: int, sentences: tuple[str, ...], answers: tuple[str, ...]
    ) -> Iterator[ChatLine]:
        for speaker, choices in ((first, sentences), (1 - first, answers)):
            other = self._cast.people[1 - speaker].name
            yield ChatLine(speaker, self._deal(choices).format(other=other))

    def _tell(self, event: Event) -> Iterator[ChatLine]:
        """Yield messages in which a speaker tells an event and the other reacts and asks."""
        words = self._words(event, event.opening)
        sentences = [pick(self._rng, self._clauses(event)).format(**words)]
        sentences += [self._detail(event, slot) for slot in event.opening if slot in AFTER_CLAUSE]
        opening = " ".join(
            [self._deal(self._say.leads), *sentences, self._deal(self._say.tails).format(**words)]
        )
        yield ChatLine(event.speaker, opening, event.index, ("activity", *event.opening))
        answer = self._reaction(event).format(**words)
        if event.follow_up:
            enquiry = self._deal(self._say.enquiries[event.follow_up[0]])
            yield ChatLine(1 - event.speaker, f"{answer} {enquiry}")
            details = " ".join(self._detail(event, slot) for slot in event.follow_up)
            thought = self._deal(self._say.afterthoughts)
            follow_up = f"{self._deal(self._say.follow_up_leads)} {details} {thought}"
            known = ("activity",) if "object" in event.follow_up else ()
            yield ChatLine(event.speaker, follow_up, event.index, event.follow_up, known)
            answer = self._deal(self._say.remarks)
        if not event.follow_up or chance(self._rng, CHANCE_OF_REMARK):
            yield ChatLine(1 - event.speaker, answer)

    def _tell_late(self, event: Event, recall: Recall) -> Iterator[ChatLine]:
        """Yield messages that add one detail to an event of an earlier session."""
        words = self._words(event, recall.by)
        detail = self._detail(event, recall.slot)
        text = self._deal(self._say.recalls).format(detail=detail, **words)
        yield ChatLine(event.speaker, text, event.index, (recall.slot,), ("activity", *recall.by))
        yield ChatLine(1 - event.speaker, self._deal(self._say.remarks))

    def _clauses(self, event: Event) -> tuple[str, ...]:
        if "time" not in event.opening:
            return (
                self._say.undated_plan_clauses if event.planned else self._say.undated_past_clauses
            )
        if event.planned:
            return self._say.plan_clauses
        shared = "companion" in event.opening and chance(self._rng, CHANCE_OF_SHARED_CLAUSE)
        return self._say.shared_past_clauses if shared else self._say.past_clauses

    def _reaction(self, event: Event) -> str:
        echoed = [slot for slot in event.opening if slot in self._say.reactions]
        return self._deal(self._say.reactions[pick(self._rng, ["activity", *echoed])])

    def _detail(self, event: Event, slot: str) -> str:
        if slot == "quantity":
            sentence = self._say.quantity_details[event.activity.unit]
        else:
            details = self._say.plan_details if event.planned else self._say.past_details
            sentence = self._deal(details[slot])
        return sentence.format(**self._words(event, (slot,)))

    def _words(self, event: Event, slots: Sequence[str]) -> dict[str, str]:
        """Return the words for a clause that tells exactly these slots."""
        activity, details = event.activity, event.details
        companion = self._companion(event) if "companion" in details else ""
        did, do = activity.bare, activity.asked_bare
        if "object" in slots:
            did = pick(self._rng, activity.told).format(object=details["object"])
            do = activity.planned.format(object=details["object"])
        words = {
            "did": did,
            "do": do,
            "at": f" at {details['place']}" if "place" in slots else "",
            "company": f" with {companion}" if "companion" in slots else "",
            "when": event.telling.expression,
            "name": activity.name,
            **details,
            "friend": details.get("companion", ""),
            "companion": companion,
        }
        return words | {key.capitalize(): capitalised(word) for key, word in words.items()}

    def _companion(self, event: Event) -> str:
        name = event.details["companion"]
        relation = self._cast.people[event.speaker].companions[name]
        return f"my {relation} {name}" if chance(self._rng, CHANCE_OF_RELATION) else name

    def _deal(self, sentences: tuple[str, ...]) -> str:
        """Return the next sentence in shuffled order; none repeats before all were used."""
        if not self._decks.get(sentences):
            self._decks[sentences] = list(sample(self._rng, sentences, len(sentences)))
        return self._decks[sentences].pop()


def capitalised(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]
