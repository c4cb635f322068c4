"""Two words match if one is the other with an ending."""

from hypothesis import given
from hypothesis import strategies as st

from remem.readers.ranked_sentences import match


@given(st.text("ab", max_size=9), st.frozensets(st.text("ab", min_size=1, max_size=12), max_size=6))
def test_a_word_almost_matches_if_the_shorter_starts_the_longer_and_lacks_only_an_ending(
    term, words
):
    almost = any(
        min(len(term), len(word)) >= 5
        and abs(len(term) - len(word)) <= 4
        and (word.startswith(term) or term.startswith(word))
        for word in words
    )
    assert match(term, words) == (1.0 if term in words else 0.8 if almost else 0.0)
