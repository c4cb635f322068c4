"""Write imported answers as a run: records, manifest, scores, and the published verdicts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.apps.referee.imports.imported import ImportedAnswers
from remem.apps.referee.imports.matched import MatchedAnswers, check_scorable
from remem.config.fingerprint import digest
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.config.run_path import LONGEST_NAME
from remem.metrics.refusal import RefusalGold
from remem.metrics.scores import summarise
from remem.results.run import SCORES, write_scores
from remem.results.verdicts import PUBLISHED, JudgedCase, Judgment, cases_of, open_judgments
from remem.run.imported_answers import IMPORTED, Origin, write_origin
from remem.run.manifest import ManifestWriter
from remem.run.store import open_run
from remem.types import Record

UNKNOWN = "not_stated"
"""The placeholder in the name of a folder for a part that a file does not name."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._+-]+")
REFUSAL_GOLDS: tuple[RefusalGold, ...] = ("by_category", "by_missing_answer")
"""The gold answers that a convention may show to a judge; a published verdict counts under each."""
SCORES_OF_FILES = ("f1", "bleu1", "em", "llm_judge")
"""The main scores of answers that belong to no data set of conf."""


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """An imported run: its folder, its configuration, and the answers that it was made from."""

    folder: Path
    config: RunConfig
    matched: MatchedAnswers


def write_run(matched: MatchedAnswers, overrides: Sequence[str] = ()) -> WrittenRun:
    """Write imported answers as a run; a second import of the same file changes nothing.

    Args:
        matched: The answers with their questions.
        overrides: Hydra overrides, such as paths.results.

    Raises:
        ValueError: No answer has a gold answer.
        RunInUseError: Another process has the run open.
        DiskError: The folder cannot be written.
    """
    check_scorable(matched)
    config = imported_config(matched, overrides)
    files = (matched.imported.file,) if matched.known is None else matched.known.files
    fingerprint = config.fingerprint(files)
    folder, records = config.run_folder(fingerprint), matched.records
    with open_run(folder, fingerprint) as store:
        questions = len(records) + len(matched.not_answered)
        manifest = ManifestWriter.start(store, config, files, questions)
        stored = {record.query_id: record for record in store.records()}
        for record in records:
            if stored.get(record.query_id) != record:
                store.append(record)
        manifest.finish(store.write_canonical())
    _write_verdicts(matched, records, folder)
    verdicts = _verdicts_of(matched, matched.imported.main)
    write_scores(folder / SCORES, summarise(records, config.score_convention(), verdicts))
    write_origin(folder, origin(matched))
    return WrittenRun(folder, config, matched)


def judge_file(imported: ImportedAnswers, judge: str) -> str:
    """Return the name of the file with the verdicts of a published judge or formula."""
    is_formula = bool(imported.base) and judge == imported.main
    slug = _in_name(f"formula-{judge}" if is_formula else judge)
    identity = digest({"format": imported.format, "judge": judge})
    return f"judgments.{PUBLISHED}{slug}-{identity}.jsonl"


def imported_config(matched: MatchedAnswers, overrides: Sequence[str]) -> RunConfig:
    """Return the configuration of an imported run, whose memory and reader only name its source."""
    imported = matched.imported
    base = run_config(compose_config(overrides)) if matched.known is None else matched.known.config
    part = _part(imported)
    name = _in_name(imported.label)
    label = f"{imported.label}, {imported.format}"
    groups: dict[str, Any] = {
        "method": {"name": name, "label": label, "build": {**part, "system": imported.label}},
        "reader": {"name": "imported", "build": part},
        "llm": {"name": _in_name(imported.llm) if imported.llm else UNKNOWN},
        "embedder": {"name": UNKNOWN, "build": part},
    }
    if matched.known is None:
        groups["dataset"] = {"name": "imported", "scores": list(SCORES_OF_FILES), "build": part}
    return RunConfig({**base.resolved, **groups}, {**base.without_paths, **groups})


def _part(imported: ImportedAnswers) -> dict[str, str]:
    file, mapping = imported.file, {"mapping": imported.mapping} if imported.mapping else {}
    part = {"_target_": IMPORTED, "format": imported.format, "file": file.name}
    return {**part, "sha256": file.sha256, **mapping}


def _in_name(text: str) -> str:
    """Return a text in a form that may be part of a folder or file name.

    >>> _in_name("mem0 (seed 1)")
    'mem0_seed_1'
    """
    return _NOT_IN_NAMES.sub("_", text).strip("._+-")[:LONGEST_NAME] or UNKNOWN


def _write_verdicts(matched: MatchedAnswers, records: Sequence[Record], folder: Path) -> None:
    """Write the verdicts of each published judge next to the records of the run."""
    for judge in matched.imported.judges:
        verdicts = _verdicts_of(matched, judge)
        with open_judgments(folder / judge_file(matched.imported, judge)) as log:
            for case in log.pending(_cases(records)):
                if case.query_id in verdicts:
                    correct = verdicts[case.query_id]
                    log.append(Judgment(case, "ok", correct=correct, judge_prompt="published"))


def _cases(records: Sequence[Record]) -> Iterator[JudgedCase]:
    """Yield each distinct pair of an answer and the gold answers shown to a judge by a rule."""
    yield from dict.fromkeys(case for rule in REFUSAL_GOLDS for case in cases_of(records, rule, 1))


def _verdicts_of(matched: MatchedAnswers, judge: str) -> Mapping[str, float]:
    return {
        answer.id: answer.answer.verdicts[judge]
        for answer in matched.answers
        if judge in answer.answer.verdicts
    }


def origin(matched: MatchedAnswers) -> Origin:
    """Return the source of the answers of an imported run, and what was lost or not read."""
    file = matched.imported.file
    return Origin(
        format=matched.imported.format,
        file=file.name,
        sha256=file.sha256,
        missing=matched.missing,
        unread=matched.imported.unread,
        account=matched.account,
    )
