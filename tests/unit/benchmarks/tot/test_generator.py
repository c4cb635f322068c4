"""The generated Test of Time: schema, statistics, wordings, and labels against a second solver."""

import json
import re
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from remem.benchmarks.tot.generator import GeneratedToT, generate_tot

FACT = re.compile(r"(E\d+) was the (R\d+) of (E\d+) from (\d+) to (\d+)\.")

# Test of Time paper, average nodes and facts per graph family.
AVERAGES = {
    "ba": (17.41, 144.07),
    "complete": (17.25, 619.86),
    "er": (16.18, 316.40),
    "sbm": (17.51, 368.15),
    "sfn": (17.52, 53.46),
    "star": (16.16, 34.12),
    "wikidata_anonymized": (18.99, 25.41),
}
ALL_AVERAGES = (17.29, 223.07)

WORDINGS = """\
Which entity was the R of E in Y?
In Y, E was the R of which entity?
Find the entity that evidently was the R of E in year Y.
E was the R of which one of the entities in Y?
At what time did E start|stop being the R of E?
At what time did the entity E start|stop being the R of E?
Find the number of unique entities that were the R of E between Y to Y. Relations that ended in Y \
or started in Y must be counted as well.
Between Y to Y, how many unique entities where the R of E? Relations that ended in Y or started in \
Y should also be counted.
How many unique entities were the R of E between Y to Y? Note: relations that ended in Y or \
started in Y must be counted as well.
Which entity was the R of E immediately before|after E?
Which entity was the R of the entity E immediately before|after E?
Find the entity that was the R of E immediately before|after E was the R of E.
Immediately before|after E, which entity was the R of E?
At the start time of E being the R of E, which entity was the R of E?
E was the R of which entity at the time when E started being the R of E?
When E started being the R of E, which entity was the R of E?
Identify the entity that was the first|last R of entity E.
Which entity has been the first|last R of E?
Which entity was the first|last that was the R of E?
For how many years did it last when E was the R of E for the N time? The duration can be computed \
by subtracting the start time from the end time.
The N time it happened, for how many years was E the R of E?
Which entities were the R of E? Provide a comma-separated list sorted by start|end time from \
lowest to highest.
Give me a comma-separated list of all entities that were the R of E in the order of start|end time \
from lowest to highest.
Find all entities that were the R of E and list them separated by commas. Sort by start|end time \
ascending.
""".splitlines()


@pytest.fixture(scope="module")
def records():
    return generate_tot(seed=7, graphs_per_cell=5)


@pytest.fixture(scope="module")
def graphs(records):
    """The 280 base questions: the first of each five records, with its facts as tuples."""
    return [(record, facts_of(record)) for record in records[::5]]


@pytest.fixture(scope="module")
def few_records():
    return generate_tot(seed=3, graphs_per_cell=1)


@pytest.fixture(scope="module")
def few_loaded():
    return GeneratedToT(seed=3, graphs_per_cell=1, subset=None, subset_seed=0)


def lines_of(record):
    opening, *lines = record["prompt"].split("\n\n")[0].split("\n")
    assert opening == "Here is a set of temporal facts:"
    return lines


def facts_of(record):
    found = [FACT.fullmatch(line).groups() for line in lines_of(record)]
    return [(who, what, whom, int(start), int(end)) for who, what, whom, start, end in found]


def test_every_record_has_the_six_string_fields_of_the_real_file(records):
    fields = ["graph_gen_algorithm", "prompt", "question", "question_type", "sorting_type", "label"]
    assert all(list(record) == fields for record in records)
    assert all(isinstance(value, str) and value for record in records for value in record.values())


def test_a_prompt_is_facts_an_empty_line_one_instruction_line_and_the_question(records):
    for record in records:
        facts, rest = record["prompt"].split("\n\n")
        instruction, heading, question = rest.split("\n")
        assert facts.startswith("Here is a set of temporal facts:\nE")
        assert instruction.startswith("Answer the following question")
        assert (heading, question) == ("Question:", record["question"])


@pytest.mark.real_data
def test_the_real_records_have_the_same_shape_and_their_labels_follow(
    real_data, records, tot_brute_force
):
    for path in sorted((real_data / "test_of_time").glob("*.json")):
        for real in json.loads(path.read_text(encoding="utf-8")):
            assert set(real) == set(records[0])
            facts, rest = real["prompt"].split("\n\n")
            assert facts.startswith("Here is a set of temporal facts:\nE")
            assert re.fullmatch(r"Answer the following question.*\nQuestion:\n.*", rest)
            assert real["graph_gen_algorithm"] in AVERAGES
            assert tot_brute_force.solve(real["question"], lines_of(real)) == real["label"]


def test_1400_records_are_7_families_by_8_types_by_5_questions_by_5_orders(records):
    cells = Counter(
        (record["graph_gen_algorithm"], record["question_type"], record["sorting_type"])
        for record in records
    )
    assert len(records) == 1400
    assert len(cells) == 7 * 8 * 5
    assert set(cells.values()) == {5}


def test_280_distinct_fact_sets_have_one_question_and_one_label_in_five_orders(records):
    asked = defaultdict(set)
    orders = defaultdict(list)
    for record in records:
        facts = tuple(sorted(lines_of(record)))
        assert len(set(facts)) == len(facts)
        asked[facts].add((record["question"], record["label"]))
        orders[facts].append(record["sorting_type"])
    assert len(asked) == 280
    assert all(len(questions) == 1 for questions in asked.values())
    assert all(len(set(types)) == len(types) == 5 for types in orders.values())


def test_every_label_equals_the_answer_of_the_second_solver(records, tot_brute_force):
    for record in records:
        answer = tot_brute_force.solve(record["question"], lines_of(record))
        assert answer == record["label"], record["question"]


def test_average_nodes_and_facts_are_within_ten_percent_of_the_published_ones(graphs):
    sizes = defaultdict(list)
    for record, facts in graphs:
        nodes = {entity for fact in facts for entity in (fact[0], fact[2])}
        sizes[record["graph_gen_algorithm"]].append((len(nodes), len(facts)))
    sizes["all"] = [size for drawn in list(sizes.values()) for size in drawn]
    for family, expected in [*AVERAGES.items(), ("all", ALL_AVERAGES)]:
        for column, published in enumerate(expected):
            average = sum(size[column] for size in sizes[family]) / len(sizes[family])
            assert average == pytest.approx(published, rel=0.1), (family, column)


def test_every_wording_occurs_and_no_other(graphs):
    asked = set()
    for record, _ in graphs:
        plain = re.sub(r"\b([ER])\d+", r"\1", record["question"])
        plain = re.sub(r"\b\d(st|nd|rd|th)\b", "N", plain)
        asked.add(re.sub(r"\b\d{4}\b", "Y", plain))
    one, other = (
        {re.sub(r"(\w+)\|(\w+)", rf"\{side}", wording) for wording in WORDINGS} for side in (1, 2)
    )
    assert asked == one | other


def test_ordinals_run_to_the_4th_at_most(graphs):
    asked = " ".join(record["question"] for record, _ in graphs)
    ordinals = set(re.findall(r"\d+(?:st|nd|rd|th)", asked))
    assert {"1st", "2nd", "3rd"} <= ordinals <= {"1st", "2nd", "3rd", "4th"}


def test_labels_have_the_form_of_their_question_type(graphs):
    entity, number, year = r"E\d+", r"\d+", r"\d{4}"
    forms = {
        "event_at_time_t": entity,
        "event_at_what_time": year,
        "number_of_events_in_time_interval": number,
        "before_after": entity,
        "event_at_the_time_of_another_event": entity,
        "first_last": entity,
        "relation_duration": number,
        "timeline": rf"{entity}(,{entity})+",
    }
    assert all(re.fullmatch(forms[r["question_type"]], r["label"]) for r, _ in graphs)
    counts = {r["label"] for r, _ in graphs if r["question_type"].startswith("number_of_events")}
    assert {"0", "1", "2"} <= counts


def test_sorted_orders_follow_one_internal_index_shared_by_all_graphs(records):
    columns = {
        "relation_and_start_time": (1, 3),
        "start_time_and_relation": (3, 1),
        "start_time_and_target": (3, 2),
        "target_and_start_time": (2, 3),
    }
    above = set()
    for record in records:
        facts = facts_of(record)
        if record["sorting_type"] == "shuffle":
            continue
        first, second = columns[record["sorting_type"]]
        for one, other in pairwise(facts):
            column = first if one[first] != other[first] else second
            if column == 3:
                assert one[3] <= other[3]
            elif one[column] != other[column]:
                above.add((one[column], other[column]))
    assert not {(b, a) for a, b in above} & above
    assert any(int(a[1:]) > int(b[1:]) for a, b in above)


def test_labels_that_begin_like_others_meet_in_one_graph(graphs):
    def confused(labels):
        return any(a != b and b.startswith(a) for a in labels for b in labels)

    assert any(confused({fact[0] for fact in facts}) for _, facts in graphs)
    assert any(confused({fact[1] for fact in facts}) for _, facts in graphs)


def test_the_benchmark_asks_each_graph_five_times_with_the_facts_in_the_order_of_the_prompt(
    few_records, few_loaded
):
    generated = iter(few_records)
    assert len(few_loaded.histories()) == 56
    for history in few_loaded.histories():
        texts = {message.id: message.text for message in history.messages()}
        questions = few_loaded.questions(history.id)
        assert len(questions) == 5
        for question in questions:
            record = next(generated)
            assert question.query.text == record["question"]
            assert question.query.prompt == record["prompt"]
            assert [texts[i] for i in question.query.order] == lines_of(record)
            assert question.gold.answers == (record["label"],)
            assert question.gold.category == record["question_type"]


def test_a_subset_is_a_part_of_the_whole_and_named_so(few_loaded):
    part = GeneratedToT(seed=3, graphs_per_cell=1, subset=16, subset_seed=1)
    asked = [q for history in part.histories() for q in part.questions(history.id)]
    assert set(Counter(question.gold.category for question in asked).values()) == {2}
    everything = {q.query.id for h in few_loaded.histories() for q in few_loaded.questions(h.id)}
    assert {question.query.id for question in asked} < everything
    [whole_file], [part_file] = few_loaded.files(), part.files()
    assert part_file.sha256 == whole_file.sha256
    assert part_file.name == (
        "generated_tot(seed=3, graphs_per_cell=1) (subset of 16, seed 1: not the paper's sample)"
    )


@pytest.mark.parametrize(("seed", "graphs_per_cell"), [(-1, 10), (7, 0)])
def test_a_negative_seed_or_no_graphs_is_refused(seed, graphs_per_cell):
    with pytest.raises(ValueError, match="seed >= 0 and graphs_per_cell >= 1"):
        GeneratedToT(seed=seed, graphs_per_cell=graphs_per_cell, subset=None, subset_seed=0)
