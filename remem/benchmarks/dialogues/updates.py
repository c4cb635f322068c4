"""Generate chats in which facts change, so that a right answer can become outdated.

Each person tells some facts, such as where they live, and most of these facts change in later
sessions. A question asks for the present value of a fact, and `former_golds` returns its earlier
values. The JSON has the schema of locomo10.json and is read by the same loader.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from remem.benchmarks.dialogues.chat import talk
from remem.benchmarks.dialogues.events import draw_starts, names, pick, sample
from remem.benchmarks.dialogues.relative_telling import session_date
from remem.benchmarks.json_files import generated_file
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.benchmarks.locomo import LoCoMo
from remem.files.yaml_text import read_texts
from remem.types import Gold

FILE = Path(__file__).parent / "texts" / "updates.yaml"
SINGLE_HOP, UNANSWERABLE = 4, 5
MOST_VALUES = 3
SMALL_TALK = 4
"""Pairs of lines around the facts of a session."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A kind of fact: its values, its question, and the sentences that tell it and its changes."""

    name: str
    first: str
    change: str
    question: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value of a fact and where it is told; `message` is "" until the message has an id."""

    speaker: int
    attribute: Attribute
    session: int
    value: str
    is_first: bool
    message: str = ""


@cache
def attributes() -> tuple[Attribute, ...]:
    """Return all kinds of facts."""
    return read_texts(FILE, tuple[Attribute, ...])


class GeneratedUpdates(BenchmarkOnLoaded):
    """The generated benchmark of changing facts, in the form of LoCoMo."""

    def __init__(self, *, seed: int, conversations: int, sessions: int, evidence_rule: str) -> None:
        self._sizes = {"seed": seed, "conversations": conversations, "sessions": sessions}
        least = {"seed": 0, "conversations": 1, "sessions": MOST_VALUES}
        for name, size in self._sizes.items():
            if size < least[name]:
                raise ValueError(
                    f"generated_updates has {name}={size}, expected at least {least[name]}: change "
                    f"it in conf/dataset/generated_updates.yaml"
                )
        self._evidence_rule = evidence_rule

    def former_golds(self, query_id: str) -> Sequence[Gold]:
        """Return the gold answers from before the fact changed, oldest first."""
        return self._former.get(query_id, ())

    @cached_property
    def _make_conversations(
        self,
    ) -> tuple[list[dict[str, Any]], list[list[tuple[ValueChange, ...]]]]:
        made = [
            _conversation(np.random.default_rng((self._sizes["seed"], number)), number, sessions)
            for sessions in [self._sizes["sessions"]]
            for number in range(1, self._sizes["conversations"] + 1)
        ]
        return [raw for raw, _ in made], [changes for _, changes in made]

    @cached_property
    def _loaded(self) -> LoadedBenchmark:
        raw, _ = self._make_conversations
        sizes = ", ".join(f"{name}={size}" for name, size in self._sizes.items())
        source = generated_file(f"generated_updates({sizes})", raw)
        return LoCoMo.from_json(
            raw, name=source.name, evidence_rule=self._evidence_rule, files=(source,)
        )

    @cached_property
    def _former(self) -> Mapping[str, tuple[Gold, ...]]:
        former = {}
        for history, chains in zip(self.histories(), self._make_conversations[1], strict=True):
            for question, chain in zip(self.questions(history.id), chains, strict=False):
                former[question.query.id] = tuple(
                    replace(question.gold, answers=(change.value,), evidence=(change.message,))
                    for change in chain[:-1]
                )
        return former


def _conversation(
    rng: np.random.Generator, number: int, sessions: int
) -> tuple[dict[str, Any], list[tuple[ValueChange, ...]]]:
    """Return the JSON of a conversation, and the values of each answerable question over time."""
    speakers = sample(rng, names().speakers, 2)
    chosen = [(speaker, sample(rng, attributes(), len(attributes()))) for speaker in range(2)]
    chains = [
        _chain(rng, speaker, attribute, sessions)
        for speaker, some in chosen
        for attribute in some[1:]  # each leaves one out, for a question without an answer
    ]
    lines, placed = _write_sessions(rng, [change for chain in chains for change in chain], sessions)
    chains = [tuple(placed[change] for change in chain) for chain in chains]
    traps = [(speaker, some[0]) for speaker, some in chosen]
    starts = draw_starts(rng, sessions)
    conversation: dict[str, Any] = {"speaker_a": speakers[0], "speaker_b": speakers[1]}
    for session, (start, session_lines) in enumerate(zip(starts, lines, strict=True), 1):
        conversation[f"session_{session}_date_time"] = session_date(start)
        conversation[f"session_{session}"] = [
            {"speaker": speakers[speaker], "dia_id": f"D{session}:{at}", "text": text}
            for at, (speaker, text) in enumerate(session_lines, 1)
        ]
    questions = [_question(chain, speakers) for chain in chains]
    questions += [_trap(speaker, attribute, speakers, chains) for speaker, attribute in traps]
    return {"sample_id": f"upd-{number}", "conversation": conversation, "qa": questions}, chains


def _chain(
    rng: np.random.Generator, speaker: int, attribute: Attribute, sessions: int
) -> tuple[ValueChange, ...]:
    """Draw one to three values of a fact, and the sessions that tell them."""
    count = int(rng.integers(1, MOST_VALUES + 1))
    values = sample(rng, attribute.values, count)
    when = sorted(int(session) for session in rng.permutation(sessions)[:count])
    return tuple(
        ValueChange(speaker, attribute, session, value, at == 0)
        for at, (session, value) in enumerate(zip(when, values, strict=True))
    )


def _write_sessions(
    rng: np.random.Generator, changes: Sequence[ValueChange], sessions: int
) -> tuple[list[list[tuple[int, str]]], dict[ValueChange, ValueChange]]:
    """Write the lines of all sessions, and return each told value with the id of its message."""
    lines: list[list[tuple[int, str]]] = []
    placed = {}
    for session in range(sessions):
        session_lines: list[tuple[int, str]] = []
        new = sample(rng, [one for one in changes if one.session == session], len(changes))
        small = iter(sample(rng, talk().small_talk, len(new) + SMALL_TALK))
        for one in new:
            form = one.attribute.first if one.is_first else one.attribute.change
            session_lines += _small_talk(small, one.speaker)
            session_lines.append((one.speaker, form.format(value=one.value)))
            placed[one] = replace(one, message=f"D{session + 1}:{len(session_lines)}")
            session_lines.append((1 - one.speaker, pick(rng, talk().handovers)))
        while len(session_lines) < 2 * SMALL_TALK and (
            pair := _small_talk(small, len(session_lines) % 2)
        ):
            session_lines += pair
        lines.append(session_lines)
    return lines, placed


def _small_talk(small: Any, speaker: int) -> list[tuple[int, str]]:
    pair = next(small, None)
    return [] if pair is None else [(speaker, pair[0]), (1 - speaker, pair[1])]


def _question(chain: Sequence[ValueChange], speakers: Sequence[str]) -> dict[str, Any]:
    last = chain[-1]
    return {
        "question": last.attribute.question.format(name=speakers[last.speaker]),
        "answer": last.value,
        "evidence": [last.message],
        "category": SINGLE_HOP,
    }


def _trap(
    speaker: int,
    attribute: Attribute,
    speakers: Sequence[str],
    chains: Sequence[tuple[ValueChange, ...]],
) -> dict[str, Any]:
    """Return an unanswerable question for a fact that at most the other speaker told."""
    others = [chain for chain in chains if chain[0].attribute is attribute]
    return {
        "question": attribute.question.format(name=speakers[speaker]),
        "adversarial_answer": others[0][-1].value if others else "",
        "evidence": [others[0][-1].message] if others else [],
        "category": UNANSWERABLE,
    }
