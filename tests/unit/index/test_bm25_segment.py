"""Entries in a segment of their own: weighed with the statistics of those before them."""

from math import log, log1p

import numpy as np
import pytest

from remem.index.bm25s_lexical import Bm25sLexical

K1, B = 1.5, 0.75
FILLER = tuple(f"filler{at} boat" if at % 4 else f"filler{at} moon harbour" for at in range(40))


def index_of(texts, *, segments_from=None, method="lucene"):
    index = Bm25sLexical(k1=K1, b=B, method=method, segments_from=segments_from)
    index.add(texts)
    return index


def grown(added, *, method="lucene"):
    index = index_of(FILLER, segments_from=40, method=method)
    index.search("boat", 1)  # builds what the segment lies beside
    index.add(added)
    return index


IDF = {
    "lucene": lambda n: log1p((40 - n + 0.5) / (n + 0.5)),
    "robertson": lambda n: max(log((40 - n + 0.5) / (n + 0.5)), 0.0),
    "atire": lambda n: log(40 / n) * (K1 + 1),
}


@pytest.mark.parametrize("method", IDF)
def test_an_added_entry_has_the_weights_that_the_statistics_before_it_give(method):
    [(position, score)] = grown(["moon moon rises"], method=method).search("moon", 1)
    mean = (30 * 2 + 10 * 3) / 40
    expected = IDF[method](10) * 2 / (2 + K1 * (1 - B + B * 3 / mean))
    assert position == 40
    assert score == pytest.approx(expected, abs=6e-7)


def test_a_term_that_is_new_counts_the_entries_of_the_segment():
    hits = grown(["whale", "whale song"]).search("whale", 5)
    assert [at for at, _ in hits] == [40, 41]
    mean = (30 * 2 + 10 * 3) / 40
    expected = IDF["lucene"](2) / (1 + K1 * (1 - B + B / mean))
    assert hits[0][1] == pytest.approx(expected, abs=6e-7)


def test_old_and_new_entries_are_ranked_together_and_masked_together():
    index = grown(["boat boat boat", "boat"])
    assert {at for at, _ in index.search("boat", 2)} == {40, 41}
    allowed = np.ones(42, dtype=np.bool_)
    allowed[40] = False
    assert index.search("boat", 1, allowed)[0][0] == 41
    assert len(index.search("boat", 100, allowed)) == 31


def test_more_than_a_tenth_is_built_anew_with_exact_statistics():
    added = ["boat moon"] * 5
    assert grown(added).search("moon", 9) == index_of([*FILLER, *added]).search("moon", 9)


def test_a_small_index_is_always_built_anew():
    index = index_of(FILLER, segments_from=41)
    index.search("boat", 1)
    index.add(["moon"])
    assert index.search("moon", 9) == index_of([*FILLER, "moon"]).search("moon", 9)


def test_what_was_stored_searches_and_grows_as_before():
    index = grown(["boat of the moon"])
    again = Bm25sLexical(k1=K1, b=B, method="lucene")
    again.restore(index.stored())
    whole = index_of([*FILLER, "boat of the moon"])
    assert again.search("moon boat", 9) == whole.search("moon boat", 9)
    for item in (again, whole):
        item.add(["a new moon"])
    assert again.search("new moon", 9) == whole.search("new moon", 9)
