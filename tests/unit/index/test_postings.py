"""The terms of texts equal those of bm25s, and parts built by additions have the same counts."""

from dataclasses import astuple

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import Stemmer

from remem.index.postings import StemmedTerms, TermList, appended, counted, merged, search
from remem.index.ranking import rank

WORDS = ("Running", "runs", "the", "boats,", "it's", "a", "Über-groß", "x", "12:30", "naïve", "İş")
texts_of_words = st.lists(
    st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)),
    min_size=1,
    max_size=5,
)
entries_of_terms = st.lists(st.lists(st.integers(0, 9), max_size=7), min_size=1, max_size=24)


@given(first=texts_of_words, second=texts_of_words)
def test_the_terms_are_those_of_the_library_however_texts_are_added(first, second):
    terms = StemmedTerms()
    found = terms.add(first) + terms.add(second)
    expected = bm25s.tokenize(
        [*first, *second],
        stopwords="english",
        stemmer=Stemmer("english"),
        return_ids=False,
        show_progress=False,
    )
    assert found == expected
    assert [terms.of(text) for text in (*first, *second)] == expected


def counts_of(rows, begin=0):
    terms = np.array([term for row in rows for term in row], dtype=np.int32)
    return counted(terms, np.array([len(row) for row in rows], dtype=np.int32), begin)


def grown(rows, ends):
    """Return the parts after additions that end at these numbers of entries."""
    parts, begin = (), 0
    for end in ends:
        parts = appended(parts, counts_of(rows[begin:end], begin))
        begin = end
    return parts


@given(rows=entries_of_terms, ends=st.sets(st.integers(1, 23)), few=st.sampled_from([1, 4, 512]))
def test_any_split_into_additions_has_the_counts_of_one_build(rows, ends, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("remem.index.postings.FEW_ENTRIES", few)
        parts = grown(rows, sorted({end for end in ends if end < len(rows)} | {len(rows)}))
    whole = counts_of(rows)
    for array, expected in zip(astuple(merged(parts)), astuple(whole), strict=True):
        assert np.array_equal(array, expected)
    for term in range(11):
        entries = [entry for part in parts for entry in part.of(term)[0].tolist()]
        counts = [count for part in parts for count in part.of(term)[1].tolist()]
        held = [(at, row.count(term)) for at, row in enumerate(rows) if term in row]
        assert list(zip(entries, counts, strict=True)) == held


SIZE = 120


def drawn(seed, weights):
    """Return the lists of six terms, the last one the rarest; their weights, and which are held."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.9, 0.6, 0.5, 0.2, 0.05, 0.02])
    held = rng.random((6, SIZE)) < shares[:, None]
    held[:, 0] = True  # no list is empty
    matrix = np.where(held, rng.choice(weights, (6, SIZE)), 0.0)
    entries = [np.flatnonzero(row).astype(np.int32) for row in held]
    lists = [
        TermList(at, row[at], float(row[at].max())) for at, row in zip(entries, matrix, strict=True)
    ]
    return lists, matrix, held


def by_adding_up(matrix, held, terms, allowed, top_k):
    scores = np.zeros(SIZE)
    for term in terms:
        scores += matrix[term]
    found = np.flatnonzero(held[list(terms)].any(axis=0) & allowed)
    return rank(found, scores[found], top_k)


@given(
    seed=st.integers(0, 50),
    weights=st.sampled_from([(1.0,), (0.0, 1.0), (0.1, 0.2, 3.0), (0.3, 0.300001, 0.3000004)]),
    terms=st.lists(st.integers(0, 5), min_size=1, max_size=8),
    top_k=st.integers(1, 15),
    share=st.sampled_from([0.0, 0.015, 0.3, 1.0]),
)
def test_it_finds_what_adding_up_every_list_finds(seed, weights, terms, top_k, share):
    lists, matrix, held = drawn(seed, weights)
    allowed = np.random.default_rng(seed + 1).random(SIZE) < share
    asked = {term: lists[term] for term in terms}
    hits = rank(*search(asked, terms, allowed, top_k), top_k)
    assert hits == by_adding_up(matrix, held, terms, allowed, top_k)
