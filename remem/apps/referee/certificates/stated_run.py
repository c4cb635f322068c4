"""What a bundle states about a run, before any replay: its configuration and its questions."""

from collections.abc import Iterator, Mapping
from typing import Any

from remem.apps.referee.certificates.certificate import (
    DIGITS,
    CertifiedCode,
    CertifiedJudge,
    CertifiedRun,
)
from remem.apps.referee.certificates.certified_scores import Way
from remem.bundle.run_parts import RunParts
from remem.config.fingerprint import digest, prompt_sums, run_stamp
from remem.config.run_config import RunConfig
from remem.results.restored_config import without_paths
from remem.results.verdicts import judge_kind


def stated_run(parts: RunParts, config: RunConfig, label: str, own: Way) -> CertifiedRun:
    """Return what a bundle states about a run; scores, costs and replay results are empty.

    Args:
        parts: The parts of the run in the bundle.
        config: The configuration of the run.
        label: The label of the run in the bundle.
        own: The run's questions, scored under its own convention.
    """
    settings, notes = config.settings, parts.notes
    environment = notes.environment
    return CertifiedRun(
        label=label,
        dataset=config.dataset,
        data=notes.data,
        method=config.label,
        reader=settings.reader.name,
        planner=config.planner or "",
        ablation=settings.ablation.name,
        llm=config.llm,
        model=settings.llm.identity.model or settings.llm.chat_model.endpoint.model or "",
        embedder=settings.embedder.name,
        prompts=notes.prompts,
        judges=tuple(_judges(parts)),
        ran_on=CertifiedCode(
            environment.commits,
            environment.code,
            environment.python,
            environment.platform,
            environment.packages,
        ),
        fingerprint=notes.fingerprint,
        settings_sum=settings_sum(parts, config),
        records_sha256=notes.records_sha256,
        started=min(environment.started, default=""),
        finished=environment.finished,
        asked=len(parts.records),
        answered=sum(record.status == "ok" for record in parts.records),
        of=environment.questions,
        with_records=parts.texts is not None,
        replayed=False,
        missing="",
        rival=None,
        other_data=False,
        other_releases=(),
        own_convention=own.name,
        scorings=(),
        questions=tuple(question.query_id for question in own.questions),
        clusters=tuple(question.cluster for question in own.questions),
        costs=(),
        index_seconds=round(environment.index_seconds, DIGITS),
        index_bytes=None,
        peak_mib=environment.peak_rss_mib or environment.served.run_mib,
    )


def _judges(parts: RunParts) -> Iterator[CertifiedJudge]:
    for name, verdicts in parts.verdicts.items():
        prompts = sorted({verdict.judge_prompt for verdict in verdicts})
        yield CertifiedJudge(name, judge_kind(name), tuple(prompts), len(verdicts))


IN_DATA = "<data>"


def settings_sum(parts: RunParts, config: RunConfig) -> str:
    """Return a checksum (12 hex digits) of the settings that define a run's system.

    The checksum does not cover names and data files. It covers the prompts, the rules of timed runs
    and of growing runs, the budget of evidence, and the classes and settings of method, reader and
    dataset, including their models, embedders and planners. A bundle merely states the run's
    fingerprint; this checksum is computed from the packed configuration that a replay runs.
    """
    bare = without_paths(parts.config)
    return digest(
        {
            "method": bare["method"]["build"],
            "reader": bare["reader"]["build"],
            "dataset": _without_files(parts.config["dataset"]["build"]),
            "final_answer": config.final_answer,
            **prompt_sums(parts.notes.prompts),
            **run_stamp(config.settings),
        }
    )


def _without_files(build: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in build.items() if not str(value).startswith(IN_DATA)}
