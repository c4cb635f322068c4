"""Measure one system on a history: indexing and each recall, without the stub's time.

Call: python -m measure.overhead_side SYSTEM SESSIONS QUESTIONS FILE, which is written as JSON.
"""

import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from measure.left_out import CallCount, LeftOut, peak_mib
from measure.metered_stub import MeteredStub
from measure.overhead_peers import SYSTEMS, Driven, DrivenREMem
from remem.benchmarks.dialogues.generator import GeneratedDialogues
from remem.benchmarks.locomo import LoCoMo
from remem.protocols import Benchmark
from remem.types import History


@dataclass(frozen=True, slots=True)
class SpentOverhead:
    """CPU seconds of the index and of each recall, calls to a model for the index, peak memory.

    `by_agent` are recalls by an agent, which only REMem has.
    """

    index: float
    index_calls: int
    recalls: tuple[float, ...]
    by_agent: tuple[float, ...]
    peak_mib: float


def spend(system: str, history: History, questions: list[str]) -> SpentOverhead:
    """Index the history and recall for each question, after a warm-up with one session.

    Raises:
        ValueError: Nothing was recalled for any question.
    """
    left_out = LeftOut()
    stub = MeteredStub(left_out, CallCount())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        first = History(history.id, history.episodes[:1])
        _spend(SYSTEMS[system](stub, folder), stub, first, questions[:1])
        return _spend(SYSTEMS[system](stub, folder), stub, history, questions)


def _spend(
    driven: Driven, stub: MeteredStub, history: History, questions: list[str]
) -> SpentOverhead:
    left_out, before = stub.left_out, stub.asked.number
    index, _ = left_out.spent(driven.index, history)
    calls = stub.asked.number - before
    recalls = [left_out.spent(driven.recall, text) for text in questions]
    if not any(passages for _, passages in recalls):
        raise ValueError(f"nothing was recalled for any of {len(questions)} questions")
    by_agent: list[float] = []
    if isinstance(driven, DrivenREMem):
        by_agent = [left_out.spent(driven.recall_by_agent, text)[0] for text in questions]
    return SpentOverhead(
        index, calls, tuple(taken for taken, _ in recalls), tuple(by_agent), peak_mib()
    )


def workload(sessions: int, questions: int) -> tuple[str, History, list[str]]:
    """Return the first sessions and questions of LoCoMo's conv-26, or of a generated one."""
    name, dialogue = conversations(1)
    whole = dialogue.histories()[0]
    texts = [question.query.text for question in dialogue.questions(whole.id)[:questions]]
    first = History(whole.id, whole.episodes[:sessions])
    return f"{name} {whole.id}", first, texts


def conversations(generated: int) -> tuple[str, Benchmark]:
    """Return LoCoMo and its name if its data is available, else so many generated conversations."""
    data = os.environ.get("REMEM_DATA", "")
    if data and any(Path(data).glob("locomo/locomo10.json*")):
        return "LoCoMo", LoCoMo(data=data, file="locomo10.json", evidence_rule="paper")
    return "generated dialogues", GeneratedDialogues(
        seed=7,
        conversations=generated,
        sessions=19,
        events_per_session=4,
        questions_per_session=10,
        evidence_rule="paper",
    )


def main() -> None:
    """Run the measurement in the arguments."""
    system, sessions, questions, file = sys.argv[1:]
    _, history, texts = workload(int(sessions), int(questions))
    Path(file).write_text(json.dumps(asdict(spend(system, history, texts))), encoding="utf-8")


if __name__ == "__main__":
    main()
