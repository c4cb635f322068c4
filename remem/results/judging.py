"""Ask a judge about every answer of a run, store its verdicts, and resume after interruptions.

The judge is not part of a run's fingerprint: several judges can judge the same records. By default,
the judge uses the model of the run.
"""

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from remem.config.conf_files import conf_file
from remem.config.override_text import quoted
from remem.config.run_config import RunConfig, compose_config, configure, run_config
from remem.errors import ModelUnavailableError, UsageError
from remem.llm.http_client import SETTINGS, needs_key
from remem.protocols import GradesByGold, Judge
from remem.results.run import Run
from remem.results.verdicts import (
    JudgedCase,
    Judgment,
    cases_of,
    configured_verdicts,
    judge_server,
    open_judgments,
)
from remem.run.interruption import stopping_at_interrupt
from remem.run.progress import OnProgress, Progress, not_shown
from remem.run.served_models import check_local_model
from remem.types import Gold, Record, Usage

log = logging.getLogger(__name__)

MODELS = ("llm", "llm@judge_llm")
"""The keys of overrides that name the model of a judge."""
SERVED = "openai_compatible"
"""The choice of conf/llm for a served model whose name is the user's."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The number of cases that this call judged, the verdicts, and the errors."""

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
    refusal_gold = config.score_convention().refusal_gold
    cases = cases_of(records, refusal_gold, config.judge_repeats)
    failures: list[str] = []
    server = judge_server(config)
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
        judgments_now = _judgments(judges, pending, golds, config.judge_prompt, config.workers)
        for judgment in judgments_now:
            judgments.append(replace(judgment, server=server))
            failures += [judgment.error] if judgment.status == "error" else []
            now = _after(now, judgment)
            on_progress(now)
    verdicts = configured_verdicts(config, folder, records)
    return Judged(len(pending), verdicts, tuple(failures))


def _judgments(
    judges: Sequence[Judge | GradesByGold],
    cases: Sequence[JudgedCase],
    golds: Mapping[str, Gold],
    prompt: str,
    workers: int,
) -> Iterator[Judgment]:
    with ThreadPoolExecutor(workers) as pool:
        pending = [
            pool.submit(_judgment, judges[case.repeat], case, golds[case.query_id], prompt)
            for case in cases
        ]
        try:
            for judgment in as_completed(pending):
                yield judgment.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _after(before: Progress, judgment: Judgment) -> Progress:
    """Return the progress after one more case; only the first failure is reported as a warning."""
    has_failed = judgment.status == "error"
    if has_failed and not before.failed:
        log.warning("question %s could not be judged: %s", judgment.case.query_id, judgment.error)
    return replace(
        before,
        done=before.done + 1,
        failed=before.failed + has_failed,
        usage=before.usage + judgment.usage,
    )


def _judgment(judge: Judge | GradesByGold, case: JudgedCase, gold: Gold, prompt: str) -> Judgment:
    try:
        correct, usage = verdict_on(judge, case.question, gold, case.golds, case.answer)
    except ModelUnavailableError as error:
        reason = f"{type(error).__name__}: {error}"
        return Judgment(case, "error", error=reason, judge_prompt=prompt)
    return Judgment(case, "ok", correct=correct, usage=usage, judge_prompt=prompt)


def verdict_on(
    judge: Judge | GradesByGold, question: str, gold: Gold, golds: Sequence[str], answer: str
) -> tuple[float, Usage]:
    """Return a judge's verdict on an answer, and the usage.

    Args:
        judge: The judge.
        question: The question.
        gold: The gold of the question, for a judge that implements `GradesByGold`.
        golds: The gold answers, for any other judge.
        answer: The answer.
    """
    if isinstance(judge, GradesByGold):
        return judge.grade(question, gold, answer)
    return judge.judge(question, golds, answer)


def judge_config(run: Run, overrides: Sequence[str]) -> RunConfig:
    """Return the configuration for judging a run, by default with judge=llm.

    Raises:
        UsageError: The judge needs a model, but none is named and the model of the run cannot be
            used.
    """
    keys = {change.lstrip("+").partition("=")[0] for change in overrides}
    if keys & {*MODELS}:
        return run_config(compose_config(["judge=llm", *overrides]))
    of_run = _model_of(run.config)
    composed = compose_config(["judge=llm", *of_run, *overrides])
    build = composed.judge.get("build") or {}
    if "chat_model" in build and OmegaConf.is_interpolation(build, "chat_model"):
        if not of_run:
            raise UsageError(
                f"the judge needs a model, but cannot use the model of the run "
                f"(llm={run.config.llm}); "
                "add one, such as llm=gpt-4.1-mini-2025-04-14 (to list them: remem list llm)"
            )
        if f"{SETTINGS}.base_url" not in keys:
            _check_address(composed, run, of_run[0])
    return run_config(composed)


def describe_judge_model(config: RunConfig, run: Run) -> str | None:
    """Return the sentence that names the judge's model; None if the judge uses no model."""
    model = config.settings.judge.chat_model
    if model is None or model.endpoint.answering.model is None:
        return None
    judge_model, answering = model.endpoint.answering, run.config.settings.llm.chat_model.endpoint
    place = f" at {judge_model.base_url}" if judge_model.base_url else ""
    same = ", which also answered the run" if judge_model.model == answering.answering.model else ""
    return f"the judge's model is {judge_model.model}{place}{same}"


def _model_of(config: RunConfig) -> list[str]:
    """Return the overrides that choose the model of a run; none if conf cannot describe it.

    A manifest may come from someone else, so only plain settings of its endpoint are used.
    """
    llm = config.settings.llm
    if llm.build is None:
        return []
    choice = f"llm={llm.name if conf_file('llm', llm.name) else SERVED}"
    theirs, ours = _endpoint(llm.build), _endpoint(configure(choice).settings.llm.build or {})
    if theirs.get("server") != ours.get("server"):
        return []
    changes = {
        key: value
        for key, value in theirs.items()
        if key in ours.keys() - {"_target_", "key_variable"}
        and value != ours[key]
        and not isinstance(value, dict | list)
    }
    if any("${" in str(value) for value in changes.values()):
        return []
    return [
        choice,
        *(f"{SETTINGS}.{key}={_override_value(value)}" for key, value in changes.items()),
    ]


def _endpoint(build: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the endpoint that the replies of a model come from."""
    endpoint: Mapping[str, Any] = build["endpoint"]
    recorded: Mapping[str, Any] | None = endpoint.get("recorded")
    return recorded or endpoint


def _override_value(value: object) -> str:
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def _check_address(composed: DictConfig, run: Run, choice: str) -> None:
    """Raise UsageError if a key would be sent to an address that only the manifest names."""
    endpoint = composed.llm.build.endpoint
    address, variable = endpoint.get("base_url"), endpoint.get("key_variable")
    ours = compose_config([choice]).llm.build.endpoint.get("base_url")
    if address not in (None, ours) and needs_key(address) and os.environ.get(variable):
        raise UsageError(
            f"{run.folder} was answered at {address}, which is not the address of {choice}, and "
            f"the key in {variable} would be sent there; if you trust this address, add "
            f"{SETTINGS}.base_url={address}"
        )
