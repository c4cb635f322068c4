"""The passages and questions with which HippoRAG 2 is measured, and the goals for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from measure import passage_workload, session_stubs
from measure.hipporag2_measurement import MeasuredCorpus, MeasuredQuestion
from measure.overhead_side import conversations
from remem.passages import session_passage

QUESTIONS = 64
ADDITIONS = 3


@dataclass(frozen=True, slots=True)
class Goals:
    """How many times less ours is to take, of each line; None for no goal."""

    index: float | None = None
    memory: float | None = None
    singly: float | None = None
    batched: float | None = None
    added: float | None = None


@dataclass(frozen=True, slots=True)
class HippoRagWorkload:
    """What is asked, in words and in full, how often, and with which goals."""

    what: str
    asked: MeasuredQuestion
    rounds: int = 1
    goals: Goals = Goals()

    @property
    def passages(self) -> int:
        """Return how many passages are indexed, without those added."""
        return sum(len(corpus.passages) for corpus in self.asked.corpora)


def generated(passages: int, rounds: int = 1, goals: Goals = Goals()) -> HippoRagWorkload:
    """Return one memory of generated passages, to which some are added."""
    texts = [passage_workload.passage(number, passages) for number in range(passages + ADDITIONS)]
    questions = [f"question {number}" for number in range(QUESTIONS)]
    corpus = MeasuredCorpus(texts[:passages], questions, texts[passages:])
    return HippoRagWorkload(
        f"{passages:,} passages",
        MeasuredQuestion(passage_workload.__name__, [corpus]),
        rounds,
        goals,
    )


def dialogues(most: int, goals: Goals = Goals()) -> HippoRagWorkload:
    """Return at most so many conversations of LoCoMo, a memory each, whose sessions are passages.

    Without its data they are generated.
    """
    name, dialogue = conversations(most)
    corpora = [
        MeasuredCorpus(
            [session_passage(episode).text for episode in history.episodes],
            [question.query.text for question in dialogue.questions(history.id)],
        )
        for history in islice(dialogue.histories(), most)
    ]
    sizes = _sizes(corpora)
    return HippoRagWorkload(
        f"{name}, {sizes}", MeasuredQuestion(session_stubs.__name__, corpora), 1, goals
    )


def _sizes(corpora: Sequence[MeasuredCorpus]) -> str:
    sessions = sum(len(corpus.passages) for corpus in corpora)
    questions = sum(len(corpus.questions) for corpus in corpora)
    return f"{len(corpora)} conversations, {sessions} sessions, {questions:,} questions"
