"""Sets of convention.score by name, and with single keys changed."""

import pytest

from remem.config.instantiation import UsageError
from remem.config.run_config import compose_config, run_config
from remem.evaluation.score_sets import convention_names, score_sets

LOCOMO = {"name": "locomo", "released_f1": "released_comma_cut"}


@pytest.mark.parametrize("name", convention_names())
@pytest.mark.parametrize("dataset", ["locomo", "generated_tot"])
def test_a_set_by_name_is_that_of_the_configuration(name: str, dataset: str) -> None:
    config = run_config(compose_config([f"dataset={dataset}", f"convention={name}"]))
    assert score_sets([name], config.resolved["dataset"])[name] == config.score_convention()


def test_all_sets_are_taken_if_none_is_named() -> None:
    assert list(score_sets([], LOCOMO)) == ["paper", "reference", "strict"]


def test_single_keys_are_changed() -> None:
    paper = score_sets(["paper"], LOCOMO)["paper"]
    changed = score_sets(["f1=mem0,seed=3", "strict,bleu=mem0"], LOCOMO)
    first, second = changed.values()
    assert (first.f1, first.seed, first.bleu) == ("mem0", 3, paper.bleu)
    assert (second.bleu, second.multi_answer_gold) == ("mem0", "set")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonsense", "unknown convention 'nonsense'; choose paper, reference or strict"),
        ("f1=nonsense", "f1 is 'nonsense'"),
        ("paper,nonsense=1", "nonsense"),
        ("resamples=0", "give 1 to 100,000"),
    ],
)
def test_what_is_no_set_is_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        score_sets([name], LOCOMO)
