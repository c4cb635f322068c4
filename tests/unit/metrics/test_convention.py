"""Conventions: those that are shipped are known, others are refused by name."""

from dataclasses import replace
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from remem.metrics.convention import ScoreConvention

CONF = Path(__file__).parents[3] / "conf"
CONVENTION = ScoreConvention(
    refusal_detection="phrase_or_empty",
    refusal_gold="by_category",
    f1="hipporag2",
    bleu="evaluate",
    multi_answer_gold="joined",
    bootstrap_unit="questions",
    resamples=199,
    seed=0,
)


def shipped(name, dataset):
    config = OmegaConf.create(
        {
            "dataset": OmegaConf.load(CONF / f"dataset/{dataset}.yaml"),
            "convention": OmegaConf.load(CONF / f"convention/{name}.yaml"),
        }
    )
    return ScoreConvention(**OmegaConf.to_container(config.convention.score, resolve=True))


@pytest.mark.parametrize("name", ["paper", "reference", "strict"])
def test_the_shipped_conventions_are_known(name):
    assert shipped(name, "generated_tot").resamples == 9999


def test_the_released_code_has_an_f1_of_its_own_for_locomo_only():
    assert shipped("reference", "locomo").f1 == "released_comma_cut"
    assert shipped("reference", "realtalk").f1 == "hipporag2"
    assert shipped("paper", "locomo").f1 == "hipporag2"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("refusal_detection", "phrase"),
        ("refusal_gold", "always"),
        ("f1", "squad"),
        ("resamples", 0),
        ("seed", -1),
    ],
)
def test_a_convention_nobody_knows_is_an_error(key, value):
    with pytest.raises(ValueError, match=rf"convention\.score\.{key} is '?{value}"):
        replace(CONVENTION, **{key: value})
