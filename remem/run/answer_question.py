"""One question through a memory and a reader, to a record: an error is recorded, never scored."""

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from remem.files.disk import stop_at_disk_error
from remem.metrics.tokens import estimated_tokens
from remem.protocols import Memory, ModelUnavailableError, Reader, StopRunError
from remem.readers.rendering import evidence_texts
from remem.run.store import Timing
from remem.types import (
    Answer,
    Evidence,
    Fact,
    Gist,
    Passage,
    Query,
    Question,
    Record,
    Retrieved,
    StepRecord,
    Usage,
)

log = logging.getLogger(__name__)

Attempt = tuple[Record, Timing]


@dataclass(frozen=True, slots=True)
class Answerer:
    """A memory that has its history, and a reader."""

    memory: Memory
    reader: Reader
    final_answer: str
    llm: str
    prompts: str

    def answer(self, question: Question) -> Attempt:
        """Recall, read and record."""
        begun, evidence = time.perf_counter(), None
        try:
            evidence = _checked(self.memory.recall(question.query))
            recalled = time.perf_counter()
            answer = self._read(question.query, evidence)
        except StopRunError:  # says nothing on the question: it stays without a record
            raise
        except Exception as error:  # the record border: an error is not an answer
            stop_at_disk_error(error)
            log.warning("question %s could not be answered: %s", question.query.id, error)
            log.debug("question %s", question.query.id, exc_info=True)
            return self.failed(question, error, evidence)
        timing = Timing(question.query.id, recalled - begun, time.perf_counter() - recalled)
        return self._answered(question, evidence, answer), timing

    def failed(
        self, question: Question, error: Exception, evidence: Evidence | None = None
    ) -> Attempt:
        """Record that a question could not be answered, and what was taken all the same.

        What the error took counts as reading if there is evidence, and as recall if there is none.
        """
        took = error.usage if isinstance(error, ModelUnavailableError) else Usage()
        recall, read = (took, Usage()) if evidence is None else (evidence.usage, took)
        record = replace(
            self._attempt(question, "error"),
            error=f"{type(error).__name__}: {error}",
            recall_usage=recall,
            read_usage=read,
        )
        return record, Timing(question.query.id, 0.0, 0.0)

    def _read(self, query: Query, evidence: Evidence) -> Answer:
        if self.final_answer == "proposed" and evidence.proposed_answer is not None:
            tokens = estimated_tokens("\n".join(evidence_texts(evidence)))
            return Answer(evidence.proposed_answer, context_tokens=tokens)
        return self.reader.read(query, evidence)

    def _answered(self, question: Question, evidence: Evidence, answer: Answer) -> Record:
        return replace(
            self._attempt(question, "ok"),
            answer=answer.text,
            retrieved=_retrieved(evidence),
            ranked=evidence.ranked,
            steps=_step_records(evidence),
            proposed_answer=evidence.proposed_answer,
            context_tokens=answer.context_tokens,
            recall_usage=evidence.usage,
            read_usage=answer.usage,
        )

    def _attempt(self, question: Question, status: Literal["ok", "error"]) -> Record:
        query = question.query
        return Record(
            query_id=query.id,
            history_id=query.history_id,
            index=query.index,
            question=query.text,
            gold=question.gold,
            status=status,
            llm=self.llm,
            prompts=self.prompts,
        )


def _checked(recalled: object) -> Evidence:
    if not isinstance(recalled, Evidence):
        raise TypeError(
            f"recall returned {type(recalled).__name__}, expected remem.Evidence, as in "
            f"Evidence(passages=(...,))"
        )
    return recalled


def _retrieved(evidence: Evidence) -> tuple[Retrieved, ...]:
    """Return all items best first: passages, else gists and facts taken in turn."""
    ranked = [
        *_with_ranks(evidence.passages),
        *_with_ranks(evidence.gists),
        *_with_ranks(evidence.facts),
    ]
    # A stable sort: the best gist stands before the best fact, then the second of each.
    return tuple(item for _, item in sorted(ranked, key=lambda entry: entry[0]))


def _with_ranks(items: Iterable[Passage | Gist | Fact]) -> Iterator[tuple[int, Retrieved]]:
    for rank, item in enumerate(items):
        yield rank, Retrieved(item.id, item.source)


def _step_records(evidence: Evidence) -> tuple[StepRecord, ...]:
    return tuple(
        StepRecord(
            tool=step.call.tool,
            arguments=dict(step.call.arguments),
            thought=step.call.thought,
            message=step.observation.message,
            seen=(
                *(gist.id for gist in step.observation.gists),
                *(fact.id for fact in step.observation.facts),
            ),
            count=step.observation.count,
            error=step.observation.error,
            scores=step.observation.scores,
        )
        for step in evidence.steps
    )
