"""What `remem run` prints of a run: a table for people, or one JSON object."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from remem.benchmarks.stratified import own_samples
from remem.cli.json_option import say_json
from remem.config.run_config import RunConfig
from remem.evaluation.interval_text import cautions
from remem.evaluation.run_costs import run_costs
from remem.evaluation.usage import usage_by_stage
from remem.llm.endpoint import STUB
from remem.metrics.columns import Column
from remem.metrics.scores import Summary
from remem.prompts.chosen import prompt_origin
from remem.reports.terminal.costs import show_costs
from remem.reports.terminal.json_runs import RunOutput
from remem.reports.terminal.json_written import Questions, scores_of
from remem.reports.terminal.run_scores import show_scores
from remem.reports.terminal.stage_usage import show_usage
from remem.reports.terminal.table_console import table_console
from remem.run.plumbing import is_plumbing
from remem.run.run_notes import run_notes
from remem.run.run_result import RunResult
from remem.run.store import read_manifest
from remem.tables.costs import BlockCosts, RowCosts
from remem.tables.table import value


def show_run(config: RunConfig, result: RunResult, summary: Summary, scores_file: Path) -> None:
    """Print the scores of a run with its notes, its usage of models, and its folder."""
    console = table_console()
    console.print(show_scores(run_title(config), summary, _scores_of_a_run(config.scores)))
    for note in _notes(config, result, scores_file):
        console.print(note, soft_wrap=True, markup=False)
    took = usage_by_stage(config, result.folder, result.records)
    if took:
        console.print(show_usage("model calls of these answers", took))
    costs = run_costs(config, result.folder, result.records)
    console.print(show_costs(BlockCosts("", (RowCosts(config.label, costs),))))
    console.print(str(result.folder), soft_wrap=True, markup=False)


def _scores_of_a_run(scores: Sequence[str]) -> list[str]:
    """Leave out a judge's verdicts, which no run has before `remem judge`."""
    return [score for score in scores if score != "llm_judge"]


def show_job(label: str, config: RunConfig, result: RunResult, summary: Summary) -> None:
    """Print one line on a job of a sweep: its label, its main score, and its folder."""
    score = config.scores[0]
    found = None if is_plumbing(config) else value(Column(score, score), summary)
    mean = "-" if found is None else f"{found.mean:.1f}"
    named = f"{label} ({STUB}: no result)" if config.llm == STUB else label
    line = f"{named}: {summary.convention.heading(score)} {mean}, {result.folder}"
    table_console().print(line, soft_wrap=True, markup=False, highlight=False)


def say_run(config: RunConfig, result: RunResult, summary: Summary, scores_file: Path) -> None:
    """Print the same as one JSON object."""
    answered = result.total - result.errors
    say_json(
        RunOutput(
            label=run_title(config),
            dataset=config.dataset,
            folder=result.folder,
            scores_file=scores_file,
            questions=Questions(result.total, answered, result.errors),
            scores=scores_of(summary, config.scores),
            usage=usage_by_stage(config, result.folder, result.records),
            costs=run_costs(config, result.folder, result.records),
            notes=(*_notes(config, result, scores_file), *cautions(summary.means)),
            errors=tuple(dict.fromkeys(result.failures)),
        )
    )


def run_title(config: RunConfig) -> str:
    """Name a run, with its prompts if it asks a model, or as the stub's if the stub answers."""
    asked = {"prompts": prompt_origin(config.prompts), "judge prompt": config.judge_prompt}
    said = [f"{what}: {prompts}" for what, prompts in asked.items() if prompts != "none"]
    if config.llm == STUB:
        said = [f"{STUB}: no result", *said]
    run = f"{config.label} on {config.dataset}"
    return f"{run} ({'; '.join(said)})" if said else run


def _notes(config: RunConfig, result: RunResult, scores_file: Path) -> Iterator[str]:
    if result.not_asked:
        all_records = result.total + len(result.not_asked)
        yield (
            f"These scores cover only a part of the run ({scores_file.name}); scores.json has the "
            f"scores of all {all_records:,} records."
        )
    yield from run_notes(config, result)
    for name in own_samples(read_manifest(result.folder).data_names):
        yield f"Data: {name}."
