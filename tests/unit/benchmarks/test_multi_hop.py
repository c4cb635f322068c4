import json
from collections import Counter

import pytest

from remem.benchmarks.multi_hop import MultiHop
from remem.types import Episode, Gold, History, Message, Query, Question

CORPUS = [
    {"title": "Kres", "text": "A town."},
    {"title": "Holm", "text": "A river."},
    {"title": "Kres", "text": "A ship."},
]


def a_question(**changes):
    asked = {"question": " Which river? ", "answer": "the Holm", "question_type": ""}
    return {"id": "musique_2hop__13_14", "source": "musique", "evidence": "", **asked} | changes


def paragraphs(*supporting, wrong=()):
    return [
        {
            "idx": number,
            "title": passage["title"],
            "paragraph_text": passage["text"] if number not in wrong else "?",
            "is_supporting": number in supporting,
        }
        for number, passage in enumerate(CORPUS)
    ]


@pytest.fixture
def load(tmp_path):
    def load_files(questions, corpus=CORPUS):
        (tmp_path / "some").mkdir()
        (tmp_path / "some/q.json").write_text(json.dumps(questions))
        (tmp_path / "some/c.json").write_text(json.dumps(corpus))
        return MultiHop(data=str(tmp_path), folder="some", questions="q.json", corpus="c.json")

    return load_files


def only(benchmark):
    [question] = benchmark.questions("some")
    return question


def test_every_passage_is_an_episode_of_one_history_in_the_order_of_the_corpus(load):
    texts = {"p00001": "Kres\nA town.", "p00002": "Holm\nA river.", "p00003": "Kres\nA ship."}
    episodes = (Episode(name, (Message(name, "", text),)) for name, text in texts.items())
    assert load([a_question()]).histories() == (History("some", tuple(episodes)),)


def test_a_question_without_paragraphs_has_one_answer_and_no_evidence(load):
    assert only(load([a_question()])) == Question(
        Query("musique_2hop__13_14", "some", 0, "Which river?"),
        Gold(("the Holm",), "two-hop", group="musique_2hop__13_14"),
    )


def test_aliases_are_answers_too_each_once(load):
    question = only(load([a_question(answer_aliases=["Holm", "the Holm", "Holm"])]))
    assert question.gold.answers == ("the Holm", "Holm")


def test_the_evidence_are_the_supporting_passages_found_by_title_and_text(load):
    record = a_question(paragraphs=paragraphs(2, 1) + paragraphs(2), answer_aliases=[])
    assert only(load([record])).gold.evidence == ("p00002", "p00003")


@pytest.mark.parametrize(
    ("query_id", "category"),
    [
        ("2hop__1_2", "two-hop"),
        ("3hop1__1_2_3", "three-hop"),
        ("4hop3__1_2_3_4", "four-hop"),
    ],
)
def test_the_hops_are_those_of_the_id(load, query_id, category):
    assert only(load([a_question(id=query_id)])).gold.category == category


def test_a_stated_question_type_is_the_category(load):
    assert only(load([a_question(id="83bf", question_type="comparison")])).gold.category == (
        "comparison"
    )


TITLED = [*CORPUS, {"title": "Sea (film)", "text": "1."}, {"title": "Ann (queen)", "text": "2."}]


@pytest.mark.parametrize(
    ("subjects", "evidence", "unresolved"),
    [
        (["Holm"], ("p00002",), ()),
        (["Holm", "Kres", "Holm"], ("p00002", "p00001", "p00003"), ()),  # two articles are Kres
        (['"SEA', "Ann"], ("p00004", "p00005"), ()),
        (["Holm", "Nowhere"], ("p00002",), ("Nowhere",)),
        (["kres"], (), ("kres",)),  # which of the two?
    ],
)
def test_evidence_triples_are_resolved_to_the_articles_on_their_subjects(
    load, subjects, evidence, unresolved
):
    triples = [[subject, "is", "a town"] for subject in subjects]
    gold = only(load([a_question(evidence=triples)], corpus=TITLED)).gold
    assert (gold.evidence, gold.unresolved) == (evidence, unresolved)


def test_paragraphs_say_more_than_triples(load):
    record = a_question(paragraphs=paragraphs(2), evidence=[["Holm", "is", "river"]])
    assert only(load([record])).gold.evidence == ("p00003",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"id": "5hop__1"},
            r"5hop__1 \(record 1 of some/q\.json\) has neither a question_type nor",
        ),
        ({"question_type": 2}, "the question type of .* is int, expected str"),
        ({"answer": None}, "has the answer None, expected a text or a finite number"),
        ({"answer_aliases": "x"}, "'answer_aliases' of .* is str, expected list"),
        ({"evidence": "x"}, "the evidence of .* is str, expected list"),
        ({"evidence": [["Kres", "is"]]}, r"has \['Kres', 'is'\] as evidence, expected \[subject"),
        (
            {"paragraphs": paragraphs(1, wrong=[1])},
            "by a paragraph 'Holm' that is not in the corpus",
        ),
        ({"paragraphs": [{"title": "Kres"}]}, "a paragraph of .* has no 'paragraph_text'"),
        (
            {"paragraphs": [paragraphs(0)[0] | {"is_supporting": 1}]},
            "'Kres' of .* has is_supporting 1, expected a bool",
        ),
    ],
)
def test_a_question_of_another_shape_is_refused_with_its_id(load, changes, message):
    with pytest.raises(ValueError, match=message):
        load([a_question(id="2hop__0"), a_question(**changes)])


def test_a_paragraph_that_supports_nothing_need_not_be_in_the_corpus(load):
    record = a_question(paragraphs=paragraphs(2, wrong=[0, 1]))
    assert only(load([record])).gold.evidence == ("p00003",)


def test_a_passage_that_stands_twice_is_refused(load):
    with pytest.raises(
        ValueError,
        match=r"passage 4 of some/c\.json and p00002 have the same text and the title 'Holm'",
    ):
        load([a_question()], corpus=[*CORPUS, CORPUS[1]])


def test_a_passage_has_a_title_and_a_text(load):
    with pytest.raises(ValueError, match=r"passage 1 of some/c\.json has no 'text'"):
        load([a_question()], corpus=[{"title": "Kres"}])


def test_both_files_are_named(load):
    assert [f.name for f in load([a_question()]).files()] == ["some/q.json", "some/c.json"]


@pytest.mark.real_data
def test_two_wiki_has_its_1000_questions_on_6119_passages(real_data):
    files = {"questions": "questions.json", "corpus": "2wikimultihopqa_corpus.json"}
    benchmark = MultiHop(data=str(real_data), folder="2wiki", **files)
    [history] = benchmark.histories()
    golds = [question.gold for question in benchmark.questions("2wiki")]
    assert (len(golds), len(history.episodes)) == (1000, 6119)
    assert Counter(gold.category for gold in golds) == {
        "compositional": 413,
        "comparison": 244,
        "bridge_comparison": 235,
        "inference": 108,
    }
    assert sum(gold.answers[0] in ("yes", "no") for gold in golds) == 110
    # Counted apart, by titles and by titles without "(...)": 864 whole, 125 in part, 11 not.
    told = Counter((bool(gold.evidence), bool(gold.unresolved)) for gold in golds)
    assert told == {(True, False): 864, (True, True): 125, (False, True): 11}


@pytest.mark.real_data
def test_musique_train_has_100_questions_with_evidence_on_1890_passages(real_data):
    files = {"questions": "musique_train.json", "corpus": "musique_train_corpus.json"}
    benchmark = MultiHop(data=str(real_data), folder="musique", **files)
    [history] = benchmark.histories()
    golds = [question.gold for question in benchmark.questions("musique")]
    assert (len(golds), len(history.episodes)) == (100, 1890)
    assert Counter((gold.category, len(gold.evidence)) for gold in golds) == {
        ("two-hop", 2): 68,
        ("three-hop", 3): 27,
        ("four-hop", 4): 5,
    }


@pytest.mark.real_data
def test_the_1000_questions_of_musique_are_518_two_316_three_and_166_four_hop(load, real_data):
    published = json.loads((real_data / "musique/questions.json").read_text())
    golds = [question.gold for question in load(published).questions("some")]
    assert Counter((gold.category, gold.evidence) for gold in golds) == {
        ("two-hop", ()): 518,
        ("three-hop", ()): 316,
        ("four-hop", ()): 166,
    }
