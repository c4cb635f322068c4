"""Ask a judge about every answer of a run, store its verdicts, and resume after interruptions.

The judge is not part of a run's fingerprint: several judges can judge the same records.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from remem.config.instantiation import UsageError
from remem.config.run_config import RunConfig
from remem.config.suggestions import either
from remem.evaluation.judgments import (
    Case,
    Judgment,
    judge_name,
    judged,
    judgment_files,
    mean_verdicts,
    open_judgments,
    verdicts,
)
from remem.metrics.refusal import RefusalGold, gold_answers
from remem.protocols import GradesByGold, Judge, ModelUnavailableError
from remem.run.interruption import stopping_at_interrupt
from remem.run.local_models import check_local_model
from remem.run.run_account import OnProgress, Progress, not_shown
from remem.types import Gold, Record

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Judged:
    """The number of cases that were judged now, the verdicts, and why a case has none."""

    asked: int
    verdicts: Mapping[str, float]
    failures: tuple[str, ...] = ()


def judge_run(
    config: RunConfig,
    folder: Path,
    records: Sequence[Record],
    on_progress: OnProgress = not_shown,
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
    failures: list[str] = []
    server = _server(config)
    opened = open_judgments(folder / name, server)
    with opened as judgments, stopping_at_interrupt(config.judge_model):
        pending = judgments.pending(cases)
        if pending:
            judge_llm, llm = config.settings.judge_llm, config.settings.llm
            choice = f"judge_llm={judge_llm.name}" if judge_llm else f"llm={llm.name}"
            check_local_model(choice, config.judge_model)
        now = Progress(len(cases) - len(pending), len(cases))
        on_progress(now)
        golds = {record.query_id: record.gold for record in records}
        given = _judgments(judges, pending, golds, config.judge_prompt, config.workers)
        for judgment in given:
            judgments.append(replace(judgment, server=server))
            failures += [judgment.error] if judgment.status == "error" else []
            now = _after(now, judgment)
            on_progress(now)
    return Judged(len(pending), verdicts(folder / name, cases, server), tuple(failures))


def read_verdicts(
    config: RunConfig, folder: Path, records: Sequence[Record]
) -> Mapping[str, float] | None:
    """Return the configured judge's verdicts by query id; None if no judge is configured."""
    name = config.judgments
    if name is None:
        return None
    return verdicts(folder / name, _cases(config, records), _server(config))


def stored_verdicts(
    folder: Path, judge: str, records: Sequence[Record], refusal_gold: RefusalGold
) -> Mapping[str, float]:
    """Return the stored verdicts of a judge of a run by query id; the judge is not asked.

    Args:
        folder: The folder of the run.
        judge: The name of the judge's file between "judgments." and ".jsonl", or its beginning.
        records: The records of the run.
        refusal_gold: Which golds the judge was shown.

    Raises:
        UsageError: The run has no verdicts of such a judge, or those of several.
    """
    there = {judge_name(path): path for path in judgment_files(folder)}
    fitting = [name for name in there if name == judge or name.startswith(f"{judge}-")]
    if len(fitting) != 1:
        found = either(there) if there else "none: ask a judge with remem judge"
        raise UsageError(
            f"{len(fitting)} judges of {folder} are named {judge!r}, expected one of {found}"
        )
    correct = judged(there[fitting[0]])
    repeats = 1 + max((case.repeat for case in correct), default=0)
    return mean_verdicts(correct, cases_of(records, refusal_gold, repeats))


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


def _server(config: RunConfig) -> str:
    """Return the address that the judge's model is asked at; "" without such a model."""
    chat_model = config.settings.judge.chat_model
    return "" if chat_model is None else chat_model.endpoint.address


def _judgments(
    judges: Sequence[Judge | GradesByGold],
    cases: Sequence[Case],
    golds: Mapping[str, Gold],
    prompt: str,
    workers: int,
) -> Iterator[Judgment]:
    with ThreadPoolExecutor(workers) as pool:
        asked = [
            pool.submit(_judgment, judges[case.repeat], case, golds[case.query_id], prompt)
            for case in cases
        ]
        try:
            for judgment in as_completed(asked):
                yield judgment.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _after(before: Progress, judgment: Judgment) -> Progress:
    """Return the progress after one more case; only the first failure is a warning."""
    has_failed = judgment.status == "error"
    if has_failed and not before.failed:
        log.warning("question %s could not be judged: %s", judgment.case.query_id, judgment.error)
    return replace(
        before,
        done=before.done + 1,
        failed=before.failed + has_failed,
        usage=before.usage + judgment.usage,
    )


def _judgment(judge: Judge | GradesByGold, case: Case, gold: Gold, prompt: str) -> Judgment:
    correct: bool | float
    try:
        if isinstance(judge, GradesByGold):
            correct, usage = judge.grade(case.question, gold, case.answer)
        else:
            correct, usage = judge.judge(case.question, case.golds, case.answer)
    except ModelUnavailableError as error:
        told = f"{type(error).__name__}: {error}"
        return Judgment(case, "error", error=told, judge_prompt=prompt)
    return Judgment(case, "ok", correct=correct, usage=usage, judge_prompt=prompt)
