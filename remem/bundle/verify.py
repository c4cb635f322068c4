"""Verify a bundle without its data sets: check all checksums and recompute all scores."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.bundle.archive import is_sealed
from remem.bundle.gathering import told_apart
from remem.bundle.layout import CALLS, Call, Index, run_entry
from remem.bundle.reading import Bundle, open_bundle
from remem.bundle.replies_and_vectors import packed_vectors
from remem.bundle.run_parts import RunParts, check_scores, malformed_config, read_run_parts
from remem.bundle.sums import first_difference, records_sum
from remem.errors import VerificationFailedError
from remem.files.opened import file_sum
from remem.metrics.question_scores import read_score_row
from remem.metrics.scores import score_questions


@dataclass(frozen=True, slots=True)
class Verified:
    """A verified bundle: its runs' labels, and how many questions, calls and vectors it has."""

    sha256: str
    index: Index
    runs: tuple[str, ...]
    questions: int
    calls: int
    vectors: int


def verify(path: Path) -> Verified:
    """Check the integrity of a bundle and recompute the scores of its runs.

    Raises:
        VerificationFailedError: A check failed; the message names the first failed check.
    """
    with open_bundle(path) as bundle:  # it refuses other files before reading all of them
        total = file_sum(path)
        bundle.check_sums()
        if not is_sealed(path):
            raise VerificationFailedError(
                f"{path}: the entries are intact, but the file has changed elsewhere since it was "
                f"packed; get a new copy of the bundle"
            )
        calls = sum(1 for _ in bundle.lines(CALLS, Call))
        vectors = sum(
            1
            for number, table in enumerate(bundle.index.tables, start=1)
            for _ in packed_vectors(bundle, number, table)
        )
        labels, configs, questions = [], [], 0
        for number in range(1, bundle.index.runs + 1):
            run = read_run_parts(bundle, number)
            _check_run(bundle, run)
            labels.append(run.notes.label)
            configs.append(run.config)
            questions += len(run.records)
    with malformed_config(str(path)):
        runs = told_apart(labels, configs)
    return Verified(total, bundle.index, runs, questions, calls, vectors)


def _check_run(bundle: Bundle, run: RunParts) -> None:
    name = run_entry(run.number, "questions.jsonl")
    try:
        questions = [read_score_row(row) for row in bundle.lines(name, dict[str, Any])]
    except ValueError as error:
        raise VerificationFailedError(
            f"{bundle.path}: {name} has no valid scores: {error}"
        ) from error
    with malformed_config(f"{bundle.path}: {run.name}"):
        check_scores(bundle, run, questions)
    if run.texts is None:
        return
    difference = first_difference(run.records, run.texts)
    if difference or records_sum(run.texts) != run.notes.records_sha256:
        changed = "the packed texts do not have the sha256 of its records"
        raise VerificationFailedError(f"{run.name}: {difference or changed}")
    check_scores(bundle, run, score_questions(run.texts, run.convention))
