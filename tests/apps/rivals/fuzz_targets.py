"""What reads the replies of workers, which run rivals in environments of their own."""

from random import Random
from typing import Any

from fuzzing.harness import Target
from fuzzing.mutation import changed_document, deep

from remem.apps.rivals.worker_replies import Added, Ready, WorkerAnswer, read_reply

WORKERS = (
    (Ready, {"ready": "2.0.0"}),
    (Added, {"stored": 3, "counts": {"facts": 2}, "lost": ["x"]}),
    (
        WorkerAnswer,
        {
            "found": [{"id": "1", "text": "Ann", "time": "2023-05-08T13:56", "source": ["s1"]}],
            "error": "",
        },
    ),
)


def _worker(rng: Random) -> tuple[Any, bytes]:
    kind, value = rng.choice(WORKERS)
    if rng.random() < 0.01:
        return kind, deep(rng, "found").encode()
    return kind, changed_document(rng, value)


def read_worker(given: tuple[Any, bytes]) -> None:
    read_reply(*given)


TARGETS = (Target("replies: workers of rivals", _worker, read_worker),)
