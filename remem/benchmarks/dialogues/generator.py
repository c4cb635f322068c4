"""Generate a data set like LoCoMo from a seed: chats with known planted events.

The JSON has the schema of locomo10.json and is read by the same loader. Each conversation has its
own random stream, so any of them can be generated without the others.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from remem.benchmarks.dialogues.events import draw_cast, draw_starts
from remem.benchmarks.dialogues.plan import plan_dialogue, to_json
from remem.benchmarks.json_files import generated_file
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.benchmarks.locomo import LoCoMo


class GeneratedDialogues(BenchmarkOnLoaded):
    """The generated benchmark, in the form of LoCoMo."""

    def __init__(
        self,
        *,
        seed: int,
        conversations: int,
        sessions: int,
        events_per_session: int,
        questions_per_session: int,
        evidence_rule: str,
    ) -> None:
        self._sizes = {
            "seed": seed,
            "conversations": conversations,
            "sessions": sessions,
            "events_per_session": events_per_session,
            "questions_per_session": questions_per_session,
        }
        for name, size in self._sizes.items():
            least = 0 if name == "seed" else 1
            if size < least:
                raise ValueError(
                    f"generated_dialogues has {name}={size}, expected at least {least}: change it "
                    f"in conf/dataset/generated_dialogues.yaml"
                )
        self._evidence_rule = evidence_rule

    @property
    def _loaded(self) -> LoadedBenchmark:
        return _loaded(self._evidence_rule, **self._sizes)


@lru_cache(maxsize=2)
def _loaded(evidence_rule: str, **sizes: int) -> LoadedBenchmark:
    """Return the data set, cached so that all runs of a process share it."""
    raw = generate_dialogues(**sizes)
    arguments = ", ".join(f"{name}={size}" for name, size in sizes.items())
    source = generated_file(f"generated_dialogues({arguments})", raw)
    return LoCoMo.from_json(raw, name=source.name, evidence_rule=evidence_rule, files=(source,))


def generate_dialogues(
    seed: int,
    conversations: int,
    sessions: int,
    events_per_session: int,
    questions_per_session: int,
) -> list[dict[str, Any]]:
    """Return the JSON of the data set."""
    dialogues = []
    for number in range(1, conversations + 1):
        rng = np.random.default_rng((seed, number))
        dialogue = plan_dialogue(
            rng,
            f"gen-{number}",
            draw_cast(rng),
            draw_starts(rng, sessions),
            events_per_session=events_per_session,
            questions_per_session=questions_per_session,
        )
        dialogues.append(to_json(dialogue))
    return dialogues
