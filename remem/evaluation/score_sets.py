"""The sets of `convention.score`: those of conf/convention by name, and changes of single keys."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

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
    names: Sequence[str], dataset: Mapping[str, Any], scores: tuple[Score, ...] = ()
) -> dict[str, ScoreConvention]:
    """Return the named sets for a dataset; all of conf/convention if none is named.

    Args:
        names: Each is a convention, changes such as `f1=mem0` of the paper's, or both, as in
            `strict,bleu=mem0`.
        dataset: The dataset's configuration: some choose what the reference scores.
        scores: What is scored; ours if none are given.
    """
    scored = scores or our_scores()
    return {name: _score_set(name, dataset, scored) for name in names or convention_names()}


def _score_set(name: str, dataset: Mapping[str, Any], scores: tuple[Score, ...]) -> ScoreConvention:
    parts = name.split(",")
    base = "paper" if "=" in parts[0] else parts.pop(0)
    if base not in convention_names():
        raise UsageError(f"unknown convention {base!r}; choose {either(convention_names())}")
    changes = OmegaConf.create({"score": OmegaConf.from_dotlist(parts)})
    merged = OmegaConf.merge({"dataset": _plain(dataset)}, _convention(base), changes)
    plain = OmegaConf.to_container(merged, resolve=True)
    if not isinstance(plain, dict):
        raise TypeError(f"conf/convention/{base}.yaml: expected a mapping")
    return checked_convention(plain["score"], scores)


@cache
def _convention(name: str) -> DictConfig | ListConfig:
    return OmegaConf.load(conf_folder() / "convention" / f"{name}.yaml")


def _plain(dataset: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a dataset: of a run's manifest, so no text of them refers to anything."""
    texts = {key: value for key, value in dataset.items() if isinstance(value, str)}
    return {key: value for key, value in texts.items() if "${" not in value}
