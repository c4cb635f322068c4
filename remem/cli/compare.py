"""`remem compare`: two runs, question by question."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from remem.cli.json_option import Json, say_json
from remem.cli.naming import Packages, Run, ScoreDir, check_run, score_names
from remem.cli.override_completion import Overrides
from remem.cli.score_options import said_of_scores
from remem.cli.table_output import tell_costs
from remem.errors import UsageError
from remem.reports.terminal.console import say


def compare(  # noqa: PLR0917  each is an option of the command line
    first: Run,
    second: Annotated[
        Path,
        typer.Argument(help="folder of a run over the same questions", callback=check_run),
    ],
    overrides: Overrides = None,
    score: Annotated[
        str,
        typer.Option(help="the score to compare", autocompletion=score_names),
    ] = "f1",
    category: Annotated[str | None, typer.Option(help="only this category")] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="compare the stored verdicts of this judge, such as published-accuracy"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="write the questions that differ as an HTML page")
    ] = None,
    with_text: Annotated[
        bool,
        typer.Option(help="include the texts of data sets in the page; check the licences first"),
    ] = False,
    head_to_head: Annotated[
        int,
        typer.Option(min=0, help="show this many sampled questions that only one run has right"),
    ] = 0,
    package: Packages = None,
    config_dir: ScoreDir = None,
    json: Json = False,
) -> None:
    """Compare a score of two runs question by question.

    Example: remem compare results/runs/locomo/A results/runs/locomo/B --head-to-head 3
    """
    from remem.config.run_config import compose_config, run_config
    from remem.reports.html.diff import write_diff
    from remem.reports.html.head_to_head import for_terminal, meet
    from remem.reports.terminal.table_console import table_console
    from remem.results.compare import compare as compare_runs
    from remem.results.compare import format_comparison, table_tests
    from remem.results.conventions import named_scores
    from remem.results.run import Run as OpenedRun
    from remem.results.run_names import run_names
    from remem.results.verdicts import configured_verdicts, stored_verdicts
    from remem.tables.costs import compared_costs

    if judge and (head_to_head or html is not None):
        raise UsageError("--judge compares stored verdicts only; leave out --html, --head-to-head")
    if json and head_to_head:
        raise UsageError("--head-to-head is shown on the screen; leave it or --json out")
    score = "llm_judge" if judge else score
    asking = ["judge=llm"] if score == "llm_judge" and not judge else []
    config = run_config(compose_config([*asking, *(overrides or [])]))
    runs = OpenedRun.open(first, package or ()), OpenedRun.open(second, package or ())
    scores = named_scores([score], runs, config_dir, package or ())
    convention = replace(config.score_convention(), scores=scores)
    ours, theirs = (run.records for run in runs)
    verdicts = [
        stored_verdicts(run.folder, judge, run.records, convention.refusal_gold)
        if judge
        else configured_verdicts(config, run.folder, run.records)
        for run in runs
    ]
    found = compare_runs(
        ours,
        theirs,
        score=score,
        category=category,
        convention=convention,
        verdicts=(verdicts[0], verdicts[1]),
    )
    # Tables are written under the conventions they name, not under those of this command line.
    tests = table_tests(first, second, score=score, category=category)
    tested = () if overrides else tuple(tests)
    names = run_names(*runs)
    small = [
        f"{name}: {said}"
        for name, run in zip(names, runs, strict=True)
        for said in said_of_scores(run)
    ]
    lines = [*format_comparison(found, names, tested), *small]
    costs = compared_costs(names, runs, category)
    if not json:
        for line in lines:
            say(line)
        tell_costs([costs])
    if head_to_head:
        met = meet(
            *(run.under(convention) for run in runs),
            score=score,
            category=category,
            sampled=head_to_head,
        )
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
    if json:
        say_json(
            "compare",
            first=first,
            second=second,
            score=score,
            category=category,
            comparison=found,
            table_tests=tested,
            costs=costs.rows,
            notes=small,
            page=html,
        )
    elif html is not None:
        say(f"Written: {html}")
