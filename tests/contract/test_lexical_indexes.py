"""What every lexical index promises. Add a new one with a line in INDEXES."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.index.bm25_lexical import Bm25sLexical, RankBm25Lexical
from remem.protocols import LexicalIndex

INDEXES: dict[str, Callable[[], LexicalIndex]] = {
    "bm25": lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
    "bm25_robertson": lambda: Bm25sLexical(k1=1.5, b=0.75, method="robertson"),
    "bm25_atire": lambda: Bm25sLexical(k1=1.5, b=0.75, method="atire"),
    "rank_bm25": lambda: RankBm25Lexical(k1=1.5, b=0.75, epsilon=0.25),
}
every_index = pytest.mark.parametrize("make", INDEXES.values(), ids=list(INDEXES))

# No stop words, and no two with one stem: whether texts share a term is plain to see.
WORDS = ("boat", "cat", "dog", "moon", "E57", "1994", "sunset", "Paris")
texts_strategy = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=40
)
query_strategy = st.lists(st.sampled_from((*WORDS, "unheard")), max_size=4).map(" ".join)


def filled(make: Callable[[], LexicalIndex], texts: list[str]) -> LexicalIndex:
    index = make()
    index.add(texts)
    return index


@every_index
@given(texts=texts_strategy, query=query_strategy, data=st.data())
def test_a_mask_never_loses_a_hit(
    make: Callable[[], LexicalIndex], texts: list[str], query: str, data: st.DataObject
) -> None:
    flags = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    top_k = data.draw(st.integers(1, 10))
    index = filled(make, texts)
    unmasked = index.search(query, len(texts))
    expected = [(at, score) for at, score in unmasked if flags[at]][:top_k]
    assert index.search(query, top_k, np.array(flags)) == expected


@every_index
@given(texts=texts_strategy, query=query_strategy)
def test_exactly_the_entries_that_share_a_term_are_found_best_first(
    make: Callable[[], LexicalIndex], texts: list[str], query: str
) -> None:
    hits = filled(make, texts).search(query, 1000)
    terms = set(query.split())
    assert {at for at, _ in hits} == {
        at for at, text in enumerate(texts) if terms & set(text.split())
    }
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))


@every_index
@given(texts=texts_strategy, query=query_strategy, cut=st.integers(0, 40))
def test_texts_added_in_pieces_rank_as_if_added_at_once(
    make: Callable[[], LexicalIndex], texts: list[str], query: str, cut: int
) -> None:
    pieces = filled(make, texts[:cut])
    pieces.search(query, 3)  # a search between two adds changes nothing
    pieces.add(texts[cut:])
    assert pieces.search(query, 10) == filled(make, texts).search(query, 10)


@every_index
def test_equal_texts_tie_by_position_however_many_there_are(
    make: Callable[[], LexicalIndex],
) -> None:
    hits = filled(make, ["cat"] + ["the boat"] * 200 + ["moon"] * 300).search("boat", 4)
    assert [at for at, _ in hits] == [1, 2, 3, 4]
    assert len({score for _, score in hits}) == 1


@every_index
@pytest.mark.parametrize("texts", [[], [""], ["?!", " ", "a", "of the"]])
def test_an_index_without_terms_finds_nothing(
    make: Callable[[], LexicalIndex], texts: list[str]
) -> None:
    index = filled(make, texts)
    assert index.search("boat", 10) == []
    assert index.search("boat", 10, np.ones(len(texts), dtype=np.bool_)) == []
    assert make().search("boat", 10) == []


@every_index
@pytest.mark.parametrize("query", ["", "?!", "unheard", "I of x"])
def test_a_query_without_a_known_term_finds_nothing(
    make: Callable[[], LexicalIndex], query: str
) -> None:
    assert filled(make, ["the boat", "a cat"]).search(query, 10) == []


@every_index
def test_case_makes_no_difference(make: Callable[[], LexicalIndex]) -> None:
    index = filled(make, ["E57 sails", "cat"])
    assert index.search("e57", 10) == index.search("E57", 10) != []


@every_index
def test_hits_are_plain_numbers_and_none_when_none_are_wanted(
    make: Callable[[], LexicalIndex],
) -> None:
    index = filled(make, ["the boat", "a cat", "moon"])
    [(position, score)] = index.search("boat", 5)
    assert (type(position), type(score)) == (int, float)
    assert index.search("boat", 0) == []


@every_index
def test_a_mask_of_another_length_is_refused(make: Callable[[], LexicalIndex]) -> None:
    with pytest.raises(ValueError, match="mask has shape"):
        filled(make, ["boat"]).search("boat", 2, np.ones(3, dtype=np.bool_))
