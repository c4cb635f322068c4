"""The terms of a text: those of bm25s, which is the independent reference."""

import bm25s
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import Stemmer

from remem.index.stemmed_terms import StemmedTerms

WORDS = ("Running", "runs", "the", "boats,", "it's", "a", "Über-groß", "x", "12:30", "naïve", "İş")
texts_of_words = st.lists(
    st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)),
    min_size=1,
    max_size=5,
)


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
