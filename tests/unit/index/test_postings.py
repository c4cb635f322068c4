"""A search that leaves lists unread finds what adding up every list finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remem.index.postings import TermList, search
from remem.index.ranking import rank

SIZE = 120


def drawn(seed, weights):
    """Return the lists of six terms, the last the rarest, and their weights as a matrix."""
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
