"""Describe a certificate in words: what the replay has checked, and what it could not check."""

from collections.abc import Iterator

from remem.apps.referee.certificates.certificate import Certificate, CertifiedRun
from remem.bundle.differences import EnvironmentDifferences
from remem.bundle.replay import format_outcome, format_remark
from remem.llm.endpoint import STUB

MOST_NAMED = 3
"""Up to so many runs with the same fact are named; of more, only the first is named."""


def checked_facts(certificate: Certificate) -> Iterator[str]:
    """Yield what the replay of the bundle has checked."""
    runs, bundle = certificate.runs, certificate.bundle
    yield f"All {bundle.entries:,} entries of the bundle have the sha256 and size of its index."
    again = [run for run in runs if run.replayed]
    if again:
        records = sum(run.asked for run in again)
        yield (
            f"{len(again):,} of {len(runs):,} run{'s' * (len(runs) != 1)} "
            f"{'was' if len(again) == 1 else 'were'} answered again from the data, the packed "
            f"replies and the packed vectors: all {records:,} records came out the same."
        )
    yield "The scores of each run follow from the scores of its questions."
    same = [table for table in certificate.tables if table.not_compared is None]
    if same:
        files = sum(table.files for table in same)
        names = ", ".join(table.name for table in same)
        yield f"{files} files of tables came out the same, byte for byte: {names}."


def unchecked_facts(certificate: Certificate) -> Iterator[str]:
    """Yield what no replay can check, then what this replay did not check."""
    yield from _beyond_any_replay(certificate)
    labels: dict[str, list[str]] = {}
    for run in certificate.runs:
        for fact in _of_run(run):
            labels.setdefault(fact, []).append(run.label)
    for fact, of_runs in labels.items():
        others = f" and {len(of_runs) - 1} other runs" if len(of_runs) > MOST_NAMED else ""
        named = of_runs[0] if others else ", ".join(of_runs)
        yield f"{named}{others}: {fact}"
    for table in certificate.tables:
        if table.not_compared is not None:
            yield f"{table.name}: {table.not_compared}"


def _of_run(run: CertifiedRun) -> Iterator[str]:
    if not run.replayed:
        yield outcome_text(run)
    data = run.data if run.other_data else None
    differences = EnvironmentDifferences(data, run.other_releases)
    if remark := format_remark(differences, replayed=run.replayed):
        yield remark
    yield from run_facts(run)


def outcome_text(run: CertifiedRun) -> str:
    """Say whether a run was replayed; for a rival, also say whose code rebuilt its memory."""
    reason = f"{run.missing or 'a package that it needs'} is not installed here"
    return format_outcome(run.rival, "" if run.replayed else reason, restored=run.with_records)


def run_facts(run: CertifiedRun) -> Iterator[str]:
    """Yield warnings about a run: results of the stub, and questions not asked or failed."""
    if run.llm == STUB:
        yield f"llm={STUB} is not a model, so the scores are not a result"
    for judge in run.judges:
        if STUB in judge.file:
            yield (
                f"{judge.file} has verdicts of {STUB}, which is not a model, so they are not a "
                f"result"
            )
    if run.asked < run.of:
        yield f"only {run.asked:,} of {run.of:,} questions were asked"
    failed = run.asked - run.answered
    if failed == 1:
        yield "1 question failed and is not scored"
    elif failed:
        yield f"{failed:,} questions failed and are not scored"


def _beyond_any_replay(certificate: Certificate) -> Iterator[str]:
    bundle = certificate.bundle
    yield (
        "The seconds are those that the bundle states, on the machine of the original runs: a "
        "replay cannot measure them."
    )
    yield "The dates, commits and versions of the original runs are those that the bundle states."
    yield "A bundle cannot show whether other runs were made and left out."
    if bundle.replies:
        yield (
            f"No model was asked: the {bundle.replies:,} replies are those of the bundle. Whether "
            f"the named model gave them is not known."
        )
    if bundle.vectors:
        yield (
            f"The {bundle.vectors:,} packed vectors were not computed again: they are those of "
            f"the bundle."
        )
    verdicts = sum(judge.verdicts for run in certificate.runs for judge in run.judges)
    if verdicts:
        yield f"No judge was asked: the {verdicts:,} verdicts are those of the bundle."
