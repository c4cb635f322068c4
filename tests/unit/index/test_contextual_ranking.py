"""The text around an item raises its score by the stated weights."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remem.index.bm25_lexical import Bm25sLexical
from remem.index.contextual_ranking import ContextualRanking, PlacedItem, Weights

NOTHING = {
    "neighbours": 0.0,
    "reach": 0,
    "reply": 0.0,
    "session": 0.0,
    "speaker": 0.0,
    "semantic": 0.0,
}
CHAT = (
    PlacedItem("s1", "Ann: I sold the boat."),
    PlacedItem("s1", "Bob: Who bought it?"),
    PlacedItem("s1", "Ann: My cousin."),
    PlacedItem("s2", "[8 May 2023] Bob: The weather is fine."),
)


def bm25():
    return Bm25sLexical(k1=1.5, b=0.75, method="lucene")


def ranking(items=CHAT, **weights):
    made = ContextualRanking(weights=Weights(**(NOTHING | weights)), lexical=bm25)
    made.add(items)
    return made


def test_without_context_an_item_has_its_share_of_the_best_score():
    found = ranking().scores("boat", lexical=[(0, 4.0), (2, 1.0)])
    assert found.tolist() == [1.0, 0.0, 0.25, 0.0]


def test_neighbours_count_by_their_distance_within_the_session():
    found = ranking(neighbours=0.5, reach=2).scores("boat", lexical=[(0, 4.0)])
    assert found.tolist() == [1.0, 0.5, 0.25, 0.0]
    found = ranking(neighbours=0.5, reach=1).scores("boat", lexical=[(2, 4.0)])
    assert found.tolist() == [0.0, 0.5, 1.0, 0.0]  # the next item is of another session


def test_a_message_after_a_question_gets_more_of_the_question():
    found = ranking(neighbours=0.5, reach=1, reply=0.25).scores("bought", lexical=[(1, 2.0)])
    assert found.tolist() == [0.5, 1.0, 0.75, 0.0]
    found = ranking(reply=0.25).scores("boat", lexical=[(0, 2.0)])  # "I sold the boat."
    assert found.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_a_question_at_the_end_of_a_session_is_not_answered_by_the_next_session():
    chat = (CHAT[1], PlacedItem("s2", "Ann: My cousin."), PlacedItem("s2", "Bob: Really?"))
    found = ranking(chat, reply=0.25).scores("bought", lexical=[(0, 2.0)])
    assert found.tolist() == [1.0, 0.0, 0.0]


def test_all_items_of_a_session_share_its_score():
    found = ranking(session=0.5).scores("boat", lexical=[(0, 1.0)])
    assert found.tolist() == [1.5, 0.5, 0.5, 0.0]


def test_a_named_speaker_is_preferred_also_behind_a_date_but_not_one_of_two_named():
    found = ranking(speaker=0.25).scores("What did Bob say?", lexical=[])
    assert found.tolist() == [0.0, 0.25, 0.0, 0.25]

    found = ranking(speaker=0.25).scores("Do Ann and Bob sail?", lexical=[])
    assert found.tolist() == [0.0, 0.0, 0.0, 0.0]


def test_embeddings_are_added_with_their_weight_and_never_subtracted():
    found = ranking(semantic=0.5).scores(
        "boat", lexical=[(0, 2.0)], semantic=[(1, 0.8), (0, 0.4), (2, -0.8)]
    )
    assert found.tolist() == [1.25, 0.5, 0.0, 0.0]


def test_items_without_a_score_and_items_that_are_not_allowed_are_left_out():
    made = ranking(neighbours=0.5, reach=1)
    hits = made.rank("boat", 10, lexical=[(0, 4.0)], allowed=np.array([False, True, True, True]))
    assert hits == [(1, 0.5)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["boat", "moon", "sea"]))))
def test_items_that_are_added_one_by_one_have_the_scores_of_one_addition(chat):
    items = [PlacedItem(session, text) for session, text in chat]
    grown = ranking((), session=0.5)
    for item in items:
        grown.add([item])
        assert len(grown.scores("boat", lexical=[]))  # searched in between
    whole = ranking(items, session=0.5).scores("boat moon", lexical=[])
    assert grown.scores("boat moon", lexical=[]).tolist() == whole.tolist()


@given(
    chat=st.lists(
        st.builds(PlacedItem, st.sampled_from(["s1", "s2"]), st.text("ab ?:[]1", max_size=12)),
        max_size=8,
    ),
    query=st.text("ab ?1", max_size=8),
    data=st.data(),
)
def test_context_only_adds_and_keeps_scores_finite(chat, query, data):
    scores = data.draw(st.lists(st.floats(0, 100), min_size=len(chat), max_size=len(chat)))
    hits = list(enumerate(scores))
    alone = ranking(chat).scores(query, hits)
    around = ranking(chat, neighbours=0.4, reach=3, reply=0.4, session=0.6, speaker=0.3).scores(
        query, hits
    )
    assert np.isfinite(around).all()
    assert (around >= alone).all()


def test_at_most_top_k_items_are_returned():
    hits = ranking(session=1.0).rank("boat cousin", 2, lexical=[(0, 1.0)])
    assert (len(hits), hits[0][0]) == (2, 0)
    assert ranking(()).rank("boat", 10, lexical=[]) == []
