"""The sentences of the generated dialogues, stored in `texts/talk.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from remem.benchmarks.text_files import read_texts

FILE = Path(__file__).parent / "texts" / "talk.yaml"

Sentences = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Talk:
    """The sentences of the speakers, by kind; some kinds depend on the told detail."""

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
