"""Find the scores that a command names, which may be built in, from a run, or from a folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remem.config.instantiation import OURS, UsageError
from remem.config.run_config import compose_config, run_config
from remem.config.scores import all_scores, our_scores
from remem.config.suggestions import did_you_mean, either
from remem.metrics.convention import Score
from remem.metrics.question_scores import REFUSALS
from remem.run.opened_run import Run


def named_scores(
    names: Sequence[str],
    runs: Sequence[Run],
    config_dir: Path | None = None,
    packages: Sequence[str] = (),
) -> tuple[Score, ...]:
    """Return the built-in scores and the named scores that are not built in.

    Args:
        names: The names of the scores.
        runs: The runs whose configurations may define the scores.
        config_dir: A folder with `score/<name>.yaml`; None for no such folder.
        packages: Further packages whose functions may be called.

    Raises:
        UsageError: A score is unknown, or its function is in a package that is not allowed.
    """
    ours = [*REFUSALS, *(score.name for score in our_scores())]
    others = [name for name in dict.fromkeys(names) if name not in ours]
    found: dict[str, Any] = {}
    for run in runs:
        found |= run.config.settings.score
    found |= _of_folder(others, config_dir)
    for name in others:
        if name not in found:
            known = [*ours, *found]
            raise UsageError(
                f"unknown score {name!r}; choose {either(known)}{did_you_mean(name, known)}"
            )
    return all_scores({name: found[name] for name in others}, (*OURS, *packages))


def _of_folder(names: Sequence[str], folder: Path | None) -> Mapping[str, Any]:
    """Return the settings of each named score that a folder defines."""
    if folder is None:
        return {}
    there = [name for name in names if (folder / "score" / f"{name}.yaml").is_file()]
    if not there:
        return {}
    searched = f"hydra.searchpath=[file://{folder.absolute()}]"
    composed = compose_config([searched, f"+score=[{','.join(there)}]"])
    return run_config(composed).settings.score
