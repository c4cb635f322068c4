"""`remem run`, `score` and `compare`: answer questions, score the answers, and compare runs."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import (
    Json,
    Overrides,
    Packages,
    RunFolders,
    ScoreDir,
    Scores,
    Sets,
    check_runs,
    complete_override,
    read_convention,
    say_json,
)
from remem.cli.names import score_names
from remem.cli.table_output import show_block_costs
from remem.config.override_text import split_overrides
from remem.errors import UsageError
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.metrics.convention import Score
    from remem.results.compare import ScoredRuns
    from remem.results.rescore import Rescored
    from remem.results.run import Run

PAIR = 2
"""The number of runs whose comparison shows more details."""


def run(overrides: Overrides = None, json: Json = False) -> None:
    """Run one configuration, or a sweep with -m.

    --json is only for a single run. A sweep writes a result for each job and scores.json for
    each run.

    Example: remem run dataset=generated_tot method=remem_s reader=symbolic
    """
    from remem.cli.hydra_entry import main

    sys.argv = ["remem run", *(overrides or [])]
    # Hydra then raises what a job raised, and the command turns it into an exit code.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    main(json=json)


def score(  # noqa: PLR0917  each is an option of the command line
    runs: RunFolders,
    sets: Sets = None,
    scores: Scores = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="a file of known label errors, such as audit_errors.json for LoCoMo"),
    ] = None,
    config_dir: ScoreDir = None,
    package: Packages = None,
    json: Json = False,
) -> None:
    """Score records again, under other conventions or corrected labels.

    Example: remem score results/runs/locomo/A --set paper --set f1=mem0
    """
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.json_output import rescored_run
    from remem.reports.terminal.rescored import show_rescored, told_judge_calls
    from remem.results.conventions import named_scores
    from remem.results.run import Run

    parts = []
    for folder in runs:
        run = Run.open(folder, package or ())
        names = scores or list(run.config.settings.dataset.scores)
        named = named_scores(names, [run], config_dir, package or ())
        notes: tuple[str, ...] = ()
        if labels is None:
            rescored = _under_sets(run, sets or [], names, named)
        else:
            rescored, notes = _corrected(run, labels, sets, names, named)
        lines = (*score_notes(run), *told_judge_calls(rescored), *notes)
        if json:
            parts.append(rescored_run(folder, rescored, lines))
            continue
        table_console().print(show_rescored(folder.as_posix(), rescored))
        for line in lines:
            say(line)
    if json:
        say_json("score", runs=parts)


def _under_sets(
    run: "Run", sets: Sequence[str], scores: Sequence[str], named: tuple["Score", ...]
) -> "list[Rescored]":
    """Score the records of a run under each convention."""
    from remem.results.conventions import score_sets
    from remem.results.rescore import Scoring, rescore

    conventions = score_sets(sets, run.config.settings.dataset.released_f1, named)
    ways = [Scoring(name, run.records, convention) for name, convention in conventions.items()]
    return rescore(ways, scores, run.folder, run.config.settings.judge.name)


def _corrected(
    run: "Run",
    labels: Path,
    sets: Sequence[str] | None,
    scores: Sequence[str],
    named: tuple["Score", ...],
) -> "tuple[list[Rescored], tuple[str, ...]]":
    """Score the records of a run with and without corrected labels; also return notes."""
    from remem.results.rescore import (
        describe_overlay,
        overlaid_ways,
        overlay,
        read_overlay,
        rescore,
    )

    settings = run.config.settings
    convention = read_convention(sets[0] if sets else "paper", settings.dataset, named)
    overlaid = overlay(run.records, read_overlay(labels), convention)
    ways, ceiling = overlaid_ways(run.records, overlaid, convention)
    rescored = rescore(ways, scores, run.folder, settings.judge.name)
    return rescored + rescore([ceiling], scores, None), describe_overlay(overlaid)


def score_notes(run: "Run") -> tuple[str, ...]:
    """Return the notes that must be shown with the scores of a run."""
    from remem.results.intake_notes import data_notes
    from remem.results.run_notes import LAST_CHECKPOINT
    from remem.run.served_models import PLUMBING, is_plumbing

    notes = {PLUMBING: is_plumbing(run.config), LAST_CHECKPOINT: run.config.is_stream}
    return (*(note for note, applies in notes.items() if applies), *data_notes(run))


def compare(  # noqa: PLR0917  each is an option of the command line
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN RUN... [KEY=VALUE]...",
            help="folders of two or more runs on the same questions; then Hydra overrides",
            autocompletion=complete_override,
        ),
    ],
    score: Annotated[
        str,
        typer.Option(help="the score to compare", autocompletion=score_names),
    ] = "f1",
    category: Annotated[
        str | None, typer.Option(help="compare only the questions of this category")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="compare the stored verdicts of this judge, such as published-accuracy"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="write all questions and answers as an HTML page")
    ] = None,
    with_text: Annotated[
        bool,
        typer.Option(help="include texts of the dataset in the page; check the licences first"),
    ] = False,
    package: Packages = None,
    config_dir: ScoreDir = None,
    json: Json = False,
) -> None:
    """Compare runs question by question by one score, each with the first run.

    Example: remem compare results/runs/locomo/A results/runs/locomo/B --html page.html
    """
    from remem.config.run_config import compose_config, run_config
    from remem.reports.html.diff import diff_page
    from remem.reports.html.page import write_page
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.run_tables import show_standings
    from remem.results.compare import ScoredRuns
    from remem.results.conventions import named_scores
    from remem.results.diagnosis import compared_causes, recorded_diagnosis
    from remem.results.run import Run
    from remem.results.run_names import run_names
    from remem.results.standings import standings
    from remem.results.verdicts import configured_verdicts, stored_verdicts
    from remem.tables.notes import compared_costs

    if judge and html is not None:
        raise UsageError("--judge compares stored verdicts only; leave out --html")
    folders, overrides = _runs_to_compare(words)
    score = "llm_judge" if judge else score
    default_judge = ["judge=llm"] if score == "llm_judge" and not judge else []
    config = run_config(compose_config([*default_judge, *overrides]))
    runs = [Run.open(folder, package or ()) for folder in folders]
    scores = named_scores([score], runs, config_dir, package or ())
    convention = replace(config.score_convention(), scores=scores)
    verdicts = [
        stored_verdicts(run.folder, judge, run.records, convention.refusal_gold)
        if judge
        else configured_verdicts(config, run.folder, run.records)
        for run in runs
    ]
    scored = ScoredRuns.of_records(
        [run.records for run in runs],
        verdicts,
        score=score,
        category=category,
        convention=convention,
    )
    names = run_names(*runs)
    standing = standings(names, scored)
    notes = [
        f"{name}: {note}"
        for name, run in zip(names, runs, strict=True)
        for note in score_notes(run)
    ]
    costs = compared_costs(names, runs, category)
    diagnoses = list(map(recorded_diagnosis, runs, names))
    if len(runs) == PAIR:
        # Tables are written under the conventions they name, not under those of this command line.
        result, lines = _pair(folders, names, scored, in_tables=not overrides)
    else:
        result = {"runs": folders, "standings": standing.runs}
        lines = standing.cautions
    lines = (*lines, *notes)
    if not json:
        if len(runs) != PAIR:
            say(standing.sentence)
            table_console().print(show_standings(standing))
        for line in (*lines, *compared_causes(diagnoses)):
            say(line)
        show_block_costs([costs])
    if html is not None:
        page = diff_page(
            [run.under(convention) for run in runs],
            standing,
            score=score,
            category=category,
            notes=lines,
            with_text=with_text,
        )
        write_page(html, page)
    if json:
        say_json(
            "compare",
            **result,
            score=score,
            category=category,
            costs=costs.rows,
            notes=notes,
            causes=[diagnosis.counts for diagnosis in diagnoses],
            page=html,
        )
    elif html is not None:
        say(f"Written: {html}")


def _runs_to_compare(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Split words into the folders of two or more runs, and overrides."""
    names, overrides = split_overrides(words)
    folders = check_runs([Path(name) for name in names])
    if len(folders) < PAIR:
        raise UsageError("name two runs or more: remem compare RUN RUN")
    return folders, overrides


def _pair(
    folders: Sequence[Path], names: tuple[str, ...], scored: "ScoredRuns", *, in_tables: bool
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Compare two runs: return the result as JSON values, and as lines of text."""
    from remem.results.compare import compare_scored, format_comparison, table_tests

    first, second = folders
    comparison = compare_scored(scored)
    tests = table_tests(first, second, score=scored.score, category=scored.category)
    tested = tuple(tests) if in_tables else ()
    result = {
        "first": first,
        "second": second,
        "comparison": comparison,
        "table_tests": tested,
    }
    return result, format_comparison(comparison, names, tested)
