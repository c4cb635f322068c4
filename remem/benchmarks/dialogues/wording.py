"""The wording of the questions on a generated dialogue: other verbs and nouns than the chat has."""

from collections.abc import Mapping

import numpy as np

from remem.benchmarks.dialogues.events import Known
from remem.benchmarks.dialogues.vocabulary import Activity, pick

FORMS: Mapping[str, tuple[str, ...]] = {
    "object": ("What {acts} {what}{extra}?",),
    "time": ("When {acts} {ask}{extra}?",),
    "companion": ("With whom {acts} {ask}{extra}?", "In whose company {acts} {ask}{extra}?"),
    "place": ("Where {acts} {ask}{extra}?", "In what location {acts} {ask}{extra}?"),
    "feeling": (
        "How did it make {name} feel to {ask}{extra}?",
        "What emotion did it stir in {name} to {ask}{extra}?",
    ),
    "hours": ("For how many hours {acts} {ask}{extra}?",),
    "minutes": ("For how many minutes {acts} {ask}{extra}?",),
    "attempts": ("How many tries did {name} need to {ask}{extra}?",),
    "euros": ("How much money, in euros, did {name} spend to {ask}{extra}?",),
    "times": ("How many times {acts} {ask}{extra}, by their own account?",),
    "again": ("Would {name} be glad of another chance of {pastime}?",),
}
PASTIMES = "Which pastimes did {name} share with {companion}, from first to last?"
PRESENT = (
    "Which voucher would {name} rather have as a present, one for {first} or one for {second}?"
)


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
    """Ask for a slot of what `name` did (or plans), by what is known of it."""
    doing = activity.asked_bare
    if "object" in known:
        doing = pick(rng, activity.asked).format(object=known["object"])
    return pick(rng, FORMS[activity.unit if slot == "quantity" else slot]).format(
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
