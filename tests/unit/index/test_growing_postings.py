"""An index that grows has the scores of one that is built at once, to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.index.bm25_lexical import Bm25sLexical
from remem.index.bm25_weights import Weighing, weighed
from remem.index.growing_postings import GrowingPostings
from remem.index.term_counts import CountedTerms, ReadTerms, appended, counted

METHODS = ("lucene", "robertson", "atire")
WORDS = ("boat", "moon", "harbour", "whale", "rises", "a")
entries_of_terms = st.lists(
    st.lists(st.integers(0, 9), max_size=7), min_size=1, max_size=24
).filter(any)


def index_of(texts, method="lucene"):
    index = Bm25sLexical(k1=1.5, b=0.75, method=method)
    index.add(texts)
    return index


def numbers(rows):
    terms = np.array([term for row in rows for term in row], dtype=np.int32)
    return terms, np.array([len(row) for row in rows], dtype=np.int32)


@pytest.mark.parametrize("method", METHODS)
@given(rows=entries_of_terms, ends=st.sets(st.integers(1, 23)), few=st.sampled_from([1, 4, 512]))
def test_every_weight_of_any_split_has_the_bits_of_one_build(method, rows, ends, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("remem.index.term_counts.FEW", few)
        check_split(method, rows, ends)


def check_split(method, rows, ends):
    weighing, parts = Weighing(1.5, 0.75, method), ()
    for end in sorted({end for end in ends if end < len(rows)} | {len(rows)}):
        parts = appended(parts, *numbers(rows[:end]))
    terms, lengths = numbers(rows)
    grown = GrowingPostings(weighing, parts, lengths)
    built = weighed(weighing, terms, lengths, 10)
    assert grown.size == built.size
    for term in range(11):
        found, expected = grown.of(term), built.of(term)
        if expected is None:
            assert found is None
        else:
            assert found.weights.tobytes() == expected.weights.tobytes()
            assert found.entries.tolist() == expected.entries.tolist()
            assert found.ceiling == expected.ceiling


@pytest.mark.parametrize("method", METHODS)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=20
    ),
    ends=st.sets(st.integers(1, 19)),
    saved=st.integers(0, 4),
    top_k=st.integers(1, 25),
)
def test_any_split_into_additions_finds_what_one_build_finds(method, texts, ends, saved, top_k):
    index, begin = index_of([], method), 0
    for step, end in enumerate(sorted({end for end in ends if end < len(texts)} | {len(texts)})):
        index.add(texts[begin:end])
        begin = end
        if step == saved:
            index, stored = index_of([], method), index.stored()
            index.restore(stored)
        whole = index_of(texts[:end], method)
        for query in ("boat", "whale moon boat boat", "harbour rises"):
            assert index.search(query, top_k) == whole.search(query, top_k)


@given(rows=entries_of_terms, at=st.integers(0, 23))
def test_what_is_stored_after_an_addition_is_what_one_build_stores(rows, at):
    texts = [" ".join(WORDS[term % len(WORDS)] for term in row) for row in rows]
    first = sorted(set(" ".join(texts).split()))  # so that all terms have the same numbers
    index = index_of([" ".join(first), *texts[:at]])
    index.search("boat", 1)
    index.add(texts[at:])
    index.search("boat", 1)
    whole = index_of([" ".join(first), *texts]).stored()
    assert {name: array.tobytes() for name, array in index.stored().items()} == {
        name: array.tobytes() for name, array in whole.items()
    }


def test_a_saved_index_that_has_grown_stores_all_entries():
    index = index_of([])
    index.restore(index_of(["boat moon", "boat"]).stored())
    index.add(["moon"])
    assert index.stored()["entries"].tolist() == [0, 1, 0, 2]  # boat, then moon


@pytest.fixture
def _no_few(monkeypatch):
    monkeypatch.setattr("remem.index.term_counts.FEW", 1)


@pytest.mark.usefixtures("_no_few")
def test_an_addition_counts_only_its_own_entries_while_they_are_fewer():
    rows = [[0, 1], [1], [2], [0]]
    first = appended((), *numbers(rows[:3]))
    second = appended(first, *numbers(rows))
    assert second[0] is first[0]
    assert [(part.begin, part.end) for part in second] == [(0, 3), (3, 4)]


@pytest.mark.usefixtures("_no_few")
def test_sixty_four_equal_additions_leave_few_parts():
    rows, parts, most = [[number % 7] for number in range(64)], (), 0
    for end in range(1, 65):
        parts = appended(parts, *numbers(rows[:end]))
        most = max(most, len(parts))
    assert (most, len(parts)) == (6, 1)


def test_small_additions_are_one_part_while_they_are_few_together(monkeypatch):
    monkeypatch.setattr("remem.index.term_counts.FEW", 5)
    rows, parts, sizes = [[number] for number in range(7)], (), []
    for end in range(1, 8):
        parts = appended(parts, *numbers(rows[:end]))
        sizes.append([part.end - part.begin for part in parts])
    assert sizes == [[1], [2], [3], [4], [5], [5, 1], [5, 2]]


def test_few_entries_are_read_and_many_are_counted(monkeypatch):
    monkeypatch.setattr("remem.index.term_counts.FEW", 3)
    [few] = appended((), *numbers([[0], [1]]))
    [many] = appended((), *numbers([[0], [1], [1]]))
    assert (type(few), type(many)) == (ReadTerms, CountedTerms)


def read(terms, lengths, begin):
    return ReadTerms(begin, terms[int(lengths[:begin].sum()) :], lengths[begin:])


@pytest.mark.parametrize("count", [counted, read])
def test_the_entries_of_a_term_are_counted(count):
    # Terms 1 and 3 in three entries, of which the middle one is empty; only entries 1 and 2 count.
    found = count(*numbers([[3], [], [3, 1, 3]]), begin=1)
    assert (found.begin, found.end) == (1, 3)
    assert [array.tolist() for array in found.of(3)] == [[2], [2]]
    assert [array.tolist() for array in found.of(1)] == [[2], [1]]
    assert [len(array) for array in found.of(2)] == [0, 0]


def test_entries_without_terms_are_counted_as_entries():
    [part] = appended((), *numbers([[], []]))
    assert (part.begin, part.end, len(part.of(0)[0])) == (0, 2, 0)
