"""Make the interventions of a diagnosis: query a memory, and give a reader the gold evidence.

No model is called. If a memory would ask a model, its stored index is read instead. If a reader
would ask a model, it gets the stored replies of a run with `method=oracle_message`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

from remem.config.run_config import configure
from remem.errors import ReplayMissError, VectorMissError
from remem.memory.lost_evidence import LostBy, lost_by
from remem.memory.remem_memory import REMem
from remem.metrics.question_scores import question_scores
from remem.passages import message_passage
from remem.protocols import Benchmark, Memory, Reader, SeesGold
from remem.results.diagnosis import Interventions, needs_reader
from remem.results.outcomes import RIGHT
from remem.results.run import Run
from remem.run.evidence_budget import ranked_items
from remem.run.experiment import answer_question
from remem.run.index_cache import IndexCache
from remem.run.question_record import Recorder
from remem.types import History, Message, Query, Record

ORACLE = "method=oracle_message"


def interventions_of(run: Run, wrong: Sequence[Record], doubtful: Set[str]) -> Interventions:
    """Make the interventions that explain the wrong answers of a run; return their results.

    Args:
        run: The run; its configuration is used unchanged, including its model.
        wrong: The wrong answers of the run.
        doubtful: The ids of questions whose gold answer has a known error.

    Raises:
        FileNotFoundError: The data of the run is missing.
    """
    benchmark = run.config.build_benchmark()
    asked = [record for record in wrong if needs_reader(run, record)]
    with_gold = read_with_gold(run, benchmark, run.config.build_reader(), asked)
    messages = StoredMessages(run, benchmark)
    return Interventions(messages.stores, with_gold, doubtful, messages.lost_by)


@dataclass(slots=True)
class StoredMessages:
    """Finds out which messages are stored in a run's memory of each history."""

    run: Run
    benchmark: Benchmark
    memories: dict[str, Memory] = field(default_factory=dict)

    def stores(self, record: Record, message_ids: Set[str]) -> bool | None:
        """Return whether the memory stores all of these messages; None if unknown."""
        history = self._history(record.history_id)
        messages = [message for message in history.messages() if message.id in message_ids]
        if len(messages) < len(message_ids):
            return None
        try:
            memory = self._memory(history)
            if isinstance(memory, REMem):
                lists = (memory.graph.gists, memory.graph.facts)
                return message_ids <= {
                    source for items in lists for item in items for source in item.source
                }
            return all(_recalls(memory, record, message) for message in messages)
        except (ReplayMissError, VectorMissError):
            return None

    def lost_by(self, record: Record, message_ids: Set[str]) -> LostBy | None:
        """Return the recall step at which REMem lost stored messages; None for other memories."""
        memory = self._memory(self._history(record.history_id))
        if not isinstance(memory, REMem):
            return None
        try:
            return lost_by(memory, record.question, record.steps, message_ids)
        except VectorMissError:  # the stored vectors have none for the changed calls
            return None

    def _memory(self, history: History) -> Memory:
        """Return the memory of a history, built once."""
        if history.id not in self.memories:
            memory = self.run.config.memory_factory()()
            IndexCache(self.run.config).index(memory, history)
            self.memories[history.id] = memory
        return self.memories[history.id]

    def _history(self, history_id: str) -> History:
        return next(each for each in self.benchmark.histories() if each.id == history_id)


def _recalls(memory: Memory, record: Record, message: Message) -> bool:
    """Return whether a memory recalls a message when its own words are the query."""
    words = message_passage(message).text
    query = Query(f"{record.query_id}, {message.id}", record.history_id, record.index, words)
    return any(message.id in item.source for item in ranked_items(memory.recall(query)))


def read_with_gold(
    run: Run, benchmark: Benchmark, reader: Reader, records: Iterable[Record]
) -> dict[str, bool]:
    """Return whether a reader is right if it is given the gold evidence, by query id.

    An answer is right if the first score of the dataset accepts the answer. A question is left out
    if it fails, or if a reply for it is not stored.
    """
    right = {}
    recorder = Recorder(run.config.llm, "own")
    by_history: defaultdict[str, set[str]] = defaultdict(set)
    for record in records:
        by_history[record.history_id].add(record.query_id)
    oracle = _oracles()
    for history in benchmark.histories():
        wanted = by_history.get(history.id, ())
        questions = [each for each in benchmark.questions(history.id) if each.query.id in wanted]
        if not questions:
            continue
        memory = oracle()
        memory.index(history)
        if isinstance(memory, SeesGold):
            memory.see_gold(questions)
        for question in questions:
            try:
                record, _ = answer_question(memory, reader, question, recorder)
            except ReplayMissError:
                continue
            if record.status == "ok":
                value = question_scores(record, run.convention).value(run.config.scores[0])
                right[record.query_id] = value is not None and value >= RIGHT
    return right


@cache
def _oracles() -> Callable[[], Memory]:
    """Return a factory of memories that recall the gold evidence; composing it takes a while."""
    return configure(ORACLE).memory_factory()
