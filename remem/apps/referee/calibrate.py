"""`remem referee calibrate`: how often judges err, and how each judge would score the systems."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Json, OneSet, Packages, RunFolders, read_convention, say_json
from remem.cli.judge import SAMPLE
from remem.errors import UsageError
from remem.reports.terminal.console import say


def calibrate(  # noqa: PLR0917  each is an option of the command line
    runs: RunFolders,
    labels: Annotated[
        Path | None,
        typer.Option(help="a CSV file with the columns run, query_id and label (1 or 0)"),
    ] = None,
    truth: Annotated[
        str | None, typer.Option(help="use the verdicts of this judge instead of labels")
    ] = None,
    right_from: Annotated[
        list[float] | None,
        typer.Option(
            min=0,
            max=1,
            help="for judges that give grades: the lowest grade that counts as right "
            "(default: 0.5); repeat the option to compare several",
        ),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="the ranking to compare the others with (default: the first)")
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(help="write a sample of all answers, for labelling, to this CSV file"),
    ] = None,
    size: Annotated[int, typer.Option(min=1, help="number of answers for --draw")] = SAMPLE,
    seed: Annotated[int, typer.Option(min=0, help="seed of the random sample for --draw")] = 0,
    html: Annotated[Path | None, typer.Option(help="write the result as an HTML page")] = None,
    chosen: OneSet = "paper",
    package: Packages = None,
    json: Json = False,
) -> None:
    """Show how often judges err, and how each judge would score and rank the systems.

    With labels: sensitivity, specificity, and scores corrected for both. Without labels: how judges
    order the systems, and how often a judge contradicts itself on the same answer.

    Example: remem referee calibrate results/runs/locomo/A results/runs/locomo/B --labels sheet.csv
    """
    from remem.apps.referee.judges.judge_report import Truth, judge_report, truth_of_judge
    from remem.apps.referee.judges.judge_text import judge_notes, judge_tables
    from remem.apps.referee.judges.judged_answers import RIGHT, judged_answers, rules_of
    from remem.apps.referee.judges.runs_sheet import read_runs_sheet, write_runs_sheet
    from remem.apps.referee.text_tables import show_text_table, write_tables_page
    from remem.reports.terminal.console import table_console
    from remem.results.run import Run

    if labels is not None and truth is not None:
        raise UsageError("--labels and --truth cannot be used together: leave out one of them")
    opened = [Run.open(run, package or ()) for run in runs]
    dataset = opened[0].config.settings.dataset
    answers = judged_answers(opened, read_convention(chosen, dataset).refusal_gold)
    if draw is not None:
        write_runs_sheet(draw, answers, size, seed)
        say(f"Written: {draw} ({size} of {len(answers)} answers, seed {seed})")
        say(
            f"Write 1 (right) or 0 (wrong) into the column 'label'; then run the command with "
            f"--labels {draw} instead of --draw"
        )
        return
    known = None
    if labels is not None:
        known = Truth(str(labels), read_runs_sheet(labels, answers), is_judge=False)
    elif truth is not None:
        known = truth_of_judge(truth, answers)
    rules = rules_of(answers, right_from or [RIGHT])
    report = judge_report(dataset.name, answers, rules, known, reference)
    tables = judge_tables(report)
    if html is not None:
        title = f"The judges of {report.dataset}"
        write_tables_page(html, title, tables, judge_notes(report))
    if json:
        say_json("referee calibrate", report=report, notes=judge_notes(report), page=html)
        return
    for table in tables:
        table_console().print(show_text_table(table))
    for line in judge_notes(report):
        say(line)
    if html is not None:
        say(f"Written: {html}")
