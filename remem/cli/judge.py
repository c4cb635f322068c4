"""`remem judge`: verdicts on the answers of a run."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Run
from remem.cli.override_completion import Overrides
from remem.reports.terminal.console import safe_console, say


def judge(
    run: Run,
    overrides: Overrides = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="a file of label errors; the judge then sees corrected golds"),
    ] = None,
    only: Annotated[
        Path | None,
        typer.Option(help="judge only the answers on this sheet, such as those with labels"),
    ] = None,
) -> None:
    """Ask a judge for a verdict on every answer of a run that has none.

    The judge's model is the one that answered the run; llm=<a model> names another one.

    A verdict belongs to the golds that the judge saw. Verdicts on corrected golds are stored in the
    same file; remem score --labels uses each verdict with the golds that it belongs to.

    Example: remem judge results/runs/locomo/A llm=gpt-4.1-mini-2025-04-14
    """
    from remem.cli.spending_limit import judge_limit, say_limit
    from remem.errors import QuestionsInErrorError
    from remem.metrics.scores import summarise
    from remem.reports.terminal.progress import ProgressView
    from remem.results.agreement import format_means, verdict_means
    from remem.results.costs import stage_prices
    from remem.results.judging import describe_judge_model, judge_config, judge_run
    from remem.results.label_sheets import questions_on_sheet
    from remem.results.rescore import overlay, read_overlay
    from remem.results.run import Run as Opened
    from remem.results.run_notes import describe_failures

    opened = Opened.open(run)
    config, records = judge_config(opened, overrides or []), opened.records
    if only is not None:
        drawn = questions_on_sheet(only, opened.config.label)
        records = tuple(record for record in records if record.query_id in drawn)
    if labels is not None:
        records = overlay(records, read_overlay(labels), config.score_convention()).corrected
    if model := describe_judge_model(config, opened):
        say(f"remem: {model}", err=True)
    say_limit(judge_limit(config))
    view = ProgressView(safe_console(stderr=True), 1)
    price = stage_prices(config)["judge"]
    with view(f"judging {run.name}", price) as on_progress:
        judged = judge_run(config, run, records, on_progress)
    summary = summarise(records, config.score_convention(), judged.verdicts)
    score = summary.overall.means["llm_judge"]
    shown = "no verdict" if score is None else f"{100 * score.mean:.1f} (n = {score.n})"
    golds = "" if labels is None else " on corrected golds"
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
        again = "Fix this, then run the same command: it asks for the failed verdicts again."
        raise QuestionsInErrorError(
            describe_failures(judged.failures, judged.asked, "verdict", again)
        )
