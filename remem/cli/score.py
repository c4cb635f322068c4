"""`remem score`: the records of a run, scored again; no memory, reader or model is asked."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.json_option import Json, say_json
from remem.cli.naming import Packages, Runs, ScoreDir, Scores
from remem.cli.score_options import Sets, named_convention, said_of_scores
from remem.reports.terminal.console import say


def score(  # noqa: PLR0917  each is an option of the command line
    runs: Runs,
    sets: Sets = None,
    scores: Scores = None,
    labels: Annotated[
        Path | None, typer.Option(help="a file of label errors, such as that of the LoCoMo audit")
    ] = None,
    config_dir: ScoreDir = None,
    package: Packages = None,
    json: Json = False,
) -> None:
    """Score records again, under other conventions or corrected labels.

    Example: remem score results/runs/locomo/A --set paper --set f1=mem0
    """
    from remem.reports.terminal.json_output import rescored_run
    from remem.reports.terminal.rescored import show_rescored, told_judge_calls
    from remem.reports.terminal.table_console import table_console
    from remem.results.conventions import named_scores, score_sets
    from remem.results.rescore import (
        Scoring,
        describe_overlay,
        overlaid_ways,
        overlay,
        read_overlay,
        rescore,
    )
    from remem.results.run import Run

    written = []
    for folder in runs:
        run = Run.open(folder, package or ())
        records, dataset = run.records, run.config.settings.dataset
        judge = run.config.settings.judge.name
        shown = scores or list(dataset.scores)
        known = named_scores(shown, [run], config_dir, package or ())
        if labels is None:
            chosen = score_sets(sets or [], dataset.released_f1, known)
            ways = [Scoring(name, records, convention) for name, convention in chosen.items()]
            found = rescore(ways, shown, folder, judge)
            notes: tuple[str, ...] = ()
        else:
            convention = named_convention(sets[0] if sets else "paper", dataset, known)
            overlaid = overlay(records, read_overlay(labels), convention)
            ways, ceiling = overlaid_ways(records, overlaid, convention)
            found = rescore(ways, shown, folder, judge) + rescore([ceiling], shown, None)
            notes = describe_overlay(overlaid)
        lines = (*said_of_scores(run), *told_judge_calls(found), *notes)
        if json:
            written.append(rescored_run(folder, found, lines))
            continue
        table_console().print(show_rescored(folder.as_posix(), found))
        for line in lines:
            say(line)
    if json:
        say_json("score", runs=written)
