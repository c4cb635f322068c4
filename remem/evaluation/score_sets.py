"""The sets of `convention.score`: those of conf/convention by name, and changes of single keys."""

from collections.abc import Sequence
from functools import cache

from omegaconf import DictConfig, ListConfig, OmegaConf

from remem.config.conf_files import conf_folder
from remem.config.instantiation import UsageError
from remem.config.scores import checked_convention, our_scores
from remem.config.suggestions import either
from remem.metrics.convention import Score, ScoreConvention


def convention_names() -> list[str]:
    """Return the names of conf/convention."""
    return sorted(path.stem for path in (conf_folder() / "convention").glob("*.yaml"))


def score_sets(
    names: Sequence[str], released_f1: str | None = None, scores: tuple[Score, ...] = ()
) -> dict[str, ScoreConvention]:
    """Return the named sets for a dataset; all of conf/convention if none is named.

    Args:
        names: Each is a convention, changes such as `f1=mem0` of the paper's, or both, as in
            `strict,bleu=mem0`.
        released_f1: The F1 that the dataset has of its own in convention=reference, if it has one.
        scores: What is scored; ours if none are given.
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
    return OmegaConf.load(conf_folder() / "convention" / f"{name}.yaml")


def _dataset(released_f1: str | None) -> dict[str, dict[str, str]]:
    """Return what a convention refers to: of a run's manifest, so it may not refer to anything."""
    is_plain = released_f1 is not None and "${" not in released_f1
    return {"dataset": {"released_f1": str(released_f1)} if is_plain else {}}
