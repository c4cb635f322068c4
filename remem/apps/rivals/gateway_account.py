"""Count calls to the gateway by run, history and stage, as stated in the path of each call."""

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, get_args
from urllib.parse import quote, unquote

from remem.serve.http_handler import RequestError
from remem.types import Stage, Usage

NONE = "-"
"""The part of a path for a run or history without a name."""
PARTS = 5
"""Number of parts of "/run/<run>/<history>/<stage>", split at its slashes."""


@dataclass(frozen=True, slots=True)
class Place:
    """The run, history and stage that a call belongs to."""

    run: str = ""
    history: str = ""
    stage: Stage = "index"

    @property
    def label(self) -> str:
        """The prefix of the paths of all calls that belong to this run, history and stage."""
        run, history = (quote(name, safe="") or NONE for name in (self.run, self.history))
        return f"/run/{run}/{history}/{self.stage}"


def read_label(label: str) -> Place:
    """Parse the prefix of a path; if it is empty, return stage `index` without run and history.

    Raises:
        RequestError: The prefix is malformed or has an unknown stage (404).
    """
    if not label:
        return Place()
    parts = label.split("/")
    stages: tuple[Stage, ...] = get_args(Stage)
    stage = next((stage for stage in stages if stage == parts[-1]), None)
    if len(parts) != PARTS or stage is None:
        raise RequestError(
            404,
            f"{label} does not have the form /run/<run>/<history>/<stage>, where <stage> is one of "
            f"{', '.join(stages)}",
        )
    run, history = ("" if name == NONE else unquote(name) for name in parts[2:4])
    return Place(run, history, stage)


@dataclass(slots=True)
class _Line:
    """The counts of one place."""

    usage: Usage = field(default_factory=Usage)
    embedding_calls: int = 0
    embedded_texts: int = 0
    overridden: Counter[str] = field(default_factory=Counter)
    errors: Counter[int] = field(default_factory=Counter)
    failure: Exception | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "calls": self.usage.calls,
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "cut_replies": self.usage.cut_replies,
            "embedding_calls": self.embedding_calls,
            "embedded_texts": self.embedded_texts,
            "overridden": dict(sorted(self.overridden.items())),
            "errors": {str(status): count for status, count in sorted(self.errors.items())},
        }

    def add(self, other: "_Line") -> None:
        self.usage += other.usage
        self.embedding_calls += other.embedding_calls
        self.embedded_texts += other.embedded_texts
        self.overridden += other.overridden
        self.errors += other.errors


class GatewayAccount:
    """Thread-safe counters of the calls through a gateway."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[Place, _Line] = {}

    def chat(self, place: Place, usage: Usage, overridden: Iterable[str]) -> None:
        """Count a call to the language model, even if the call store answers it."""
        with self._lock:
            line = self._line(place)
            line.usage += usage
            line.overridden.update(overridden)

    def embeddings(self, place: Place, texts: int, overridden: Iterable[str]) -> None:
        """Count a call to the embedder."""
        with self._lock:
            line = self._line(place)
            line.embedding_calls += 1
            line.embedded_texts += texts
            line.overridden.update(overridden)

    def error(
        self,
        place: Place,
        status: int,
        failure: Exception | None = None,
        usage: Usage | None = None,
    ) -> None:
        """Count an error reply, store the first failure, and add the usage of the failed call."""
        with self._lock:
            line = self._line(place)
            line.errors[status] += 1
            line.failure = line.failure or failure
            line.usage += usage or Usage()

    def usage(self, place: Place) -> Usage:
        """Return the usage of the calls of a run, history and stage."""
        with self._lock:
            return self._lines.get(place, _Line()).usage

    def failure(self, place: Place) -> Exception | None:
        """Return our models' first failure in the calls of a run, history and stage; else None."""
        with self._lock:
            return self._lines.get(place, _Line()).failure

    def as_json(self) -> dict[str, Any]:
        """Return the counts of each run, history and stage, and their total, as plain data."""
        with self._lock:
            total = _Line()
            for line in self._lines.values():
                total.add(line)
            places = sorted(self._lines, key=lambda line: (line.run, line.history, line.stage))
            return {
                "total": total.as_json(),
                "places": [
                    {
                        "run": place.run,
                        "history": place.history,
                        "stage": place.stage,
                        **self._lines[place].as_json(),
                    }
                    for place in places
                ],
            }

    def _line(self, place: Place) -> _Line:
        return self._lines.setdefault(place, _Line())
