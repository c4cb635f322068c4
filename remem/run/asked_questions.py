"""The histories of a run, each with the questions asked about it."""

from collections.abc import Sequence

from remem.protocols import Benchmark
from remem.types import History, Question

HistoryAsked = tuple[History, Sequence[Question]]
Asked = Sequence[HistoryAsked]


def asked_questions(
    benchmark: Benchmark, histories: int | None = None, limit: int | None = None
) -> Asked:
    """Return the first histories, each with its first `limit` questions; None for all."""
    return [
        (history, benchmark.questions(history.id)[:limit])
        for history in benchmark.histories()[:histories]
    ]


def questions_of(asked: Asked) -> Sequence[Question]:
    """Return the questions of all histories."""
    return [question for _, questions in asked for question in questions]


def query_ids(asked: Asked) -> frozenset[str]:
    """Return the ids of all questions."""
    return frozenset(question.query.id for question in questions_of(asked))
