"""The interventions of a diagnosis: a memory is asked in a message's own words, a reader with gold.

Nothing is paid unless the caller says so. A memory that asks a model is not asked; its stored index
is read instead. A reader that asks a model is asked only with `ask`, and stored replies are used.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby

from remem.config.run_config import configure
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.passages import message_passage
from remem.protocols import Benchmark, GradesByGold, Judge, Memory, SeesGold
from remem.results.diagnosis import Interventions, needs_reader
from remem.results.flips import RIGHT
from remem.results.run import Run
from remem.run.evidence_budget import ranked_items
from remem.run.experiment import answer_question
from remem.run.index_cache import IndexCache
from remem.run.kept_index import KeptIndex, NotKeptError
from remem.run.question_record import Recorder
from remem.run.served_models import served_node
from remem.types import Evidence, History, Query, Record

ORACLE = "method=oracle_message"


def interventions_of(
    run: Run, wrong: Sequence[Record], doubtful: Set[str], *, ask: bool
) -> Interventions:
    """Return the interventions that the wrong answers of a run need.

    Args:
        run: The run.
        wrong: Its wrong answers.
        doubtful: The ids of questions whose gold answer has a known error.
        ask: Whether a reader that needs a model may ask it.

    Raises:
        FileNotFoundError: The data of the run is missing.
    """
    benchmark = run.config.build_benchmark()
    asked = [record for record in wrong if needs_reader(run, record)]
    may_ask = ask or run.config.llm == "none"
    with_gold = read_with_gold(run, benchmark, asked) if may_ask else {}
    return Interventions(StoredMessages(run, benchmark).stores, with_gold, doubtful)


@dataclass(slots=True)
class StoredMessages:
    """Which messages the memory of each history of a run stores."""

    run: Run
    benchmark: Benchmark
    memories: dict[str, Memory] = field(default_factory=dict)
    kept: dict[str, Set[str] | None] = field(default_factory=dict)

    def stores(self, record: Record, message_ids: Set[str]) -> bool | None:
        """Return whether the memory stores all of these messages; None if that is not known."""
        history = self._history(record.history_id)
        sources = self._kept_sources(history)
        if sources is not None:
            return message_ids <= sources
        if not self._is_free():
            return None
        messages = [message for message in history.messages() if message.id in message_ids]
        return len(messages) == len(message_ids) and all(
            self._recalls(history, record, message.id, message_passage(message).text)
            for message in messages
        )

    def _is_free(self) -> bool:
        """Return whether the memory asks neither a model nor an embedding server."""
        return self.run.config.llm == "none" and served_node(self.run.config) is None

    def _recalls(self, history: History, record: Record, message_id: str, text: str) -> bool:
        """Return whether the memory recalls a message that is asked for in its own words."""
        query = Query(f"{record.query_id}, {message_id}", history.id, record.index, text)
        recalled = ranked_items(self._memory(history).recall(query))
        return any(message_id in item.source for item in recalled)

    def _memory(self, history: History) -> Memory:
        """Return the memory of a history, built once."""
        if history.id not in self.memories:
            memory = self.run.config.memory_factory()()
            IndexCache(self.run.config).index(memory, history)
            self.memories[history.id] = memory
        return self.memories[history.id]

    def _kept_sources(self, history: History) -> Set[str] | None:
        """Return the sources of the items in the stored index; None if there is none to read."""
        if history.id not in self.kept:
            index = KeptIndex()
            try:
                IndexCache(self.run.config).index(index, history)
            except NotKeptError:
                self.kept[history.id] = None
            else:
                items = ranked_items(Evidence(index.gists, index.facts))
                self.kept[history.id] = {source for item in items for source in item.source} or None
        return self.kept[history.id]

    def _history(self, history_id: str) -> History:
        return next(each for each in self.benchmark.histories() if each.id == history_id)


def read_with_gold(run: Run, benchmark: Benchmark, records: Iterable[Record]) -> dict[str, bool]:
    """Return whether the reader of a run is right if it is given the gold evidence, by query id.

    A question whose reading ends in an error is left out.
    """
    oracle = configure(ORACLE).memory_factory()
    reader, recorder = run.config.build_reader(), Recorder(run.config.llm, "own")
    judges = run.config.build_judges() if run.main_score == "llm_judge" else ()
    right = {}
    for history_id, of_history in groupby(records, key=lambda record: record.history_id):
        ids = {record.query_id for record in of_history}
        questions = [each for each in benchmark.questions(history_id) if each.query.id in ids]
        memory = oracle()
        memory.index(next(each for each in benchmark.histories() if each.id == history_id))
        if isinstance(memory, SeesGold):
            memory.see_gold(questions)
        for question in questions:
            record, _ = answer_question(memory, reader, question, recorder)
            if record.status == "ok":
                verdict = _verdict(record, judges)
                scores = question_scores(record, run.convention, verdict)
                right[record.query_id] = _is_right(scores, run.main_score)
    return right


def _verdict(record: Record, judges: Sequence[Judge | GradesByGold]) -> float | None:
    """Return the verdict of the first judge; None without a judge."""
    for judge in judges:
        if isinstance(judge, GradesByGold):
            return float(judge.grade(record.question, record.gold, record.answer)[0])
        return judge.judge(record.question, record.gold.answers, record.answer)[0]
    return None


def _is_right(scores: QuestionScores, name: str) -> bool:
    return (scores.value(name) or 0.0) >= RIGHT
