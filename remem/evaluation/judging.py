"""Ask a judge about every answer of a run, store its verdicts, and resume after interruptions.

The judge is not part of a run's fingerprint: several judges can judge the same records.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from remem.config.instantiation import UsageError
from remem.config.run_config import RunConfig
from remem.evaluation.judgments import Case, Judgment, open_judgments, verdicts
from remem.metrics.refusal import RefusalGold, gold_answers
from remem.protocols import Judge, ModelUnavailableError
from remem.run.interruption import stopping_at_interrupt
from remem.run.local_models import check_local_model
from remem.types import Record

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Judged:
    """The number of cases that were judged now, and how many of them ended in an error."""

    asked: int
    errors: int
    verdicts: Mapping[str, float]


def judge_run(
    config: RunConfig,
    folder: Path,
    records: Sequence[Record],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Judged:
    """Ask the configured judge about all answers without a verdict.

    Raises:
        UsageError: No judge is configured.
    """
    name = config.judgments
    if name is None:
        raise UsageError("no judge is chosen (judge=none); choose one, such as judge=llm")
    judges = config.build_judges()
    cases = _cases(config, records)
    errors = 0
    with open_judgments(folder / name) as judgments, stopping_at_interrupt(config.judge_model):
        pending = judgments.pending(cases)
        if pending:
            judge_llm, llm = config.settings.judge_llm, config.settings.llm
            choice = f"judge_llm={judge_llm.name}" if judge_llm else f"llm={llm.name}"
            check_local_model(choice, config.judge_model)
        on_progress(len(cases) - len(pending), len(cases))
        given = _judgments(judges, pending, config.judge_prompt, config.workers)
        for done, judgment in enumerate(given, start=1):
            judgments.append(judgment)
            errors += judgment.status == "error"
            on_progress(len(cases) - len(pending) + done, len(cases))
    return Judged(len(pending), errors, verdicts(folder / name, cases))


def read_verdicts(
    config: RunConfig, folder: Path, records: Sequence[Record]
) -> Mapping[str, float] | None:
    """Return the configured judge's verdicts by query id; None if no judge is configured."""
    name = config.judgments
    return None if name is None else verdicts(folder / name, _cases(config, records))


def cases_of(records: Sequence[Record], refusal_gold: RefusalGold, repeats: int) -> list[Case]:
    """Return the cases to show to a judge: each answer of a run, `repeats` times."""
    return [
        Case(
            query_id=record.query_id,
            repeat=repeat,
            question=record.question,
            golds=tuple(gold_answers(record.gold, refusal_gold)),
            answer=record.answer,
        )
        for record in records
        if record.status == "ok"
        for repeat in range(repeats)
    ]


def _cases(config: RunConfig, records: Sequence[Record]) -> list[Case]:
    return cases_of(records, config.score_convention().refusal_gold, config.judge_repeats)


def _judgments(
    judges: Sequence[Judge], cases: Sequence[Case], prompt: str, workers: int
) -> Iterator[Judgment]:
    with ThreadPoolExecutor(workers) as pool:
        asked = [pool.submit(_judgment, judges[case.repeat], case, prompt) for case in cases]
        try:
            for judgment in as_completed(asked):
                yield judgment.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _judgment(judge: Judge, case: Case, prompt: str) -> Judgment:
    try:
        correct, usage = judge.judge(case.question, case.golds, case.answer)
    except ModelUnavailableError as error:
        log.warning("question %s could not be judged: %s", case.query_id, error)
        told = f"{type(error).__name__}: {error}"
        return Judgment(case, "error", error=told, judge_prompt=prompt)
    return Judgment(case, "ok", correct=correct, usage=usage, judge_prompt=prompt)
