"""What `remem run` prints: what it may spend, then the scores as a table or as one JSON object."""

from collections.abc import Iterator
from pathlib import Path

from remem.benchmarks.split import own_samples
from remem.cli.arguments import say_json
from remem.config.instantiation import nodes
from remem.config.run_config import RunConfig
from remem.config.settings import ChatModelSettings
from remem.llm.budget import Price
from remem.llm.endpoint import STUB
from remem.llm.ledger import balance, higher, money
from remem.metrics.columns import ScoreColumn
from remem.prompts.chosen import prompt_origin
from remem.reports.terminal.console import say, table_console
from remem.reports.terminal.json_output import questions, summary_scores
from remem.reports.terminal.run_tables import show_costs, show_scores, show_usage
from remem.results.costs import stage_prices
from remem.results.run import Run
from remem.results.run_notes import cautions, run_notes
from remem.run.served_models import is_plumbing
from remem.tables.notes import BlockCosts, RowCosts
from remem.tables.table import value


def run_limit(config: RunConfig, start: str = "this command") -> str | None:
    """Return a sentence on what a run may spend on its model; None if it asks no paid model."""
    llm = config.settings.llm
    roles = [config.settings.method.build, config.settings.reader.build]
    if llm.build is None or not any(node == llm.build for node in nodes(roles)):
        return None
    return _limit(llm.chat_model, stage_prices(config)["read"], "llm", start)


def judge_limit(config: RunConfig) -> str | None:
    """Return a sentence on what a judge may spend on its model; None if it asks no paid model."""
    model, group = config.settings.judge.chat_model, "judge_llm"
    if model is None:
        return None
    if config.settings.judge_llm is None:
        group = "llm"
    return _limit(model, stage_prices(config)["judge"], group, "this command")


def say_limit(limit: str | None) -> None:
    """Print a spending limit to stderr; do nothing for None."""
    if limit is not None:
        say(f"remem: {limit}", err=True)


def _limit(model: ChatModelSettings, price: Price | None, group: str, start: str) -> str | None:
    endpoint = model.endpoint
    if price is None or endpoint.recorded is not None or endpoint.server is not None:
        return None
    setting, limit = f"{group}.build.budget_dollars", model.budget_dollars
    if limit is None:
        return f"no limit in dollars is set for {endpoint.model}; {setting}=5 sets one"
    left, rest = limit, ""
    if model.ledger is not None:
        left = max(0.0, limit - balance(Path(model.ledger)).dollars)
        rest = f", what is left of the {money(limit)} in {model.ledger}"
    return (
        f"{start} may spend up to {money(left)} on {endpoint.model}{rest}; "
        f"{setting}={higher(limit)} changes it (null: no limit)"
    )


def show_run(run: Run, scores_file: Path) -> None:
    """Print the scores of a run with its notes, its usage of models, and its folder."""
    console = table_console()
    config = run.config
    without_verdicts = [score for score in config.scores if score != "llm_judge"]
    console.print(show_scores(run_title(config), run.summary, without_verdicts))
    for note in _notes(run, scores_file):
        console.print(note, soft_wrap=True, markup=False)
    if run.stages:
        console.print(show_usage("model calls of these answers", run.stages))
    console.print(show_costs(BlockCosts("", (RowCosts(config.label, run.costs),))))
    console.print(str(run.folder), soft_wrap=True, markup=False)


def show_job(label: str, run: Run) -> None:
    """Print one line about a job of a sweep: its label, its main score, and its folder."""
    score = run.config.scores[0]
    number = None if is_plumbing(run.config) else value(ScoreColumn(score, score), run.summary)
    mean = "-" if number is None else f"{number.mean:.1f}"
    title = f"{label} ({STUB}: no result)" if run.config.llm == STUB else label
    line = f"{title}: {run.convention.heading(score)} {mean}, {run.folder}"
    table_console().print(line, soft_wrap=True, markup=False, highlight=False)


def say_run(run: Run, scores_file: Path) -> None:
    """Print the result of a run as one JSON object."""
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
    """Return the title of a run: its method, dataset and prompts, and whether a stub answered."""
    origins = {"prompts": prompt_origin(config.prompts), "judge prompt": config.judge_prompt}
    notes = [f"{what}: {origin}" for what, origin in origins.items() if origin != "none"]
    if config.llm == STUB:
        notes = [f"{STUB}: no result", *notes]
    run = f"{config.label} on {config.dataset}"
    return f"{run} ({'; '.join(notes)})" if notes else run


def _notes(run: Run, scores_file: Path) -> Iterator[str]:
    if run.not_asked:
        all_records = len(run.records) + len(run.not_asked)
        yield (
            f"These scores cover only part of the run ({scores_file.name}); scores.json has the "
            f"scores of all {all_records:,} records."
        )
    yield from run_notes(run)
    for name in own_samples(run.manifest.data_names):
        yield f"Data: {name}."
