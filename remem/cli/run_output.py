"""What `remem run` prints of a run: a table for people, or one JSON object."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from remem.benchmarks.stratified import own_samples
from remem.cli.json_option import say_json
from remem.config.run_config import RunConfig
from remem.llm.endpoint import STUB
from remem.metrics.columns import Column
from remem.prompts.chosen import prompt_origin
from remem.reports.terminal.costs import show_costs
from remem.reports.terminal.json_output import questions, summary_scores
from remem.reports.terminal.run_scores import show_scores
from remem.reports.terminal.stage_usage import show_usage
from remem.reports.terminal.table_console import table_console
from remem.results.interval_text import cautions
from remem.results.run import Run
from remem.results.run_notes import run_notes
from remem.run.plumbing import is_plumbing
from remem.tables.costs import BlockCosts, RowCosts
from remem.tables.table import value


def show_run(run: Run, scores_file: Path) -> None:
    """Print the scores of a run with its notes, its usage of models, and its folder."""
    console = table_console()
    config = run.config
    console.print(show_scores(run_title(config), run.summary, _scores_of_a_run(config.scores)))
    for note in _notes(run, scores_file):
        console.print(note, soft_wrap=True, markup=False)
    if run.stages:
        console.print(show_usage("model calls of these answers", run.stages))
    console.print(show_costs(BlockCosts("", (RowCosts(config.label, run.costs),))))
    console.print(str(run.folder), soft_wrap=True, markup=False)


def _scores_of_a_run(scores: Sequence[str]) -> list[str]:
    """Leave out a judge's verdicts, which no run has before `remem judge`."""
    return [score for score in scores if score != "llm_judge"]


def show_job(label: str, run: Run) -> None:
    """Print one line on a job of a sweep: its label, its main score, and its folder."""
    score = run.config.scores[0]
    number = None if is_plumbing(run.config) else value(Column(score, score), run.summary)
    mean = "-" if number is None else f"{number.mean:.1f}"
    named = f"{label} ({STUB}: no result)" if run.config.llm == STUB else label
    line = f"{named}: {run.convention.heading(score)} {mean}, {run.folder}"
    table_console().print(line, soft_wrap=True, markup=False, highlight=False)


def say_run(run: Run, scores_file: Path) -> None:
    """Print the same as one JSON object."""
    config, total, errors = run.config, len(run.records), len(run.failures)
    say_json(
        "run",
        label=run_title(config),
        dataset=config.dataset,
        folder=run.folder,
        scores_file=scores_file,
        questions=questions(total, total - errors),
        scores=summary_scores(run.summary, config.scores),
        usage=run.stages,
        costs=run.costs,
        notes=(*_notes(run, scores_file), *cautions(run.summary.means)),
        errors=tuple(dict.fromkeys(run.failures)),
    )


def run_title(config: RunConfig) -> str:
    """Name a run, with its prompts if it asks a model, or as the stub's if the stub answers."""
    asked = {"prompts": prompt_origin(config.prompts), "judge prompt": config.judge_prompt}
    said = [f"{what}: {prompts}" for what, prompts in asked.items() if prompts != "none"]
    if config.llm == STUB:
        said = [f"{STUB}: no result", *said]
    run = f"{config.label} on {config.dataset}"
    return f"{run} ({'; '.join(said)})" if said else run


def _notes(run: Run, scores_file: Path) -> Iterator[str]:
    if run.not_asked:
        all_records = len(run.records) + len(run.not_asked)
        yield (
            f"These scores cover only a part of the run ({scores_file.name}); scores.json has the "
            f"scores of all {all_records:,} records."
        )
    yield from run_notes(run)
    for name in own_samples(run.manifest.data_names):
        yield f"Data: {name}."
