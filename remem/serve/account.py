"""Count the requests and replies of a server, to check the counts that its clients keep."""

import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of requests, of complete replies without errors, and of tokens of these replies."""

    requests: int = 0
    replies: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """Everything that was counted so far.

    Attributes:
        total: Everything.
        paths: Counts by requested path, with the label that the client puts before it.
        kinds: Counts by kind of request, such as "gists" or "judge".
        faults: The number of requests by injected fault.
        bodies: The number of requests by sha256 of the body.
    """

    total: Tally
    paths: Mapping[str, Tally]
    kinds: Mapping[str, Tally]
    faults: Mapping[str, int]
    bodies: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the counts as JSON-serializable data."""
        return asdict(self)


class Account:
    """Thread-safe counters of requests and replies."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = Tally()
        self._paths: defaultdict[str, Tally] = defaultdict(Tally)
        self._kinds: defaultdict[str, Tally] = defaultdict(Tally)
        self._faults: Counter[str] = Counter()
        self._bodies: Counter[str] = Counter()

    @property
    def counts(self) -> Counts:
        """Return a snapshot of all counts."""
        with self._lock:
            return Counts(
                self._total,
                dict(sorted(self._paths.items())),
                dict(sorted(self._kinds.items())),
                dict(sorted(self._faults.items())),
                dict(sorted(self._bodies.items())),
            )

    def count_request(self, path: str, kind: str, body_sha256: str) -> int:
        """Count a request, and return the number of requests so far with the same body."""
        with self._lock:
            self._add(path, kind, Tally(requests=1))
            self._bodies[body_sha256] += 1
            return self._bodies[body_sha256]

    def failed(self, fault: str) -> None:
        """Count a request with an injected fault."""
        with self._lock:
            self._faults[fault] += 1

    def sent(self, path: str, kind: str, tally: Tally, times: int) -> None:
        """Multiply the tally of a reply by `times`, and add it to the counts.

        `times` is -1 to subtract a reply that was counted but could not be sent.
        """
        parts = {name: times * number for name, number in asdict(tally).items()}
        with self._lock:
            self._add(path, kind, Tally(**parts))

    def _add(self, path: str, kind: str, more: Tally) -> None:
        self._total = _sum(self._total, more)
        self._paths[path] = _sum(self._paths[path], more)
        self._kinds[kind] = _sum(self._kinds[kind], more)


def _sum(first: Tally, other: Tally) -> Tally:
    return Tally(
        first.requests + other.requests,
        first.replies + other.replies,
        first.prompt_tokens + other.prompt_tokens,
        first.completion_tokens + other.completion_tokens,
    )
