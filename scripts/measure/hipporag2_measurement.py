"""The task and the result of each HippoRAG 2 measurement; standard library only.

Both are written as JSON for a process of each side, so that their peaks of memory are their own.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class MeasuredCorpus:
    """The passages of one memory, the questions about them, and passages to add afterwards."""

    passages: Sequence[str]
    questions: Sequence[str]
    added: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """Corpora to index and ask one after the other.

    `stubs` names a module with `triples_of`, which extracts, and `vectors_of`, which embeds.
    """

    stubs: str
    corpora: Sequence[MeasuredCorpus]

    @classmethod
    def read(cls, file: Path) -> "MeasuredQuestion":
        """Read the output of `write`."""
        content = json.loads(file.read_text(encoding="utf-8"))
        return cls(
            content["stubs"], tuple(MeasuredCorpus(**corpus) for corpus in content["corpora"])
        )

    def write(self, file: Path) -> None:
        """Write as JSON."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class HippoRagMeasurement:
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
    def of(cls, corpora: Sequence["HippoRagMeasurement"]) -> "HippoRagMeasurement":
        """Return the measurement of all corpora together."""
        return cls(
            index=sum(each.index for each in corpora),
            queries=_all(each.queries for each in corpora),
            batched=_all(each.batched for each in corpora),
            added=_all(each.added for each in corpora),
            peak_mib=max(each.peak_mib for each in corpora),
            best=tuple(chain.from_iterable(each.best for each in corpora)),
        )

    @classmethod
    def read(cls, file: Path) -> "HippoRagMeasurement":
        """Read the output of `write`."""
        content = json.loads(file.read_text(encoding="utf-8"))
        best = tuple(map(tuple, content.pop("best")))
        listed: dict[str, Any] = {
            name: tuple(content.pop(name)) for name in ("queries", "batched", "added")
        }
        return cls(best=best, **listed, **content)

    def write(self, file: Path) -> None:
        """Write as JSON."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")


def _all(parts: Iterable[Sequence[float]]) -> tuple[float, ...]:
    return tuple(chain.from_iterable(parts))
