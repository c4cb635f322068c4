"""Notes below the scores: a model too small, questions not parsed, an ablation without effect."""

from collections.abc import Iterator
from pathlib import Path

from remem.config.conf_files import RIVALS
from remem.config.run_config import RunConfig
from remem.run.memory_findings import read_memory_checks
from remem.run.plumbing import PLUMBING, is_plumbing
from remem.run.run_result import RunResult
from remem.run.store import read_manifest
from remem.temporal.templates import parse_question
from remem.types import LEFT_OUT

SYMBOLIC = "symbolic"
LAST_CHECKPOINT = (
    "asked while the memory grew (run.stream=session): only the answers after the last session are "
    "used here"
)
"""The note shown where such a run is treated like any other."""


def run_notes(config: RunConfig, result: RunResult) -> Iterator[str]:
    """Yield what `remem run` prints below the scores."""
    if is_plumbing(config):
        yield PLUMBING
    if config.is_stream:
        yield (
            f"Asked while the memory grew ({result.earlier.answers:,} answers in all): these "
            f"scores are those after the last session. remem report <the folder below> shows the "
            f"scores over time."
        )
    yield from _unparsed_notes(config, result)
    yield from _memory_check_notes(config.label, result.folder)
    if unchecked := unchecked_memory(config, result.folder):
        yield f"The memory of {config.label} was {unchecked}."
    yield from _lost_notes(config, result)
    yield from ablation_notes(config, result)


def _memory_check_notes(label: str, folder: Path) -> Iterator[str]:
    """Yield a note for each check of the memory that failed before the first question."""
    for check in read_memory_checks(folder):
        if not check.passed:
            yield f"{label} failed the check {check.name!r}: {check.found}."


def failed_checks_note(label: str, folder: Path) -> Iterator[str]:
    """Yield a note that names the checks of the memory that failed, without what was found.

    A bundle does not have what was found, and a table must be the same when it is made from one.
    """
    failed = [check.name for check in read_memory_checks(folder) if not check.passed]
    if failed:
        named = ", ".join(failed)
        yield f"{label} failed checks before the first question: {named} (memory_checks.json)."


def unchecked_memory(config: RunConfig, folder: Path) -> str:
    """Return that a rival was not checked, and how to check it; "" for other memories."""
    method = config.settings.method
    if method.build["_target_"] not in RIVALS or read_memory_checks(folder):
        return ""
    return f"not checked before the first question: remem doctor method={method.name} llm=<model>"


def _lost_notes(config: RunConfig, result: RunResult) -> Iterator[str]:
    """Yield a note if messages or sessions were lost while the memory was built."""
    failed = read_manifest(result.folder).failed_episodes
    if failed:
        first = failed[0]
        yield (
            f"{config.label} lost something of {len(failed):,} episodes while it was built "
            f"(manifest.json: failed_episodes); the first is {first.episode} of history "
            f"{first.history}: {first.reason or 'no reason is given'}."
        )


def _unparsed_notes(config: RunConfig, result: RunResult) -> Iterator[str]:
    """Yield notes on the share of questions that the symbolic planner and reader cannot parse."""
    named = {"planner": config.planner, "reader": config.settings.reader.name}
    roles = " and ".join(role for role, name in named.items() if name == SYMBOLIC)
    if roles:
        unparsed = sum(parse_question(record.question) is None for record in result.records)
        share = 100 * unparsed / max(result.total, 1)
        yield (
            f"The symbolic {roles} could not parse {unparsed:,} of {result.total:,} questions "
            f"({share:.1f}%)."
        )


def ablation_notes(config: RunConfig, result: RunResult) -> Iterator[str]:
    """Yield a note for each part that an ablation removes but no memory of the run has."""
    name = config.settings.ablation.name
    for what, count in read_manifest(result.folder).counts.items():
        if what.endswith(LEFT_OUT) and count == 0:
            part = what.removesuffix(LEFT_OUT).strip()
            yield (
                f"{config.label}: ablation={name} changes nothing here: the memory has no {part} "
                f"to leave out."
            )
