"""Options of the verbs that score records, and notes on the scores of a run."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.naming import Named, convention_names, one_of

if TYPE_CHECKING:
    from remem.config.settings import Dataset
    from remem.metrics.convention import Score, ScoreConvention
    from remem.results.run import Run as OpenedRun


SAMPLE = 100
"""Number of answers that the paper had judged by a person."""


def check_sets(sets: Named) -> Named:
    """Raise UsageError if a set begins with an unknown convention."""
    begun = [
        option.partition(",")[0] for option in ([sets] if isinstance(sets, str) else sets or [])
    ]
    one_of("convention", convention_names)([name for name in begun if "=" not in name])
    return sets


Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="a convention, with changes if any, such as strict,f1=mem0; repeatable",
        callback=check_sets,
        autocompletion=convention_names,
    ),
]
OneSet = Annotated[
    str,
    typer.Option(
        "--set",
        help="a convention, with changes if any, such as strict,f1=mem0",
        callback=check_sets,
        autocompletion=convention_names,
    ),
]


def said_of_scores(run: "OpenedRun") -> tuple[str, ...]:
    """Return the notes that must be shown with the scores of a run."""
    from remem.results.run_notes import LAST_CHECKPOINT
    from remem.run.imported_answers import read_origin
    from remem.run.plumbing import PLUMBING, is_plumbing

    notes = {PLUMBING: is_plumbing(run.config), LAST_CHECKPOINT: run.config.is_stream}
    origin = read_origin(run.folder)
    told = () if origin is None else (origin.told,)
    return (*(note for note, holds in notes.items() if holds), *told)


def kinds_of_error(run: "OpenedRun") -> Mapping[str, str]:
    """Return the paper's kinds of error for the questions of a run, each with its meaning."""
    from remem.results.label_sheets import taxonomy

    return taxonomy(run.config.settings.dataset.style)


def named_convention(
    name: str, dataset: "Dataset", scores: tuple["Score", ...] = ()
) -> "ScoreConvention":
    """Return the score convention that a name or `name,key=value` means for a dataset."""
    from remem.results.conventions import score_sets

    return score_sets([name], dataset.released_f1, scores)[name]
