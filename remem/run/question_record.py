"""Read the answer to a question, and record the answer, or the error that prevented it."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sysconfig import get_paths
from traceback import extract_tb
from typing import Literal

from remem.config.run_config import RunConfig
from remem.errors import ModelUnavailableError, StopRunError
from remem.files.disk import stop_at_disk_error
from remem.files.live_process import is_out_of_memory, memory_complaint
from remem.files.shipped import baselines_folder, package_folder
from remem.metrics.tokens import estimated_tokens
from remem.prompts.chosen import prompt_origin
from remem.protocols import Reader, shows_steps
from remem.readers.direct import evidence_texts
from remem.run.evidence_budget import Item, ranked_items, within_budget
from remem.run.runner import Attempt
from remem.run.store import Timing
from remem.types import (
    Answer,
    Evidence,
    Query,
    Question,
    Record,
    Retrieved,
    StepRecord,
    Usage,
)

log = logging.getLogger(__name__)


def recordable(error: Exception, what: str) -> Exception:
    """Log an error and return it; raise StopRunError if it concerns the whole run.

    Args:
        error: The exception that was raised.
        what: The action that failed, for the log.

    Raises:
        StopRunError: The error concerns the whole run, so nothing is recorded and the run ends.
    """
    if isinstance(error, StopRunError):
        raise error
    if is_out_of_memory(error):
        raise StopRunError(memory_complaint()) from error
    stop_at_disk_error(error)
    log.info("%s: %s", what, error)
    log.debug("%s", what, exc_info=error)
    return error


@dataclass(frozen=True, slots=True)
class ProposedFirst:
    """Returns the answer that the planner proposed; asks the reader if there is no such answer."""

    reader: Reader

    @property
    def shows_steps(self) -> bool:
        """Return whether the reader shows the steps of an agent."""
        return shows_steps(self.reader)

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the proposed answer, or ask the reader if no answer was proposed."""
        if evidence.proposed_answer is None:
            return self.reader.read(query, evidence)
        tokens = estimated_tokens("\n".join(evidence_texts(evidence)))
        return Answer(evidence.proposed_answer, context_tokens=tokens)


def reader_of_run(config: RunConfig) -> Reader:
    """Build the reader of a run; `ProposedFirst` wraps it if `final_answer` is "proposed"."""
    reader = config.build_reader()
    return ProposedFirst(reader) if config.final_answer == "proposed" else reader


def recorder_of_run(config: RunConfig) -> "Recorder":
    """Return the recorder of a run."""
    return Recorder(config.llm, prompt_origin(config.prompts), config.evidence_tokens)


@dataclass(frozen=True, slots=True)
class Recorder:
    """Makes the records of a run; each names the language model and the source of the prompts.

    `evidence_tokens` limits the tokens of evidence that a reader may see; None means no limit.
    """

    llm: str
    prompts: str
    evidence_tokens: int | None = None

    def handed_over(self, recalled: object, reader: Reader) -> tuple[Evidence, tuple[Item, ...]]:
        """Return the evidence within the reader's token limit, and the items that were cut off."""
        evidence = checked_evidence(recalled)
        return within_budget(evidence, self.evidence_tokens, with_steps=shows_steps(reader))

    def answered(
        self, question: Question, evidence: Evidence, answer: Answer, cut: Sequence[Item] = ()
    ) -> Record:
        """Return the record of an answer, with its evidence and the items that were cut."""
        return replace(
            self._attempt(question, "ok"),
            answer=answer.text,
            retrieved=_retrieved(ranked_items(evidence)),
            ranked=evidence.ranked,
            steps=_step_records(evidence),
            proposed_answer=evidence.proposed_answer,
            context_tokens=answer.context_tokens,
            recall_usage=evidence.usage,
            read_usage=answer.usage,
            cut=_retrieved(cut),
        )

    def failed(
        self, question: Question, error: Exception, evidence: Evidence | None = None
    ) -> Attempt:
        """Return the record of a failed attempt at a question, with its model usage and timing.

        The usage of a failed model call counts as reading if there is evidence, else as recall.
        """
        took = error.usage if isinstance(error, ModelUnavailableError) else Usage()
        recall, read = (took, Usage()) if evidence is None else (evidence.usage, took)
        record = replace(
            self._attempt(question, "error"),
            error=f"{type(error).__name__}: {error}{_raised_in(error)}",
            recall_usage=recall,
            read_usage=read,
        )
        return record, Timing(question.query.id, 0.0, 0.0)

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


def checked_evidence(recalled: object) -> Evidence:
    """Return what a memory recalled, after checking that it is Evidence.

    Raises:
        TypeError: The value is not Evidence.
    """
    if not isinstance(recalled, Evidence):
        raise TypeError(
            f"recall returned {type(recalled).__name__}, expected remem.Evidence, as in "
            f"Evidence(passages=(...,))"
        )
    return recalled


def _retrieved(items: Iterable[Item]) -> tuple[Retrieved, ...]:
    return tuple(Retrieved(item.id, item.source) for item in items)


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


def _raised_in(error: Exception) -> str:
    """Return where the user's code raised an error, as " (mine.py:4 in recall)"; else "".

    Several frames are named from the outermost to the innermost.
    """
    ours = (package_folder(), baselines_folder(), *map(Path, get_paths().values()))
    frames = [
        f"{path.name}:{frame.lineno} in {frame.name}"
        for frame in extract_tb(error.__traceback__)
        if (path := Path(frame.filename)).is_file()
        and not any(path.is_relative_to(folder) for folder in ours)
    ]
    return f" ({' > '.join(frames)})" if frames else ""
