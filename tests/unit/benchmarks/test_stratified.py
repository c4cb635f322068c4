from collections import Counter

import pytest

from remem.benchmarks.split import draw_subset, mark_subset, own_samples
from remem.protocols import DataFile

CATEGORIES = ["b", "a", "b", "c", "a", "b", "c", "a", "c", "b"]


def test_equally_many_of_each_category_are_drawn_each_once_in_order():
    drawn = draw_subset(CATEGORIES, 6, seed=0)
    assert drawn == sorted(set(drawn))
    assert Counter(CATEGORIES[i] for i in drawn) == {"a": 2, "b": 2, "c": 2}


def test_a_seed_gives_one_subset_and_seeds_differ():
    subsets = {seed: tuple(draw_subset(CATEGORIES * 9, 30, seed)) for seed in (0, 1, 2)}
    assert len(set(subsets.values())) == 3
    assert tuple(draw_subset(CATEGORIES * 9, 30, 1)) == subsets[1]


def test_a_whole_category_may_be_drawn():
    assert draw_subset(["a", "b", "a", "b"], 4, seed=5) == [0, 1, 2, 3]


@pytest.mark.parametrize("size", [7, 0, -3, 12])
def test_a_size_that_cannot_be_shared_evenly_is_refused(size):
    with pytest.raises(ValueError, match=f"subset is {size}, expected a multiple of 3.*at most 9"):
        draw_subset(CATEGORIES, size, seed=0)


def test_there_is_no_subset_of_nothing():
    with pytest.raises(ValueError, match="at most 0"):
        draw_subset([], 8, seed=0)


def test_a_part_of_our_own_choice_is_told_from_whole_files():
    (marked,) = mark_subset([DataFile("tot/x.json", "0" * 64)], 160, 0)
    assert own_samples(["tot/x.json", marked.name, "tot/y.json", marked.name]) == [marked.name]
