"""The sentences of a certificate: what a replay has checked, and what it could not check."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.apps.referee.certificates.certificate import CertifiedRun
from remem.bundle.replay import Replayed
from remem.bundle.verify import Verified
from remem.llm.endpoint import STUB


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """A table of the bundle, the number of its files, and why it was not compared, or ""."""

    name: str
    files: int
    not_compared: str


def checked_facts(
    verified: Verified, runs: Sequence[CertifiedRun], tables: Sequence[CheckedTable]
) -> Iterator[str]:
    """Yield what the replay of a bundle has checked."""
    entries = len(verified.index.entries)
    yield f"All {entries:,} entries of the bundle have the sha256 and size that its index lists."
    again = [run for run in runs if run.replayed]
    if again:
        records = sum(run.asked for run in again)
        yield (
            f"{len(again):,} of {len(runs):,} run{'s' * (len(runs) != 1)} "
            f"{'was' if len(again) == 1 else 'were'} answered again from the data, the packed "
            f"replies and the packed vectors: all {records:,} records came out the same."
        )
    yield "The scores of each run follow from the scores of its questions."
    same = [table for table in tables if not table.not_compared]
    if same:
        files = sum(table.files for table in same)
        named = ", ".join(table.name for table in same)
        yield f"{files} files of tables came out the same, byte for byte: {named}."


def unchecked_facts(replayed: Replayed, runs: Sequence[CertifiedRun]) -> Iterator[str]:
    """Yield what no replay can check, then what this replay did not check of each run."""
    yield from general_facts(replayed.verified, runs)
    for found, run in zip(replayed.runs, runs, strict=True):
        if not run.replayed:
            yield f"{run.label}: {run.outcome}"
        if found.remark:
            yield f"{run.label}: {found.remark}"
        yield from (f"{run.label}: {fact}" for fact in facts_of_run(run))
    yield from (
        f"{table.name}: {table.not_compared}" for table in replayed.tables if table.not_compared
    )


def general_facts(verified: Verified, runs: Sequence[CertifiedRun]) -> Iterator[str]:
    """Yield what no replay of this bundle can check."""
    yield (
        "The seconds are those that the bundle states, on the machine of the original runs: a "
        "replay cannot measure them."
    )
    yield "The dates, commits and versions of the original runs are those that the bundle states."
    yield "Nobody can see from a bundle whether other runs were made and left out."
    if verified.calls:
        yield (
            f"No model was asked: the {verified.calls:,} replies are those of the bundle. Whether "
            f"the named model gave them is not known."
        )
    if verified.vectors:
        yield (
            f"The {verified.vectors:,} packed vectors were not computed again: they are those of "
            f"the bundle."
        )
    verdicts = sum(judge.verdicts for run in runs for judge in run.judges)
    if verdicts:
        yield f"No judge was asked: the {verdicts:,} verdicts are those of the bundle."


def facts_of_run(run: CertifiedRun) -> Iterator[str]:
    """Yield why a run is no result, and which of its questions were not asked or have no score."""
    if run.llm == STUB:
        yield f"llm={STUB} is no model: the scores are no result"
    for judge in run.judges:
        if STUB in judge.file:
            yield f"{judge.file} has verdicts of {STUB}, which is no model: they are no result"
    if run.asked < run.of:
        yield f"only {run.asked:,} of {run.of:,} questions were asked"
    if run.answered < run.asked:
        failed = run.asked - run.answered
        told = "1 question ended in an error and is" if failed == 1 else ""
        yield f"{told or f'{failed:,} questions ended in an error and are'} not scored"
