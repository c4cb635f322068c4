"""The task and the result of each HippoRAG 2 measurement; standard library only.

Both write it as JSON from a process of their own, so that their peaks of memory are their own.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """The number of passages to index and of questions to ask, and whether to add a passage."""

    passages: int
    questions: int
    add: bool

    @classmethod
    def read(cls, file: Path) -> "Asked":
        """Read the output of `write`."""
        return cls(**json.loads(file.read_text(encoding="utf-8")))

    def write(self, file: Path) -> None:
        """Write as JSON."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def texts(self) -> list[str]:
        """Return the questions."""
        return [f"question {number}" for number in range(self.questions)]


@dataclass(frozen=True, slots=True)
class Measurement:
    """CPU seconds without those of stubs: of the index, of each question, of each addition.

    `batched` are those per question in batches; `best` are the numbers of the best passages.
    """

    index: float
    queries: tuple[float, ...]
    batched: tuple[float, ...]
    added: tuple[float, ...]
    peak_mib: float
    best: tuple[tuple[int, ...], ...]

    @classmethod
    def read(cls, file: Path) -> "Measurement":
        """Read the output of `write`."""
        told = json.loads(file.read_text(encoding="utf-8"))
        best = tuple(map(tuple, told.pop("best")))
        listed: dict[str, Any] = {
            name: tuple(told.pop(name)) for name in ("queries", "batched", "added")
        }
        return cls(best=best, **listed, **told)

    def write(self, file: Path) -> None:
        """Write as JSON."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")
