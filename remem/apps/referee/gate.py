"""`remem referee gate`: compare a run with a frozen baseline, for the CI of a memory."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Json, Packages, RunFolder, ScoreDir, Scores, say_json
from remem.cli.measure import score_notes
from remem.errors import UsageError
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.apps.referee.gates.gate import Gated
    from remem.apps.referee.gates.gate_runs import ScoreSource

MARGIN = 4.0
"""Points: with 1,000 questions of which 15% differ, an unchanged memory passes in 95% of cases."""


def gate(  # noqa: PLR0917  each is an option of the command line
    run: RunFolder,
    baseline: Annotated[
        Path | None, typer.Option(exists=True, help="a frozen baseline, or the folder of a run")
    ] = None,
    freeze: Annotated[
        Path | None, typer.Option(help="write the run as a baseline to this file")
    ] = None,
    scores: Scores = None,
    margin: Annotated[float, typer.Option(help="the largest accepted drop, in points")] = MARGIN,
    junit: Annotated[Path | None, typer.Option(help="write the result as JUnit XML")] = None,
    summary: Annotated[Path | None, typer.Option(help="write the result as Markdown")] = None,
    config_dir: ScoreDir = None,
    package: Packages = None,
    json: Json = False,
) -> None:
    """Fail if a run is worse than a frozen baseline by a margin, for a memory's own CI.

    Example: remem referee gate results/runs/my_memory/B --baseline baseline.jsonl --margin 4
    """
    from remem.apps.referee.gates.gate import GateFailedError
    from remem.apps.referee.gates.gate_baseline import FailedQuestionsError
    from remem.apps.referee.gates.gate_runs import ScoreSource, baseline_of, gate_run
    from remem.apps.referee.gates.gate_text import notes, told_gate
    from remem.errors import VerificationFailedError
    from remem.results.run import Run as OpenedRun

    source, names = ScoreSource(config_dir, package or ()), scores or []
    if freeze is not None:
        if baseline or junit or summary or json:
            raise UsageError(
                "--freeze only writes a baseline: leave out --baseline, --junit, "
                "--summary and --json"
            )
        _freeze(run, freeze, names, margin, source)
        return
    if baseline is None:
        raise UsageError(
            "give --baseline FILE to compare the run with, or --freeze FILE to write a baseline"
        )
    opened = OpenedRun.open(run, package or ())
    try:
        before = baseline_of(baseline, names, source)
        gated = gate_run(opened, before, names, margin / 100, source)
    except (FailedQuestionsError, VerificationFailedError) as error:
        _write(str(error), junit, summary)
        raise
    _write(gated, junit, summary)
    all_notes = (*notes(gated), *score_notes(opened))
    if json:
        passed = gated.has_passed
        say_json(
            "referee gate", run=run, baseline=baseline, passed=passed, gate=gated, notes=all_notes
        )
    for line in () if json else (*told_gate(gated), *score_notes(opened)):
        say(line)
    if not gated.has_passed:
        raise GateFailedError(f"{run} did not pass the gate with a margin of {margin:g} points")


def _freeze(run: Path, file: Path, names: list[str], margin: float, source: "ScoreSource") -> None:
    from remem.apps.referee.gates.gate_baseline_file import write_baseline
    from remem.apps.referee.gates.gate_runs import freeze_run
    from remem.apps.referee.gates.gate_text import told_baseline

    baseline = freeze_run(run, names, source)
    write_baseline(file, baseline)
    for line in told_baseline(baseline, margin / 100):
        say(line)
    say(f"Written: {file}, {file.stat().st_size:,} bytes (ids, checksums and scores, but no texts)")


def _write(gated: "Gated | str", junit: Path | None, summary: Path | None) -> None:
    from remem.apps.referee.gates.gate_files import write_junit
    from remem.apps.referee.gates.gate_summary import write_summary

    if junit is not None:
        write_junit(junit, gated)
    if summary is not None:
        write_summary(summary, gated)
