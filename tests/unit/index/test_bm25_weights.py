"""The weights of an index: the same bits as those of bm25s, which is the independent reference."""

import numpy as np
import pytest
from bm25s import BM25
from hypothesis import given
from hypothesis import strategies as st

from remem.index.bm25_weights import Weighing, weighed

METHODS = ("lucene", "robertson", "atire")
texts_of_terms = st.lists(st.lists(st.integers(0, 12), max_size=9), min_size=1, max_size=14).filter(
    any
)


@pytest.mark.parametrize("method", METHODS)
@given(texts=texts_of_terms, k1=st.sampled_from([1.5, 0.9, 1.2]), b=st.sampled_from([0.75, 0.4]))
def test_the_weights_have_the_bits_of_the_library(method, texts, k1, b):
    numbers = {term: at for at, term in enumerate(dict.fromkeys(t for row in texts for t in row))}
    rows = [[numbers[term] for term in row] for row in texts]
    library = BM25(k1=k1, b=b, method=method, dtype="float64")
    expected = library.build_index_from_ids(range(len(numbers)), rows, show_progress=False)
    terms = np.array([term for row in rows for term in row], dtype=np.int32)
    lengths = np.array([len(row) for row in rows], dtype=np.int32)
    found = weighed(Weighing(k1, b, method), terms, lengths, len(numbers))
    assert found.weights.tobytes() == expected["data"].tobytes()
    assert found.entries.tolist() == expected["indices"].tolist()
    assert found.starts.tolist() == expected["indptr"].tolist()


def test_texts_without_terms_have_no_weights():
    found = weighed(Weighing(1.5, 0.75, "lucene"), *(np.zeros(n, np.int32) for n in (0, 3)), 0)
    assert (found.size, len(found.weights), found.starts.tolist()) == (3, 0, [0])
