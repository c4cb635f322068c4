"""`remem score`, `label-sheet`, `agree`, `error-shares`, `judge-noise`, `judge-stress`.

Nothing here runs a memory or a reader again; only `judge-stress` asks a model.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remem.cli.naming import ConfigDir, Named, Packages, Run, Runs, Scores, convention_names, one_of
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.metrics.convention import Score, ScoreConvention

SAMPLE = 100
"""How many answers the paper had judged by a person."""


def check_sets(sets: Named) -> Named:
    """Refuse a set that begins with a convention which there is not."""
    begun = [one.partition(",")[0] for one in ([sets] if isinstance(sets, str) else sets or [])]
    one_of("convention", convention_names)([name for name in begun if "=" not in name])
    return sets


Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="a convention, or changes of it such as strict,f1=mem0; repeatable",
        callback=check_sets,
        autocompletion=convention_names,
    ),
]
OneSet = Annotated[
    str,
    typer.Option(
        "--set",
        help="a convention, or changes such as f1=mem0",
        callback=check_sets,
        autocompletion=convention_names,
    ),
]


def score(  # noqa: PLR0917  each is an option of the command line
    runs: Runs,
    sets: Sets = None,
    scores: Scores = None,
    labels: Annotated[
        Path | None, typer.Option(help="a file of label errors, such as the LoCoMo audit's")
    ] = None,
    config_dir: ConfigDir = None,
    package: Packages = None,
) -> None:
    """Score records again under all conventions, or those named, or under corrected labels.

    Example: remem score results/runs/locomo/A --set paper --set f1=mem0
    """
    from remem.evaluation.label_overlay import overlaid_ways, overlay, read_overlay, told_overlay
    from remem.evaluation.named_scores import named_scores
    from remem.evaluation.rescore import Way, rescore
    from remem.evaluation.score_sets import score_sets
    from remem.reports.terminal.rescored import show_rescored, told_judge_calls
    from remem.reports.terminal.table_console import table_console
    from remem.run.store import read_records

    for folder in runs:
        records, dataset = read_records(folder), _dataset(folder)
        shown = scores or list(dataset["scores"])
        known = named_scores(shown, [folder], config_dir, package or ())
        if labels is None:
            chosen = score_sets(sets or [], dataset, known)
            ways = [Way(name, records, convention) for name, convention in chosen.items()]
            found = rescore(ways, shown, folder)
            notes: tuple[str, ...] = ()
        else:
            convention = _convention(sets[0] if sets else "paper", dataset, known)
            overlaid = overlay(records, read_overlay(labels), convention)
            ways, ceiling = overlaid_ways(records, overlaid, convention)
            found = rescore(ways, shown, folder) + rescore([ceiling], shown, None)
            notes = told_overlay(overlaid)
        table_console().print(show_rescored(folder.as_posix(), found))
        for line in (*told_judge_calls(found), *notes):
            say(line)


def label_sheet(  # noqa: PLR0917  each is an option of the command line
    run: Run,
    sheet: Annotated[Path, typer.Argument(help="the CSV file to be written")],
    size: Annotated[int, typer.Option(help="how many answers")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="which random sample")] = 0,
    chosen: OneSet = "paper",
    wrong: Annotated[
        bool, typer.Option("--wrong", help="only wrong answers, to be labelled by kind of error")
    ] = False,
    package: Packages = None,
) -> None:
    """Draw answers of a run onto a sheet on which a person labels them 1 (right) or 0 (wrong).

    With --wrong the sheet has evidence and steps, and the labels are the paper's kinds of error;
    wrong is what the judge says, or the dataset's first score where no judge has seen the run.

    Example: remem label-sheet results/runs/locomo/A sheet.csv
    """
    from remem.config.instantiation import UsageError
    from remem.evaluation.error_sheet import answered_wrongly, write_error_sheet
    from remem.evaluation.flips import RIGHT
    from remem.evaluation.run_data import read_run
    from remem.evaluation.sample_sheet import draw_sample, write_sheet
    from remem.run.store import read_records

    convention = _convention(chosen, _dataset(run))
    if not wrong:
        write_sheet(sheet, draw_sample(read_records(run), size, seed), convention.refusal_gold)
        say(f"Written: {sheet} ({size} answers, seed {seed}); then remem agree {run} {sheet}")
        return
    data = read_run(run, convention, package or ())
    found = answered_wrongly(data)
    if size > len(found):
        raise UsageError(f"{run} has {len(found)} wrong answers; --size {len(found)} takes all")
    write_error_sheet(sheet, draw_sample(found, size, seed), convention.refusal_gold)
    by = f"{data.main_score} below {RIGHT}"
    say(f"Written: {sheet} ({size} of {len(found)} answers with {by}, seed {seed})")
    say(f"Labels: {', '.join(_kinds_of_error(run))}")
    say(f"Then: remem error-shares {run} {sheet}")


def error_shares(
    run: Run, sheet: Annotated[Path, typer.Argument(help="the sheet of wrong answers, labelled")]
) -> None:
    """Show the share of each kind of error on a labelled sheet beside the paper's.

    Example: remem error-shares results/runs/locomo/A sheet.csv
    """
    from remem.evaluation.error_sheet import read_error_labels, shares_by_kind, show_shares
    from remem.paper.claims import read_claims
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.run.store import read_records

    allowed = _kinds_of_error(run)
    said = read_error_labels(sheet, read_records(run), allowed)
    found = shares_by_kind(said, allowed, read_claims(paper_folder()))
    table_console().print(show_shares(found))


def agree(  # noqa: PLR0917  each is an option of the command line
    run: Run,
    labels: Annotated[Path, typer.Argument(help="the sheet with its labels")],
    scores: Scores = None,
    chosen: OneSet = "paper",
    config_dir: ConfigDir = None,
    package: Packages = None,
) -> None:
    """Compare metrics, and every judge that has seen the run, with people's labels.

    Example: remem agree results/runs/locomo/A sheet.csv --score f1 --score bleu1
    """
    from remem.evaluation.agreement import agreements
    from remem.evaluation.named_scores import named_scores
    from remem.evaluation.sample_sheet import read_labels
    from remem.reports.terminal.agreement import show_agreements
    from remem.reports.terminal.table_console import table_console
    from remem.run.store import read_records

    records, dataset = read_records(run), _dataset(run)
    said = read_labels(labels, records)
    shown = scores or ["f1", "bleu1", "em"]
    known = named_scores(shown, [run], config_dir, package or ())
    found = agreements(records, said, shown, _convention(chosen, dataset, known), run)
    table_console().print(show_agreements(found))


def judge_noise(
    runs: Runs,
    judge: Annotated[str, typer.Option(help="how the name of its file begins")] = "judgments.",
    chosen: OneSet = "paper",
) -> None:
    """Tell what a judge's repeats, and repeats of the answers, add to the noise of its score.

    Example: remem judge-noise results/runs/locomo/A results/runs/locomo/A-repeated
    """
    from remem.evaluation.agreement import judge_variance
    from remem.reports.terminal.agreement import told_variance
    from remem.run.store import read_records

    files = [_only_file(run, judge) for run in runs]
    refusal_gold = _convention(chosen, _dataset(runs[0])).refusal_gold
    for line in told_variance(
        judge_variance([read_records(run) for run in runs], files, refusal_gold)
    ):
        say(line)


def judge_stress(
    overrides: Annotated[list[str] | None, typer.Argument(help="Hydra overrides")] = None,
    size: Annotated[int, typer.Option(help="how many wrong answers of each kind")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="which random answers")] = 0,
) -> None:
    """Show a judge generated wrong answers to the questions of a dataset: how many it accepts.

    Example: remem judge-stress dataset=locomo llm=<a model>
    """
    from remem.cli.hydra_entry import QuestionsInErrorError
    from remem.config.run_config import compose_config, run_config
    from remem.judge.stress import stress, wrong_answers
    from remem.reports.terminal.stress import show_stress
    from remem.reports.terminal.table_console import table_console

    config = run_config(compose_config(["judge=llm", *(overrides or [])]))
    judge = config.build_judges()[0]
    benchmark = config.build_benchmark()
    asked = [one for history in benchmark.histories() for one in benchmark.questions(history.id)]
    result = stress(judge, wrong_answers(asked, size, seed), config.workers)
    table_console().print(show_stress(result))
    say(f"judge prompt: {config.judge_prompt}; {result.usage.calls} calls")
    if result.errors:
        raise QuestionsInErrorError(f"{result.errors} verdicts were not to be had")


def _dataset(folder: Path) -> Mapping[str, Any]:
    """Return the dataset of a run; its manifest may be a stranger's."""
    from remem.evaluation.restored_config import restored_config

    dataset: Mapping[str, Any] = restored_config(folder).resolved["dataset"]
    return dataset


def _kinds_of_error(run: Path) -> Mapping[str, str]:
    from remem.evaluation.error_sheet import taxonomy

    return taxonomy(_dataset(run).get("style", ""))


def _convention(
    name: str, dataset: Mapping[str, Any], scores: tuple["Score", ...] = ()
) -> "ScoreConvention":
    from remem.evaluation.score_sets import score_sets

    return score_sets([name], dataset, scores)[name]


def _only_file(run: Path, judge: str) -> Path:
    from remem.config.instantiation import UsageError
    from remem.evaluation.judgments import judgment_files

    found = [path for path in judgment_files(run) if path.name.startswith(judge)]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise UsageError(f"{run} has the judges' files {names}; --judge is to name one of them")
    return found[0]
