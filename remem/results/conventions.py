"""Compose the scoring conventions and find the scores that a command names."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf

from remem.config.conf_files import conf_choices
from remem.config.instantiation import OURS
from remem.config.override_text import searched
from remem.config.run_config import compose_config, run_config
from remem.config.settings import all_scores, checked_convention, our_scores
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.yaml_text import load_yaml
from remem.metrics.convention import Score, ScoreConvention
from remem.metrics.question_scores import REFUSALS
from remem.results.run import Run

CHARACTERS = "characters"
"""The convention for scripts without spaces, the same as the paper's on all other data."""


def convention_names() -> list[str]:
    """Return the sorted names of all conventions in `conf/convention`."""
    return [path.stem for path in conf_choices("convention")]


def score_sets(
    names: Sequence[str], released_f1: str | None = None, scores: tuple[Score, ...] = ()
) -> dict[str, ScoreConvention]:
    """Return the named scoring conventions for a dataset, by name.

    Args:
        names: The names; if empty, all conventions except "characters". Changes may follow a name,
            as in `strict,bleu=mem0`. Changes without a name, as in `f1=mem0`, apply to the paper's
            convention.
        released_f1: The F1 rule that convention=reference uses for the dataset; None if there is
            none.
        scores: The scores to compute; empty for the built-in ones.
    """
    scored = scores or our_scores()
    compared = names or [name for name in convention_names() if name != CHARACTERS]
    return {name: _score_set(name, released_f1, scored) for name in compared}


def _score_set(name: str, released_f1: str | None, scores: tuple[Score, ...]) -> ScoreConvention:
    parts = name.split(",")
    base = "paper" if "=" in parts[0] else parts.pop(0)
    if base not in convention_names():
        raise UsageError(f"unknown convention {base!r}; choose {either(convention_names())}")
    changes = OmegaConf.create({"score": OmegaConf.from_dotlist(parts)})
    merged = OmegaConf.merge(_dataset(released_f1), _convention(base), changes)
    plain = OmegaConf.to_container(merged, resolve=True)
    if not isinstance(plain, dict):
        raise TypeError(f"conf/convention/{base}.yaml: expected a mapping")
    return checked_convention(plain["score"], scores)


@cache
def _convention(name: str) -> DictConfig | ListConfig:
    files = {path.stem: path for path in conf_choices("convention")}
    return load_yaml(files[name])


def _dataset(released_f1: str | None) -> dict[str, dict[str, str]]:
    """Return the dataset settings that a convention refers to, without any interpolation.

    The settings come from the manifest of a run, which must not be trusted.
    """
    is_plain = released_f1 is not None and "${" not in released_f1
    return {"dataset": {"released_f1": str(released_f1)} if is_plain else {}}


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
    defined: dict[str, Any] = {}
    for run in runs:
        defined |= run.config.settings.score
    defined |= _scores_of_folder(others, config_dir)
    for name in others:
        if name not in defined:
            known = [*ours, *defined]
            raise UsageError(
                f"unknown score {name!r}; choose {either(known)}{did_you_mean(name, known)}"
            )
    return all_scores({name: defined[name] for name in others}, (*OURS, *packages))


def _scores_of_folder(names: Sequence[str], folder: Path | None) -> Mapping[str, Any]:
    """Return the settings of each named score that a folder defines."""
    if folder is None:
        return {}
    defined = [name for name in names if (folder / "score" / f"{name}.yaml").is_file()]
    if not defined:
        return {}
    composed = compose_config([searched(folder), f"+score=[{','.join(defined)}]"])
    return run_config(composed).settings.score
