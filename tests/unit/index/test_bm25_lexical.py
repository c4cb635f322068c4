"""BM25: its weights against the library bm25s, its scores against the formula, its corner cases."""

from collections.abc import Sequence
from itertools import pairwise
from math import log

import numpy as np
import pytest
from bm25s import BM25
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from remem.index.bm25_lexical import Bm25sLexical, RankBm25Lexical, WeighedTerms, Weighing
from remem.index.postings import counted

METHODS = ("lucene", "robertson", "atire")
K1, B = 1.5, 0.75
TEXTS = (
    "Caroline paints a sunset sunset",
    "Melanie runs a charity race",
    "Caroline runs for charity",
    "sunset",
)
WORDS = ("boat", "moon", "harbour", "whale", "rises", "a")
# The same by hand: lower case, stop words gone, stemmed.
STEMS = (
    ("carolin", "paint", "sunset", "sunset"),
    ("melani", "run", "chariti", "race"),
    ("carolin", "run", "chariti"),
    ("sunset",),
)


def index_of(texts: Sequence[str], method: str = "lucene") -> Bm25sLexical:
    index = Bm25sLexical(k1=K1, b=B, method=method)
    index.add(texts)
    return index


@pytest.mark.parametrize("method", METHODS)
@given(
    rows=st.lists(st.lists(st.integers(0, 12), max_size=9), min_size=1, max_size=14).filter(any),
    k1=st.sampled_from([1.5, 0.9, 1.2]),
    b=st.sampled_from([0.75, 0.4]),
)
def test_the_weights_have_the_bits_of_the_library(
    method: str, rows: list[list[int]], k1: float, b: float
) -> None:
    numbers = {term: at for at, term in enumerate(dict.fromkeys(t for row in rows for t in row))}
    numbered = [[numbers[term] for term in row] for row in rows]
    library = BM25(k1=k1, b=b, method=method, dtype="float64")
    expected = library.build_index_from_ids(range(len(numbers)), numbered, show_progress=False)
    terms = np.array([term for row in numbered for term in row], dtype=np.int32)
    lengths = np.array([len(row) for row in rows], dtype=np.int32)
    weighed = WeighedTerms(Weighing(k1, b, method), (counted(terms, lengths),), lengths)
    for term, (begin, end) in enumerate(pairwise(expected["indptr"])):
        found = weighed.of(term)
        assert found.weights.tobytes() == expected["data"][begin:end].tobytes()
        assert found.entries.tolist() == expected["indices"][begin:end].tolist()
        assert found.ceiling == expected["data"][begin:end].max()


def lucene_score(terms: Sequence[str], document: Sequence[str]) -> float:
    """BM25 as Lucene has it: idf ln(1 + (N - n + 0.5) / (n + 0.5)), no factor k1 + 1."""
    mean = sum(len(stems) for stems in STEMS) / len(STEMS)
    score = 0.0
    for term in terms:
        holders = sum(term in stems for stems in STEMS)
        idf = log(1 + (len(STEMS) - holders + 0.5) / (holders + 0.5))
        count = document.count(term)
        score += idf * count / (count + K1 * (1 - B + B * len(document) / mean))
    return score


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Who painted the sunset?", ["who", "paint", "sunset"]),
        ("sunset, sunset and Caroline", ["sunset", "sunset", "carolin"]),
    ],
)
def test_scores_follow_the_lucene_formula(query: str, terms: list[str]) -> None:
    scores = {at: lucene_score(terms, stems) for at, stems in enumerate(STEMS)}
    expected = sorted((at for at in scores if scores[at]), key=lambda at: (-scores[at], at))
    hits = index_of(TEXTS).search(query, 10)
    assert [at for at, _ in hits] == expected
    assert [score for _, score in hits] == pytest.approx([scores[at] for at in expected], abs=6e-7)


def test_ids_and_the_parts_of_a_date_are_terms() -> None:
    index = index_of(["E57 was the R11 of E5", "on 2022-03-20"])
    assert [at for at, _ in index.search("E57", 10)] == [0]
    assert index.search("E571", 10) == []
    assert [at for at, _ in index.search("2022", 10)] == [1]


@pytest.mark.parametrize("method", METHODS)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=20
    ),
    ends=st.sets(st.integers(1, 19)),
    saved=st.integers(0, 4),
    top_k=st.integers(1, 25),
)
def test_any_split_into_additions_finds_what_one_build_finds(
    method: str, texts: list[str], ends: set[int], saved: int, top_k: int
) -> None:
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


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown BM25 method 'okapi', expected one of"):
        Bm25sLexical(k1=K1, b=B, method="okapi")


OKAPI_TEXTS = (
    "Caroline paints a sunset, a sunset!",
    "Melanie runs a charity race",
    "caroline runs for charity",
    "sunset",
    "nothing of note",
)
OKAPI_TOKENS = (
    ["caroline", "paints", "a", "sunset", "a", "sunset"],
    ["melanie", "runs", "a", "charity", "race"],
    ["caroline", "runs", "for", "charity"],
    ["sunset"],
    ["nothing", "of", "note"],
)


def test_okapi_scores_are_those_of_the_library() -> None:
    scores = BM25Okapi(OKAPI_TOKENS, k1=1.5, b=0.75, epsilon=0.25).get_scores(
        ["caroline", "sunset"]
    )
    index = RankBm25Lexical(k1=1.5, b=0.75, epsilon=0.25)
    index.add(OKAPI_TEXTS)
    hits = index.search("Caroline? Sunset!", 10)
    assert {at for at, _ in hits} == {0, 2, 3}
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
    for at, score in hits:
        assert score == pytest.approx(scores[at], abs=6e-7)


def test_characters_of_a_script_without_spaces_are_terms_of_texts_and_queries() -> None:
    texts = ("我昨天搬到了上海。", "Ann 养了一只 parrot", "ฉันอยู่ที่กรุงเทพ")
    characters = _characters_of(texts)
    for query, expected in (("谁在上海", [0]), ("parrots", [1]), ("กรุงเทพ", [2])):
        assert [place for place, _ in characters.search(query, 3)] == expected
    assert index_of(texts).search("谁在上海", 3) == []
    assert index_of(TEXTS).search("sunset", 4) == _characters_of(TEXTS).search("sunset", 4)


def _characters_of(texts: Sequence[str]) -> Bm25sLexical:
    index = Bm25sLexical(k1=K1, b=B, method="lucene", characters=True)
    index.add(texts)
    return index
