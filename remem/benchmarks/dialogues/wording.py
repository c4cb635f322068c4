"""The wording of questions on a generated dialogue; verbs and nouns differ from the chat's."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from remem.benchmarks.dialogues.events import Activity, Known, pick
from remem.files.yaml_text import read_texts

FILE = Path(__file__).parent / "texts" / "questions.yaml"


@dataclass(frozen=True, slots=True)
class DialogueWording:
    """Question templates; `forms` has the templates for each detail that a question asks for.

    `pastimes` and `present` are templates of questions about several events.
    """

    forms: Mapping[str, tuple[str, ...]]
    pastimes: str
    present: str


@cache
def wording() -> DialogueWording:
    """Return all wordings."""
    return read_texts(FILE, DialogueWording)


def ask(
    rng: np.random.Generator,
    slot: str,
    name: str,
    activity: Activity,
    *,
    known: Known,
    planned: bool = False,
    in_order: bool = False,
) -> str:
    """Return a question about what `name` did or plans; it asks for `slot` and names `known`."""
    doing = activity.asked_bare
    if "object" in known:
        doing = pick(rng, activity.asked).format(object=known["object"])
    return pick(rng, wording().forms[activity.unit if slot == "quantity" else slot]).format(
        acts=f"is {name} going to" if planned else f"did {name}",
        name=name,
        pastime=activity.name,
        ask=doing,
        what=activity.what,
        extra=_extra(known) + (", from first to last" if in_order else ""),
    )


def _extra(known: Known) -> str:
    words = {"companion": "with", "place": "at", "month": "in"}
    return "".join(f" {word} {known[slot]}" for slot, word in words.items() if slot in known)
