"""Find the scores that the caller of `remem.evaluate` adds to the scores of the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.config.instantiation import UsageError
from remem.config.scores import our_scores
from remem.config.suggestions import did_you_mean, either
from remem.metrics.columns import Column
from remem.results.conventions import named_scores


@dataclass(frozen=True, slots=True)
class ExtraScores:
    """The columns of the scores, and the overrides that add them to a run."""

    columns: tuple[Column, ...]
    overrides: tuple[str, ...]


def extra_scores(
    names: Sequence[str], config_dir: Path | None, packages: Sequence[str]
) -> ExtraScores:
    """Find the named scores.

    Args:
        names: The names of the scores.
        config_dir: A folder with `score/<name>.yaml` for each score that is not built in.
        packages: The packages with the functions of these scores.

    Raises:
        UsageError: A score is unknown, or its function is in a package that is not allowed.
    """
    known = {score.name: score for score in named_scores(names, (), config_dir, packages)}
    for name in names:
        if name not in known:
            raise UsageError(
                f"{name!r} has no mean over questions; choose "
                f"{either(known)}{did_you_mean(name, known)}"
            )
    ours = {score.name for score in our_scores()}
    added = [name for name in dict.fromkeys(names) if name not in ours]
    overrides = [f"run.packages=[{','.join(packages)}]"] if packages else []
    if added and config_dir is not None:
        overrides += [
            f"hydra.searchpath=[file://{config_dir.absolute()}]",
            f"+score=[{','.join(added)}]",
        ]
    columns = tuple(Column(known[name].heading, name) for name in names)
    return ExtraScores(columns, tuple(overrides))
