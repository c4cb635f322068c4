"""`remem judge`: verdicts, their noise and errors, and their agreement with people's labels."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import (
    OneSet,
    Overrides,
    Packages,
    RunFolder,
    RunFolders,
    ScoreDir,
    Scores,
    read_convention,
)
from remem.errors import QuestionsInErrorError, UsageError
from remem.reports.terminal.console import safe_console, say

SAMPLE = 100
"""Number of answers that the paper had judged by a person."""


def run(
    folder: RunFolder,
    overrides: Overrides = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="a file of label errors; the judge then sees corrected gold answers"),
    ] = None,
    only: Annotated[
        Path | None,
        typer.Option(
            help="judge only the answers in this CSV sheet, such as one that a person labelled"
        ),
    ] = None,
) -> None:
    """Ask a judge for the missing verdicts on the answers of a run.

    The judge uses the model that answered the run; llm=<a model> chooses another.

    A verdict belongs to the gold answers that the judge saw. Verdicts with corrected gold answers
    are stored in the same file, and remem score --labels uses each verdict with its own gold
    answers.

    Example: remem judge run results/runs/locomo/A llm=gpt-4.1-mini-2025-04-14
    """
    from remem.cli.run_output import judge_limit, say_limit
    from remem.metrics.scores import summarise
    from remem.reports.terminal.progress import ProgressView
    from remem.results.agreement import format_means, verdict_means
    from remem.results.costs import stage_prices
    from remem.results.judging import describe_judge_model, judge_config, judge_run
    from remem.results.label_sheets import questions_on_sheet
    from remem.results.rescore import overlay, read_overlay
    from remem.results.run import Run
    from remem.results.run_notes import describe_failures

    opened = Run.open(folder)
    config, records = judge_config(opened, overrides or []), opened.records
    if only is not None:
        on_sheet = questions_on_sheet(only, opened.config.label)
        records = tuple(record for record in records if record.query_id in on_sheet)
    if labels is not None:
        records = overlay(records, read_overlay(labels), config.score_convention()).corrected
    if model := describe_judge_model(config, opened):
        say(f"remem: {model}", err=True)
    say_limit(judge_limit(config))
    view = ProgressView(safe_console(stderr=True), 1)
    price = stage_prices(config)["judge"]
    with view(f"judging {folder.name}", price) as on_progress:
        judged = judge_run(config, folder, records, on_progress)
    summary = summarise(records, config.score_convention(), judged.verdicts)
    score = summary.overall.means["llm_judge"]
    shown = "no verdict" if score is None else f"{100 * score.mean:.1f} (n = {score.n})"
    golds = "" if labels is None else " on corrected gold answers"
    heading = config.settings.judge.kind or "llm_judge"
    new = judged.asked - len(judged.failures)
    say(
        f"{heading}{golds}: {shown}; {new} new verdicts in {config.judgments}; "
        f"judge prompt: {config.judge_prompt}"
    )
    means = verdict_means(records, judged.verdicts)
    if means is not None and len(means.categories) > 1:
        say(format_means(means))
    if judged.failures:
        advice = "Fix this, then run the same command: it asks for the failed verdicts again."
        raise QuestionsInErrorError(
            describe_failures(judged.failures, judged.asked, "verdict", advice)
        )


def noise(
    runs: RunFolders,
    judge: Annotated[
        str, typer.Option(help="use the file of verdicts whose name begins with this")
    ] = "judgments.",
    chosen: OneSet = "paper",
) -> None:
    """Show how much a judge's verdicts vary when it is asked repeatedly.

    Repeated verdicts and repeated answers are shown separately.

    Example: remem judge noise results/runs/locomo/A results/runs/locomo/A-repeated
    """
    from remem.reports.terminal.judge_tables import format_variance
    from remem.results.agreement import judge_variance
    from remem.results.run import Run

    files = [_only_file(run, judge) for run in runs]
    opened = [Run.open(run) for run in runs]
    convention = read_convention(chosen, opened[0].config.settings.dataset)
    records = [run.records for run in opened]
    for line in format_variance(judge_variance(records, files, convention.refusal_gold)):
        say(line)


def _only_file(run: Path, judge: str) -> Path:
    from remem.results.verdicts import judgment_files

    files = [path for path in judgment_files(run) if path.name.startswith(judge)]
    if len(files) != 1:
        names = ", ".join(path.name for path in files) or "none"
        raise UsageError(
            f"{run} needs one file of verdicts with a name that begins with {judge!r}; found "
            f"{names}; choose one with --judge, or create one with remem judge run"
        )
    return files[0]


def stress(
    overrides: Overrides = None,
    size: Annotated[int, typer.Option(help="number of answers of each kind")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="seed of the random choice")] = 0,
) -> None:
    """Show how many right and wrong generated answers a judge accepts.

    Example: remem judge stress dataset=locomo llm=<a model>
    """
    from remem.config.run_config import compose_config, run_config
    from remem.judge.stress import right_answers, wrong_answers
    from remem.judge.stress import stress as stress_judge
    from remem.protocols import GradesByGold
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.judge_tables import show_stress

    config = run_config(compose_config(["judge=llm", *(overrides or [])]))
    judge = config.build_judges()[0]
    if isinstance(judge, GradesByGold):
        raise UsageError(
            f"judge={config.settings.judge.name} grades by the rubric or the type of a question, "
            "but the answers generated here come without them; choose judge=llm or judge=mem0"
        )
    benchmark = config.build_benchmark()
    questions = [
        question
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    ]
    answers = [*right_answers(questions, size, seed), *wrong_answers(questions, size, seed)]
    result = stress_judge(judge, answers, config.workers)
    table_console().print(show_stress(result))
    say(f"judge prompt: {config.judge_prompt}; {result.usage.calls} calls")
    if result.errors:
        raise QuestionsInErrorError(
            f"failed verdicts: {result.errors}; run the same command to ask for them again"
        )


def label(  # noqa: PLR0917  each is an option of the command line
    run: RunFolder,
    sheet: Annotated[Path, typer.Argument(help="CSV file to write")],
    size: Annotated[int, typer.Option(help="number of answers")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="seed of the random sample")] = 0,
    chosen: OneSet = "paper",
    wrong: Annotated[
        bool,
        typer.Option("--wrong", help="draw only wrong answers, to label the kind of each error"),
    ] = False,
    package: Packages = None,
) -> None:
    """Draw answers of a run for a person to label 1 (right) or 0 (wrong).

    With --wrong only wrong answers are drawn, the sheet also has evidence and steps, and the labels
    are the paper's kinds of error. An answer is wrong if the judge says so. If there is no judge,
    an answer is wrong if the dataset's first score is below one half.

    Example: remem judge label results/runs/locomo/A sheet.csv
    """
    from remem.results.label_sheets import (
        answered_wrongly,
        draw_sample,
        taxonomy,
        write_error_sheet,
        write_sheet,
    )
    from remem.results.outcomes import RIGHT
    from remem.results.run import Run

    opened = Run.open(run, package or ())
    convention = read_convention(chosen, opened.config.settings.dataset)
    if not wrong:
        write_sheet(sheet, draw_sample(opened.records, size, seed), convention.refusal_gold)
        say(f"Written: {sheet} ({size} answers, seed {seed})")
        say(f"Next: label the answers in it, then run remem judge agree {run} {sheet}")
        return
    scored = opened.under(convention)
    mistakes = answered_wrongly(scored)
    if size > len(mistakes):
        raise UsageError(
            f"{run} has only {len(mistakes)} wrong answers; --size {len(mistakes)} takes all"
        )
    write_error_sheet(sheet, draw_sample(mistakes, size, seed), convention.refusal_gold)
    criterion = f"{scored.main_heading} below {RIGHT}"
    say(f"Written: {sheet} ({size} of {len(mistakes)} answers with {criterion}, seed {seed})")
    say(f"Labels: {', '.join(taxonomy(opened.config.settings.dataset.style))}")
    say(f"Next: label the answers in the sheet, then run remem judge shares {run} {sheet}")


def shares(
    run: RunFolder,
    sheet: Annotated[Path, typer.Argument(help="the labelled sheet of wrong answers")],
) -> None:
    """Show the share of each kind of error on a labelled sheet.

    The paper's shares are shown next to them.

    Example: remem judge shares results/runs/locomo/A sheet.csv
    """
    from remem.paper.claims import read_claims
    from remem.paper.layout import paper_folder
    from remem.reports.terminal.console import table_console
    from remem.results.label_sheets import (
        read_error_labels,
        shares_by_kind,
        show_shares,
        taxonomy,
    )
    from remem.results.run import Run

    opened = Run.open(run)
    allowed = taxonomy(opened.config.settings.dataset.style)
    labels = read_error_labels(sheet, opened.records, allowed)
    by_kind = shares_by_kind(labels, allowed, read_claims(paper_folder()))
    table_console().print(show_shares(by_kind))


def agree(  # noqa: PLR0917  each is an option of the command line
    run: RunFolder,
    labels: Annotated[Path, typer.Argument(help="the labelled sheet")],
    scores: Scores = None,
    chosen: OneSet = "paper",
    config_dir: ScoreDir = None,
    package: Packages = None,
) -> None:
    """Compare metrics, and every judge of the run, with people's labels.

    Example: remem judge agree results/runs/locomo/A sheet.csv --score f1 --score bleu1
    """
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.judge_tables import show_agreements
    from remem.results.agreement import agreements
    from remem.results.conventions import named_scores
    from remem.results.label_sheets import read_labels
    from remem.results.run import Run

    opened = Run.open(run, package or ())
    records, dataset = opened.records, opened.config.settings.dataset
    of_people = read_labels(labels, records)
    names = scores or ["f1", "bleu1", "em"]
    known = named_scores(names, [opened], config_dir, package or ())
    convention = read_convention(chosen, dataset, known)
    table_console().print(
        show_agreements(agreements(records, of_people, names, convention, run), convention)
    )
