"""Compose scoring conventions from `conf/convention` by name, with changes of single keys."""

from collections.abc import Sequence
from functools import cache

from omegaconf import DictConfig, ListConfig, OmegaConf

from remem.config.conf_files import conf_choices
from remem.config.instantiation import UsageError
from remem.config.scores import checked_convention, our_scores
from remem.config.suggestions import either
from remem.metrics.convention import Score, ScoreConvention


def convention_names() -> list[str]:
    """Return the sorted names of all conventions in `conf/convention`."""
    return [path.stem for path in conf_choices("convention")]


def score_sets(
    names: Sequence[str], released_f1: str | None = None, scores: tuple[Score, ...] = ()
) -> dict[str, ScoreConvention]:
    """Return the named sets of scoring choices for a dataset; all conventions if none is named.

    Args:
        names: Each is a convention, changes of the paper's convention such as `f1=mem0`, or a
            convention with changes, such as `strict,bleu=mem0`.
        released_f1: The F1 rule of the dataset under convention=reference; None if it has none.
        scores: The scores to compute; empty for the built-in ones.
    """
    scored = scores or our_scores()
    return {name: _score_set(name, released_f1, scored) for name in names or convention_names()}


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
    return OmegaConf.load(files[name])


def _dataset(released_f1: str | None) -> dict[str, dict[str, str]]:
    """Return the dataset settings that a convention refers to, without any interpolation.

    They come from the manifest of a run, which may not be trusted.
    """
    is_plain = released_f1 is not None and "${" not in released_f1
    return {"dataset": {"released_f1": str(released_f1)} if is_plain else {}}
