"""`remem diagnose`: the cause of each wrong answer of runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Json, Packages, RunFolders, say_json
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from collections.abc import Set

    from remem.results.diagnosis import Diagnosis
    from remem.results.run import Run


def diagnose(
    runs: RunFolders,
    labels: Annotated[
        Path | None, typer.Option(help="a file of label errors, such as that of the LoCoMo audit")
    ] = None,
    ask: Annotated[
        bool,
        typer.Option(help="ask the model of the reader again, with the gold evidence; it may cost"),
    ] = False,
    package: Packages = None,
    json: Json = False,
) -> None:
    """Give each wrong answer one cause, and say what to fix first.

    Example: remem diagnose results/runs/locomo/A results/runs/locomo/B
    """
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.diagnosed import compared, show_diagnosis
    from remem.reports.terminal.json_output import diagnosed_run
    from remem.results.run import Run

    diagnoses = [_diagnosis(Run.open(folder, package or ()), labels, ask=ask) for folder in runs]
    if json:
        parts = zip(diagnoses, runs, strict=True)
        say_json("diagnose", runs=[diagnosed_run(folder, of) for of, folder in parts])
        return
    for diagnosis in diagnoses:
        table_console().print(show_diagnosis(diagnosis))
        pending = list(diagnosis.causes.values()).count("in the prompt")
        if pending:
            say(
                f"{pending} answers had all evidence in the prompt. One more call for each, with "
                f"the gold evidence, tells whether the reader can use it: --ask sends them."
            )
    for line in compared(diagnoses):
        say(line)


def _diagnosis(run: "Run", labels: Path | None, *, ask: bool) -> "Diagnosis":
    from remem.results.diagnosis import diagnosis, wrong_records
    from remem.results.interventions import interventions_of
    from remem.results.rescore import overlay, read_overlay

    doubtful: Set[str] = frozenset()
    if labels is not None:
        overlaid = overlay(run.records, read_overlay(labels), run.convention)
        sound = {record.query_id for record in overlaid.without}
        doubtful = {record.query_id for record in run.records} - sound
    wrong = wrong_records(run)
    return diagnosis(run, wrong, interventions_of(run, wrong, doubtful, ask=ask))
