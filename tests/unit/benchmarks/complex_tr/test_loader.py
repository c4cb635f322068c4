import json
import logging
from collections import Counter
from pathlib import Path

import pytest

from remem.benchmarks.complex_tr.loader import ComplexTR
from remem.types import Episode, Gold, History, Message, Query, Question

DATASETS = Path(__file__).parents[4] / "datasets"
A = "Ána Velt studied at École du Nord  (Kres) from January 1990 to May 1994."
B = "Ána Velt worked for Kres, Holm and Sons from May 1994 to May 2023."
C = "Zoë Arv was the chair of FC Kres from June 2001 to June 2001."
CORPUS = [C, A, B]  # "Z" comes before "Á" in code-point order
ASKED = "Where was Ána Velt educated in May 1991?"


def a_record(**changes):
    return {
        "id": "L2_Q7_P69_0",
        "question": ASKED,
        "answers": ["École du Nord  (Kres)"],
        "fact_context": f"{B} \n {A}",
    } | changes


@pytest.fixture
def load(tmp_path):
    def load_files(records, corpus=CORPUS):
        (tmp_path / "complex_tr").mkdir()
        (tmp_path / "complex_tr/q.json").write_text(json.dumps(records))
        (tmp_path / "complex_tr/c.json").write_text(json.dumps(sorted(corpus)))
        return ComplexTR(
            data=str(tmp_path), questions="q.json", corpus="c.json", answer_separator="semicolons"
        )

    return load_files


def questions_of(benchmark):
    return benchmark.questions("complex-tr")


def test_every_fact_of_the_corpus_is_an_episode_of_one_history_in_code_point_order(load):
    texts = {"s0001": C, "s0002": A, "s0003": B}
    episodes = (Episode(name, (Message(name, "", text),)) for name, text in texts.items())
    assert load([a_record()]).histories() == (History("complex-tr", tuple(episodes)),)


def test_a_record_becomes_a_query_and_a_gold_with_its_own_facts_as_evidence(load):
    query = Query("L2_Q7_P69_0", "complex-tr", 0, ASKED)
    answers = ("École du Nord  (Kres)",)
    told = {"evidence": ("s0003", "s0002"), "group": "Q7", "separator": "semicolons"}
    gold = Gold(answers, "time_to_event", items=answers, **told)
    assert questions_of(load([a_record()])) == (Question(query, gold),)


@pytest.mark.parametrize(
    ("record_id", "category"),
    [("L2M_Q7_P69_12", "time_to_event"), ("L3H_Q7_P1_P1_0", "event_to_event")],
)
def test_the_category_is_that_of_the_level_with_which_the_id_begins(load, record_id, category):
    [question] = questions_of(load([a_record(id=record_id)]))
    assert question.gold.category == category
    assert question.query.id == record_id


def test_both_separators_blank_lines_and_repeated_facts_give_the_same_evidence(load):
    contexts = [f"{B} \n {A}", f"{B} \n{A}", f" {B}\n\n{A} \n {B} \n "]
    questions = questions_of(load([a_record(fact_context=context) for context in contexts]))
    assert [q.gold.evidence for q in questions] == [("s0003", "s0002")] * 3


def test_a_repeated_id_is_numbered(load):
    questions = questions_of(load([a_record(), a_record(id="L3M_Q7_P69_1"), a_record()]))
    assert [(q.query.id, q.query.index) for q in questions] == [
        ("L2_Q7_P69_0", 0),
        ("L3M_Q7_P69_1", 1),
        ("L2_Q7_P69_0#2", 2),
    ]


def test_a_fact_that_the_corpus_lacks_is_an_error_with_its_question(load):
    with pytest.raises(ValueError, match=r"L2_Q7_P69_0 states 'Ána .* which is not in .*c\.json"):
        load([a_record()], corpus=[A, C])


def test_facts_of_no_question_are_kept_and_reported(load, caplog):
    with caplog.at_level(logging.WARNING):
        benchmark = load([a_record()])
    assert len(benchmark.histories()[0].episodes) == 3
    assert [record.getMessage() for record in caplog.records] == [
        f"complex_tr/c.json: facts without a question: 1 (first: {C!r})"
    ]


@pytest.mark.parametrize("corpus", [[B, A], [A, A, B], [f"{A} ", B], ["", A, B]])
def test_a_corpus_that_is_no_sorted_set_is_read_as_one_and_reported(tmp_path, caplog, corpus):
    (tmp_path / "complex_tr").mkdir()
    (tmp_path / "complex_tr/q.json").write_text(json.dumps([a_record()]))
    (tmp_path / "complex_tr/c.json").write_text(json.dumps(corpus))
    with caplog.at_level(logging.WARNING):
        benchmark = ComplexTR(
            data=str(tmp_path), questions="q.json", corpus="c.json", answer_separator="semicolons"
        )
    assert [message.text for message in benchmark.histories()[0].messages()] == [A, B]
    assert [record.getMessage() for record in caplog.records] == [
        "complex_tr/c.json has lines that are unsorted, repeated or padded with spaces; remem "
        "corrects this"
    ]


def test_a_corpus_of_just_the_stated_facts_is_not_worth_a_word(load, caplog):
    with caplog.at_level(logging.WARNING):
        load([a_record()], corpus=[A, B])
    assert not caplog.records


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "Q7_P69_0"}, "record 1 of .*q.json has the id 'Q7_P69_0', expected the form"),
        ({"id": 7}, "'id' of record 1 of .*q.json is int, expected str"),
        (
            {"answers": []},
            r"L2_Q7_P69_0 \(record 1 .*\) has the answers \[\], expected one or more",
        ),
        ({"answers": ["X", " "]}, r"has the answers \['X', ' '\]"),
        ({"fact_context": [A]}, "'fact_context' of L2_Q7_P69_0 .* is list, expected str"),
        ({"question": None}, "'question' of L2_Q7_P69_0 .* is NoneType, expected str"),
    ],
)
def test_a_record_of_another_shape_is_refused_with_its_place(load, changes, message):
    with pytest.raises(ValueError, match=message):
        load([a_record(), a_record(**changes)])


def test_the_files_are_lists(load):
    with pytest.raises(ValueError, match=r"q\.json is dict, expected list"):
        load({})


def test_a_line_of_the_corpus_is_a_text(load):
    with pytest.raises(ValueError, match=r"a line of complex_tr/c\.json is int, expected str"):
        load([a_record()], corpus=[1, 2])


@pytest.mark.real_data
def test_the_excerpt_has_the_counts_beside_the_data_set(real_data, caplog):
    with caplog.at_level(logging.WARNING):
        benchmark = ComplexTR(
            data=str(real_data),
            questions="excerpt_complex_tr_1000.json",
            corpus="excerpt_corpus.json",
            answer_separator="semicolons",
        )
    assert not caplog.records
    [history] = benchmark.histories()
    questions = benchmark.questions(history.id)
    counted = json.loads((DATASETS / "complex_tr/counts.json").read_text())["excerpt_*.json"]
    assert counted == {
        "origin": "counted",
        "histories": 1,
        "episodes": len(history.episodes),
        "messages": len(list(history.messages())),
        "questions": len(questions),
        "categories": Counter(question.gold.category for question in questions),
    }
    assert (counted["questions"], counted["messages"]) == (19, 128)
    assert questions[1].gold.answers == ("Toronto Public Health; BC Centre for Disease Control",)
    assert Counter(q.query.id.split("_")[0] for q in questions) == {
        "L2": 4,
        "L2M": 4,
        "L2H": 2,
        "L3": 4,
        "L3M": 3,
        "L3H": 2,
    }
    henry = [q.gold.evidence for q in questions if q.gold.group == "Q87761491"]
    assert len(henry) == len(set(henry)) == 3  # three orders
    assert len({frozenset(evidence) for evidence in henry}) == 1  # of the same facts
