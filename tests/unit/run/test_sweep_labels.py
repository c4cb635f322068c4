"""A sweep and its jobs are named by what differs between the jobs."""

import re

import pytest

from remem.run.sweep_jobs import Job
from remem.run.sweep_labels import job_labels, sweep_name, sweep_title, varied_keys

ARGUMENTS = ["-m", "method=remem_i,remem_s", "ablation=none,no_gists", "run.limit=3"]
KEYS = ["method", "ablation"]


def jobs(*overrides: tuple[str, ...], method: str = "REMem-S") -> list[Job]:
    return [
        Job(at, own, "done", method=method, dataset="locomo") for at, own in enumerate(overrides)
    ]


def test_a_name_says_what_is_swept_and_on_which_dataset() -> None:
    name = sweep_name(ARGUMENTS, KEYS, "generated_dialogues")
    assert re.fullmatch(r"ablation-method_generated-dialogues-[0-9a-f]{8}", name)
    assert re.fullmatch(r"dataset_[0-9a-f]{8}", sweep_name(["dataset=a,b"], ["dataset"], "a,b"))
    assert sweep_name(["-m", "method=a"], [], "locomo").startswith("one-job_locomo-")


def test_the_same_arguments_in_any_order_give_the_same_name() -> None:
    name = sweep_name(ARGUMENTS, KEYS, "locomo")
    assert sweep_name(ARGUMENTS[::-1], KEYS[::-1], "locomo") == name
    assert sweep_name(["--multirun", *ARGUMENTS[1:]], KEYS, "locomo") == name


@pytest.mark.parametrize("other", ["method=remem_s,remem_i", "method=remem_i,remem_s,mem0"])
def test_other_choices_or_another_first_choice_give_another_name(other: str) -> None:
    names = {sweep_name([*ARGUMENTS[2:], own], KEYS, "locomo") for own in (ARGUMENTS[1], other)}
    assert len(names) == 2


def test_a_name_is_a_short_name_of_a_folder_whatever_is_swept() -> None:
    keys = [f"method.build.{'very_' * 9}long{at}" for at in range(9)]
    for name in (sweep_name([], keys, "../../etc"), sweep_name([], ["../a b/"], "/")):
        assert re.fullmatch(r"[A-Za-z0-9-]+_[A-Za-z0-9-]+", name)
        assert len(name) <= 80


def test_a_title_names_the_keys_and_the_dataset() -> None:
    two = jobs(
        ("ablation=none", "method.build.top_k=5"), ("ablation=no_gists", "method.build.top_k=3")
    )
    assert sweep_title(two) == "Sweep over ablation and top_k on locomo"
    assert sweep_title(two[:1]) == "Sweep of one job on locomo"
    three = jobs(("a=1", "b=1", "c=1"), ("a=2", "b=2", "c=2"))
    assert sweep_title(three) == "Sweep over a, b and c on locomo"


def test_only_what_differs_is_in_a_label() -> None:
    own = jobs(
        ("method=remem_i", "ablation=none", "+method.build.top_k=5", "run.limit=3"),
        ("method=remem_i", "ablation=no_gists", "+method.build.top_k=10", "run.limit=3"),
    )
    assert varied_keys(own) == ["ablation", "method.build.top_k"]
    assert job_labels(own, varied_keys(own)) == ["whole method, top_k=5", "no gists, top_k=10"]


def test_a_method_has_its_label_and_equal_labels_are_told_apart() -> None:
    one, other = jobs(("method=remem_i",)), jobs(("method=remem_s",))
    assert job_labels(one, ["method"]) == ["REMem-S"]
    assert job_labels([*one, *other], ["method"]) == ["method=remem_i", "method=remem_s"]


def test_keys_with_the_same_end_keep_as_much_as_tells_them_apart() -> None:
    own = jobs(("dataset.build.seed=1", "method.seed=1"), ("dataset.build.seed=2", "method.seed=2"))
    assert job_labels(own, varied_keys(own)) == [
        "build.seed=1, method.seed=1",
        "build.seed=2, method.seed=2",
    ]
