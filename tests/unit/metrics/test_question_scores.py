"""The scores of one record, checked on records worked out by hand."""

from dataclasses import replace

import pytest

from remem.metrics.question_scores import question_scores
from remem.results.conventions import score_sets
from remem.types import Gold, Record, Retrieved

(PAPER,) = score_sets(["paper,bootstrap_unit=questions,resamples=199"]).values()
PHRASE = "no information available"
RECORD = Record(
    query_id="q0",
    history_id="h",
    index=0,
    question="?",
    gold=Gold(("red car",), "4", evidence=("D1:1", "D2:1")),
    status="ok",
    answer="red car",
    retrieved=(Retrieved("g1", ("D3:1",)), Retrieved("g2", ("D2:1", "D2:2"))),
    context_tokens=500,
)
UNANSWERABLE = replace(RECORD, gold=Gold((PHRASE,), "5", answerable=False))
ANSWERED_NO = replace(RECORD, gold=Gold(("No",), "5", answerable=False))
LIST = replace(
    RECORD,
    answer="Rome; Bern",
    gold=Gold(("Bern; Rome",), "L2", items=("Bern", "Rome"), separator="semicolons"),
)


def scores_of(record, **changes):
    return question_scores(record, replace(PAPER, **changes))


def test_a_question_gets_all_its_scores():
    scores = scores_of(RECORD)
    assert (scores.query_id, scores.category, scores.cluster) == ("q0", "4", "h/q0")
    assert (scores.refused, scores.unanswerable) == (False, False)
    of_answers = ("f1", "bleu1", "em", "tot_em", "set_match", "set_accuracy", "answer_f1")
    for name in (*of_answers, "first_item_em", "first_item_f1", "hit_at_10"):
        assert scores.value(name) == 1.0, name
    for name in ("recall_at_10", "mrr_at_10", "session_recall"):
        assert scores.value(name) == 0.5, name
    assert scores.value("ndcg_at_10") == pytest.approx(0.6309 / 1.6309, abs=1e-4)
    assert scores.value("context_tokens") == 500
    assert scores.value("recall_per_1000_tokens") == pytest.approx(1.0)


def test_characters_are_words_in_scripts_without_spaces():
    (characters,) = score_sets(["characters,bootstrap_unit=questions,resamples=199"]).values()
    chinese = replace(RECORD, answer="她在上海。", gold=Gold(("上海。",), "4"))
    scores = question_scores(chinese, characters)
    assert scores.value("f1") == pytest.approx(2 * 2 / (4 + 2))
    assert scores.value("bleu1") == pytest.approx(3 / 5)  # with the full stop, a token of BLEU
    assert scores.value("em") == 0
    same = question_scores(replace(chinese, answer="“上海”"), characters)
    assert (same.value("f1"), same.value("em")) == (1.0, 1.0)
    assert scores_of(chinese).value("f1") == 0
    for answer in ("the Red-car!", "a blue car", ""):
        english = replace(RECORD, answer=answer)
        ours, paper = question_scores(english, characters), scores_of(english)
        assert [ours.value(name) for name in ("f1", "bleu1", "em")] == [
            paper.value(name) for name in ("f1", "bleu1", "em")
        ]


def test_only_a_named_set_scores_characters():
    assert list(score_sets([])) == ["paper", "reference", "strict"]


def test_the_first_ten_messages_are_counted_across_items_and_inside_them():
    pairs = tuple(Retrieved(f"p{at}", (f"D9:{2 * at}", f"D9:{2 * at + 1}")) for at in range(4))
    again = Retrieved("fact", ("D9:0",))
    last = Retrieved("g", ("D8:1", "D1:1", "D2:1"))
    found = scores_of(replace(RECORD, retrieved=(*pairs, again, last)))
    assert (found.value("message_recall_at_10"), found.value("recall_at_10")) == (0.5, 1.0)
    unranked = scores_of(replace(RECORD, retrieved=(*pairs, last), ranked=False))
    assert unranked.value("message_recall_at_10") is None


def test_only_the_first_ten_items_count_for_recall_but_all_for_that_of_sessions():
    filler = tuple(Retrieved(f"f{position}", ("D9:9",)) for position in range(9))
    gold = Retrieved("g", ("D1:1", "D2:1"))
    tenth = scores_of(replace(RECORD, retrieved=(*filler, gold)))
    late = scores_of(replace(RECORD, retrieved=(*filler, filler[0], gold)))
    assert (tenth.value("recall_at_10"), tenth.value("session_recall")) == (1.0, 1.0)
    assert (late.value("recall_at_10"), late.value("session_recall")) == (0.0, 1.0)
    assert [late.value(f"{name}_at_10") for name in ("hit", "mrr", "ndcg")] == [0.0] * 3
    assert late.value("recall_per_1000_tokens") == pytest.approx(2.0)


def test_an_empty_answer_to_an_unanswerable_question_is_a_refusal_with_f1_zero():
    scores = scores_of(replace(UNANSWERABLE, answer=""))
    assert scores.refused
    assert (scores.value("f1"), scores.value("bleu1"), scores.value("em")) == (0.0, 0.0, 0.0)


def test_the_phrase_scores_against_the_gold_phrase_as_any_answer_does():
    scores = scores_of(replace(UNANSWERABLE, answer="No information available."))
    assert scores.refused
    assert (scores.value("f1"), scores.value("em")) == (1.0, 1.0)
    assert scores.value("bleu1") == pytest.approx(2 / 4)  # "No" and "." differ


@pytest.mark.parametrize(
    ("rule", "f1"),
    [
        ("hipporag2", 2 / 5),  # red cars bus, red car: 1 shared word of 3 and 2
        ("locomo_official", 4 / 5),  # cars and car have one stem
        ("released_comma_cut", 1.0),  # and the bus is cut off
        ("mem0", 2 / 7),  # the red cars bus, a red car: 1 shared word of 4 and 3
    ],
)
def test_the_f1_rule_is_a_convention(rule, f1):
    answered = replace(RECORD, answer="the red cars, the bus", gold=Gold(("a red car",), "4"))
    assert scores_of(answered, f1=rule).value("f1") == pytest.approx(f1)


def test_bleu1_after_mem0_ignores_case():
    shouted = replace(RECORD, answer="Red Car")
    assert scores_of(shouted, bleu="evaluate").value("bleu1") == 0.0
    assert scores_of(shouted, bleu="mem0").value("bleu1") == 1.0


def test_a_list_in_another_order_is_an_exact_match_only_as_a_set():
    assert scores_of(LIST, multi_answer_gold="joined").value("em") == 0.0
    assert scores_of(LIST, multi_answer_gold="set").value("em") == 1.0
    assert (scores_of(LIST).value("f1"), scores_of(LIST).value("bleu1")) == (1.0, 1.0)


def test_an_answer_that_is_no_list_is_matched_as_text_under_either_convention():
    one_item = replace(
        RECORD,
        answer="the red; car",
        gold=Gold(("red; car",), "L2", items=("red; car",), separator="semicolons"),
    )
    assert scores_of(one_item, multi_answer_gold="set").value("em") == 1.0
    assert scores_of(one_item, multi_answer_gold="set").value("set_match") == 0.0


def test_the_best_label_counts_for_test_of_time():
    gold = Gold(("E1,E2", "E2,E1"), "timeline")
    assert scores_of(replace(RECORD, answer="E2, E1", gold=gold)).value("tot_em") == 1.0


def test_an_error_is_never_scored():
    with pytest.raises(ValueError, match="q0 failed"):
        scores_of(replace(RECORD, status="error"))


def test_a_question_without_gold_is_an_error():
    with pytest.raises(ValueError, match="q0 has no gold answer"):
        scores_of(replace(RECORD, gold=Gold((), "1")))
