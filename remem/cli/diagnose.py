"""`remem diagnose`: the cause of each wrong answer."""

from collections.abc import Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Json, Packages, RunFolders, say_json
from remem.errors import UsageError
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remem.results.diagnosis import Diagnosis, Interventions
    from remem.results.run import Run
    from remem.types import Record


def diagnose(
    runs: RunFolders,
    labels: Annotated[
        Path | None,
        typer.Option(help="a file of known label errors, such as audit_errors.json for LoCoMo"),
    ] = None,
    package: Packages = None,
    json: Json = False,
) -> None:
    """Give each wrong answer one cause, and say what to fix first.

    Nothing is sent. The memory is queried again if it needs no model. The reader answers again from
    the gold evidence if it needs no model or its replies are stored.

    Example: remem diagnose results/runs/locomo/A results/runs/locomo/B
    """
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.diagnosed import fix_first, show_diagnoses
    from remem.reports.terminal.json_output import diagnosed_run
    from remem.results.diagnosis import compared_causes
    from remem.results.run import Run
    from remem.results.run_names import run_names

    opened = [Run.open(folder, package or ()) for folder in runs]
    diagnoses = [
        replace(_diagnosis(run, labels), label=name)
        for run, name in zip(opened, run_names(*opened), strict=True)
    ]
    if json:
        parts = zip(diagnoses, runs, strict=True)
        say_json("diagnose", runs=[diagnosed_run(folder, of) for of, folder in parts])
        return
    if any(diagnosis.causes for diagnosis in diagnoses):
        table_console().print(show_diagnoses(diagnoses))
    for diagnosis in diagnoses:
        for line in (*fix_first(diagnosis), *diagnosis.notes):
            say(line)
    for line in compared_causes(diagnoses):
        say(line)


def _diagnosis(run: "Run", labels: Path | None) -> "Diagnosis":
    from remem.results.diagnosis import diagnosis, wrong_records
    from remem.results.rescore import overlay, read_overlay

    doubtful: Set[str] = frozenset()
    if labels is not None:
        overlaid = overlay(run.records, read_overlay(labels), run.convention)
        sound = {record.query_id for record in overlaid.without}
        doubtful = {record.query_id for record in run.records} - sound
    wrong = wrong_records(run)
    return diagnosis(run, wrong, _interventions(run, wrong, doubtful))


def _interventions(run: "Run", wrong: "Sequence[Record]", doubtful: Set[str]) -> "Interventions":
    """Return what the memory and the reader answer at no cost, or why they were not asked."""
    from remem.bundle.buildable import OF_CALLS, buildable, stored_replies
    from remem.config.instantiation import SharedInstance
    from remem.results.diagnosis import UNTRIED
    from remem.results.interventions import interventions_of
    from remem.run.imported_answers import is_imported

    if is_imported(run.config):
        note = "The answers were imported, so neither the memory nor the reader can be asked."
        return replace(UNTRIED, doubtful=doubtful, note=note)
    try:
        config = buildable(run.config, run.folder, OF_CALLS)
        if config.chat_model is not None:
            stored = stored_replies(config.chat_model, config.packages)
            config = replace(config, chat_model=SharedInstance(config.chat_model.build, [stored]))
        return interventions_of(replace(run, config=config), wrong, doubtful)
    except (FileNotFoundError, UsageError, ImportError) as error:
        note = f"Neither the memory nor the reader was asked: {error}"
        return replace(UNTRIED, doubtful=doubtful, note=note)
