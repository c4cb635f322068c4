"""`remem compare` and `remem judge`: what is made of records."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import ConfigDir, Packages, Run, check_run, score_names
from remem.reports.terminal.console import safe_console, say


def compare(  # noqa: PLR0917  each is an option of the command line
    first: Run,
    second: Annotated[
        Path,
        typer.Argument(help="folder of a run over the same questions", callback=check_run),
    ],
    score: Annotated[
        str,
        typer.Option(help="a score of a question", autocompletion=score_names),
    ] = "f1",
    category: Annotated[str | None, typer.Option(help="only this category")] = None,
    override: Annotated[
        list[str] | None, typer.Option(help="a Hydra override of convention.score")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="write what flipped as a page")] = None,
    with_text: Annotated[
        bool, typer.Option(help="put the texts of data sets in the page: mind the licences")
    ] = False,
    head_to_head: Annotated[
        int, typer.Option(min=0, help="show so many sampled questions that one alone has right")
    ] = 0,
    package: Packages = None,
    config_dir: ConfigDir = None,
) -> None:
    """Compare a score of two runs question by question.

    Example: remem compare results/runs/locomo/A results/runs/locomo/B --head-to-head 3
    """
    from remem.config.run_config import compose_config, run_config
    from remem.evaluation.compare import compare as compare_runs
    from remem.evaluation.compare import told
    from remem.evaluation.judging import read_verdicts
    from remem.evaluation.named_scores import named_scores
    from remem.evaluation.run_data import read_run
    from remem.evaluation.table_tests import table_tests
    from remem.reports.html.diff import write_diff
    from remem.reports.html.head_to_head import for_terminal, meet
    from remem.reports.terminal.table_console import table_console
    from remem.run.store import read_records

    judge = ["judge=llm"] if score == "llm_judge" else []
    config = run_config(compose_config([*judge, *(override or [])]))
    scores = named_scores([score], (first, second), config_dir, package or ())
    convention = replace(config.score_convention(), scores=scores)
    ours, theirs = read_records(first), read_records(second)
    found = compare_runs(
        ours,
        theirs,
        score=score,
        category=category,
        convention=convention,
        verdicts=(read_verdicts(config, first, ours), read_verdicts(config, second, theirs)),
    )
    # Tables are written under the conventions they name, not under those of this command line.
    tested = () if override else table_tests(first, second, score=score, category=category)
    lines = told(score, found, tested)
    for line in lines:
        say(line)
    if head_to_head:
        runs = (read_run(one, convention, package or ()) for one in (first, second))
        met = meet(*runs, score=score, category=category, sampled=head_to_head)
        table_console().print(for_terminal(met))
    if html is not None:
        write_diff(
            (first, second),
            html,
            score=score,
            category=category,
            convention=convention,
            said=lines,
            with_text=with_text,
            packages=package or (),
        )
        say(f"Written: {html}")


def judge(
    run: Run,
    override: Annotated[
        list[str] | None, typer.Option(help="a Hydra override, such as llm=<a model>")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="a file of label errors: judge against corrected golds")
    ] = None,
) -> None:
    """Ask a judge about every answer of a run that it has given no verdict on.

    A verdict holds for the golds it was given on: those on corrected golds stand beside the others
    in the judge's file, and remem score --labels tells them apart.

    Example: remem judge results/runs/locomo/A --override llm=gpt-4.1-mini-2025-04-14
    """
    from remem.cli.hydra_entry import QuestionsInErrorError
    from remem.config.run_config import compose_config, run_config
    from remem.evaluation.judging import judge_run
    from remem.evaluation.label_overlay import overlay, read_overlay
    from remem.metrics.scores import summarise
    from remem.reports.terminal.progress import show_progress
    from remem.run.store import read_records

    config = run_config(compose_config(["judge=llm", *(override or [])]))
    records = read_records(run)
    if labels is not None:
        records = overlay(records, read_overlay(labels), config.score_convention()).corrected
    with show_progress(safe_console(stderr=True), f"{run.name}: judge") as on_progress:
        judged = judge_run(config, run, records, on_progress)
    score = summarise(records, config.score_convention(), judged.verdicts).overall.means[
        "llm_judge"
    ]
    shown = "no verdict" if score is None else f"{100 * score.mean:.1f} (n = {score.n})"
    golds = "" if labels is None else " on corrected golds"
    heading = config.resolved["judge"].get("kind", "llm_judge")
    say(
        f"{heading}{golds}: {shown}; {judged.asked} verdicts asked for in {config.judgments}; "
        f"judge prompt: {config.judge_prompt}"
    )
    if judged.errors:
        raise QuestionsInErrorError(
            f"{judged.errors} verdicts ended in an error; the same command asks for them again"
        )
