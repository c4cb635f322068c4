"""bm25s behind the protocol: its scores against the formula, its tokens, its corner cases."""

import logging
from collections.abc import Sequence
from math import log

import pytest

from remem.index.bm25_lexical import Bm25sLexical

K1, B = 1.5, 0.75
TEXTS = (
    "Caroline paints a sunset sunset",
    "Melanie runs a charity race",
    "Caroline runs for charity",
    "sunset",
)
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
        ("charity runs", ["chariti", "run"]),
        ("sunset, sunset and Caroline", ["sunset", "sunset", "carolin"]),
    ],
)
def test_scores_follow_the_lucene_formula(query: str, terms: list[str]) -> None:
    scores = {at: lucene_score(terms, stems) for at, stems in enumerate(STEMS)}
    expected = sorted((at for at in scores if scores[at]), key=lambda at: (-scores[at], at))
    hits = index_of(TEXTS).search(query, 10)
    assert [at for at, _ in hits] == expected
    assert [score for _, score in hits] == pytest.approx([scores[at] for at in expected], abs=6e-7)


def test_scores_are_rounded_to_six_decimals() -> None:
    for _, score in index_of(TEXTS).search("Caroline runs", 10):
        assert score == round(score, 6)


@pytest.mark.parametrize("query", ["", "?!", "a I of the", "unheard", "x"])
def test_a_query_without_a_known_term_finds_nothing(query: str) -> None:
    assert index_of(TEXTS).search(query, 10) == []


@pytest.mark.parametrize("texts", [[], [""], ["?!", "a", "of the"]])
def test_an_index_without_a_term_finds_nothing(texts: list[str]) -> None:
    assert index_of(texts).search("sunset", 10) == []


def test_an_entry_without_terms_among_others_is_never_found() -> None:
    assert [at for at, _ in index_of(["", "sunset", "?!"]).search("sunset", 10)] == [1]


def test_ids_and_the_parts_of_a_date_are_terms() -> None:
    index = index_of(["E57 was the R11 of E5", "on 2022-03-20"])
    assert [at for at, _ in index.search("E57", 10)] == [0]
    assert index.search("E571", 10) == []
    assert [at for at, _ in index.search("2022", 10)] == [1]


def test_the_index_is_built_again_after_an_add() -> None:
    index = index_of(TEXTS[:2])
    before = index.search("charity", 10)
    index.add(TEXTS[2:])
    after = index.search("charity", 10)
    assert [at for at, _ in before] == [1]
    assert after == index_of(TEXTS).search("charity", 10)
    assert len(after) == 2


def test_a_term_of_every_entry_is_shared_even_where_its_weight_is_zero() -> None:
    index = index_of(["sunset one", "sunset two"], method="robertson")
    assert index.search("sunset", 10) == [(0, 0.0), (1, 0.0)]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown BM25 method 'okapi', expected one of"):
        Bm25sLexical(k1=K1, b=B, method="okapi")


def test_building_prints_and_logs_nothing(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        index_of(TEXTS).search("sunset", 1)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
