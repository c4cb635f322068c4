import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from remem.benchmarks.tot.loader import ToTSemantic
from remem.protocols import DataFile
from remem.types import Episode, Gold, History, Message, Query, Question

A = "E1 was the R3 of E2 from 1990 to 1995."
B = "E2 was the R3 of E2 from 1990 to 1990."
C = "E10 was the R3 of E2 from 1996 to 1999."
ORDERS = [(A, B, C), (C, B, A), (B, A, C), (C, A, B), (B, C, A)]
ASKED = "Which entity was the R3 of E2 in 1992?"
DATASETS = Path(__file__).parents[4] / "datasets"
FILES = (DataFile("made by hand", "0" * 64),)


def a_prompt(facts, question=ASKED):
    return (
        "Here is a set of temporal facts:\n"
        + "\n".join(facts)
        + "\n\nAnswer the following question from the facts. Output JSON only.\nQuestion:\n"
        + question
    )


def a_record(facts=ORDERS[0], question=ASKED, **changes):
    return {
        "graph_gen_algorithm": "er",
        "prompt": a_prompt(facts, question),
        "question": question,
        "question_type": "event_at_time_t",
        "sorting_type": "shuffle",
        "label": "E1",
    } | changes


def build(records, subset=None, subset_seed=0):
    return ToTSemantic.from_json(
        records, name="x.json", files=FILES, subset=subset, subset_seed=subset_seed
    )


def test_the_facts_of_a_prompt_become_one_history_in_sorted_order():
    lines = sorted([A, B, C])
    assert lines == [A, C, B]  # "E1 " before "E10" before "E2"
    digest = hashlib.sha256(f"{A}\n{C}\n{B}".encode()).hexdigest()
    texts = {"f0001": A, "f0002": C, "f0003": B}
    episodes = (Episode(name, (Message(name, "", text),)) for name, text in texts.items())
    assert build([a_record()]).histories() == (History(f"tot-{digest[:12]}", tuple(episodes)),)


def test_five_orders_of_one_question_share_a_history_and_keep_their_order():
    benchmark = build([a_record(facts) for facts in ORDERS])
    (history,) = benchmark.histories()
    queries = [question.query for question in benchmark.questions(history.id)]
    assert [query.order for query in queries] == [
        ("f0001", "f0003", "f0002"),
        ("f0002", "f0003", "f0001"),
        ("f0003", "f0001", "f0002"),
        ("f0002", "f0001", "f0003"),
        ("f0003", "f0002", "f0001"),
    ]
    assert [query.index for query in queries] == [0, 1, 2, 3, 4]
    assert [query.prompt for query in queries] == [a_prompt(facts) for facts in ORDERS]


def test_a_query_is_keyed_by_the_place_of_its_record_and_its_place_in_the_history():
    other = a_record((A, B), label="E2", question_type="first_last")
    benchmark = build([a_record(), other, a_record(ORDERS[1])])
    first, second = benchmark.histories()
    assert [q.query.id for q in benchmark.questions(first.id)] == ["tot-0", "tot-2"]
    assert benchmark.questions(second.id) == (
        Question(
            Query("tot-1", second.id, 0, ASKED, a_prompt((A, B)), ("f0001", "f0002")),
            Gold(("E2",), "first_last", group=second.id),
        ),
    )


def test_a_question_that_reads_like_a_fact_is_not_taken_for_one():
    question = "When E1 was the R3 of E2 from 1990 to 1995.\nE1 was the R3 of whom?"
    benchmark = build([a_record(question=question)])
    (history,) = benchmark.histories()
    assert len(history.episodes) == 3
    assert benchmark.questions(history.id)[0].query.text == question


def test_a_trailing_newline_changes_nothing():
    plain, padded = build([a_record()]), build([a_record(prompt=a_prompt(ORDERS[0]) + "\n")])
    assert plain.histories() == padded.histories()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": a_prompt([A, B, A])}, "'E1 was .*' occurs twice in the facts of record 1 "),
        ({"prompt": a_prompt([A, "Hello."])}, "record 1 of x.json has the line 'Hello.'"),
        ({"prompt": a_prompt([A, f"{B} {C}"])}, "record 1 of x.json has the line 'E2 was"),
        ({"prompt": "Hello."}, "record 1 of x.json has a prompt that does not consist of facts"),
        ({"prompt": a_prompt([])}, "has no episodes"),
        ({"prompt": None}, "'prompt' of record 1 of x.json is NoneType, expected str"),
        (
            {"prompt": a_prompt([A], "Who?")},
            r"the prompt of record 1 of x.json asks 'Who\?', expected 'Which entity",
        ),
        (
            {"label": None},
            "record 1 of x.json has the answer None, expected a text or a finite number",
        ),
    ],
)
def test_a_record_of_another_shape_is_refused_with_its_number(changes, message):
    with pytest.raises(ValueError, match=message):
        build([a_record(), a_record((B, C)) | changes])


def test_the_file_is_a_list_of_objects():
    with pytest.raises(ValueError, match=r"x\.json is dict, expected list"):
        build({})
    with pytest.raises(ValueError, match=r"record 0 of x\.json is str, expected a JSON object"):
        build(["hello"])


def test_a_subset_asks_equally_many_of_each_type_and_drops_the_other_graphs():
    facts = [f"E1 was the R3 of E2 from 19{n} to 1999." for n in range(10, 30)]
    types = ["first_last"] * 15 + ["timeline"] * 5
    records = [
        a_record([fact], question_type=question_type)
        for fact, question_type in zip(facts, types, strict=True)
    ]
    benchmark = build(records, subset=6, subset_seed=3)
    asked = {h.id: benchmark.questions(h.id) for h in benchmark.histories()}
    assert [len(questions) for questions in asked.values()] == [1] * 6
    questions = [question for (question,) in asked.values()]
    assert Counter(q.gold.category for q in questions) == {"first_last": 3, "timeline": 3}
    whole = build(records)
    everything = {q for h in whole.histories() for q in whole.questions(h.id)}
    assert set(questions) < everything
    assert [file.name for file in benchmark.files()] == [
        "made by hand (subset of 6, seed 3: not the paper's sample)"
    ]
    assert build(records).files() == FILES


@pytest.mark.real_data
def test_the_excerpt_has_the_counts_beside_the_data_set(real_data):
    file = "excerpt_tot_semantic_sampled_100.json"
    benchmark = ToTSemantic(data=str(real_data), file=file, subset=None, subset_seed=0)
    questions = [q for h in benchmark.histories() for q in benchmark.questions(h.id)]
    assert [(q.query.id, q.gold.answers) for q in questions] == [
        ("tot-0", ("E19",)),
        ("tot-1", ("1985",)),
        ("tot-2", ("E76",)),
    ]
    assert [len(history.episodes) for history in benchmark.histories()] == [38, 45, 96]
    expected = json.loads((DATASETS / "test_of_time/counts.json").read_text())[file]
    assert expected == {
        "origin": "counted",
        "histories": len(benchmark.histories()),
        "episodes": sum(len(history.episodes) for history in benchmark.histories()),
        "messages": sum(len(list(history.messages())) for history in benchmark.histories()),
        "questions": len(questions),
        "categories": Counter(question.gold.category for question in questions),
    }
