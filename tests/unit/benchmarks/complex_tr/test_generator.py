"""The generated Complex-TR: schema, statistics, quirks, and labels against a second solver."""

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml

from remem.benchmarks.complex_tr.generator import GeneratedComplexTR, generate_complex_tr

ROOT = Path(__file__).parents[4]
LEVELS = ("L2", "L2M", "L2H", "L3", "L3M", "L3H")
SMALL = {"seed": 3, "subjects": 20, "questions_per_level": 10}

WORDINGS = """\
Where was|were S educated
Which employer|employers did S work for
Which team|teams did S play for
Which position|positions did S hold
Which political party|parties did S belong to
Which award did S receive
Who was the spouse of S
Who was|were the head coach|coaches of S
Who was|were the chair|chairs of S
Who was the owner of S
Who was the head of S
""".splitlines()

ANCHORS = """\
he/she studied at X
he/she worked for X
he/she was worked for X
he/she was playing for X
he/she held the position of X
he/she was the member of X
he/she received X
he/she was married to X
X was the headcoach
X was the chairperson
""".splitlines()

FORMS = {
    "L2": "in M",
    "L2M": "from M to M",
    "L2H": "D before|after M",
    "L3": "before|after A",
    "L3M": "when A",
    "L3H": "D before|after A",
}
MONTH = r"[A-Z][a-z]+ \d{4}"
DISTANCE = r"(?:\d+ years(?: and \d+ months)?|\d+ months)"


@pytest.fixture(scope="module")
def build():
    config = yaml.safe_load((ROOT / "conf/dataset/generated_complex_tr.yaml").read_text("utf-8"))
    return config["build"]


@pytest.fixture(scope="module")
def records(build):
    return generate_complex_tr(build["seed"], build["subjects"], build["questions_per_level"])


@pytest.fixture(scope="module")
def corpus(records):
    return sorted({fact for record in records for fact in facts_of(record)})


@pytest.fixture(scope="module")
def small_records():
    return generate_complex_tr(**SMALL)


@pytest.fixture(scope="module")
def small_loaded():
    return GeneratedComplexTR(**SMALL, answer_separator="semicolons")


def facts_of(record):
    return [line.strip() for line in record["fact_context"].split("\n")]


def level_of(record):
    return record["id"].split("_")[0]


def span_of(fact):
    start, end = re.search(rf" from ({MONTH}) to ({MONTH})\.$", fact).groups()
    return start, end


@pytest.mark.real_data
def test_the_real_records_have_the_same_shape(real_data, records):
    path = real_data / "complex_tr/excerpt_complex_tr_1000.json"
    for real in json.loads(path.read_text(encoding="utf-8")):
        assert list(real) == list(records[0])
        assert all(span_of(fact) for fact in facts_of(real))
        separator = " \n" if level_of(real) == "L2H" else " \n "
        assert separator.join(facts_of(real)) == real["fact_context"]
        assert asks_in_a_known_wording(real)


def asks_in_a_known_wording(record):
    when = (
        FORMS[level_of(record)]
        .replace("A", f"(?:{'|'.join(re.escape(anchor) for anchor in ANCHORS)})")
        .replace("before|after", "(?:before|after)")
        .replace("D ", f"{DISTANCE} ")
        .replace("M", MONTH)
    )
    opening = "|".join(re.sub(r"(\w+)\|(\w+)", r"(?:\1|\2)", wording) for wording in WORDINGS)
    pattern = rf"(?:{opening}) {when}\?".replace("S", ".+").replace("X", ".+")
    return re.fullmatch(pattern, record["question"])


def test_1002_questions_on_about_1100_facts_are_equally_many_of_six_levels(records, corpus):
    assert Counter(map(level_of, records)) == dict.fromkeys(LEVELS, 167)
    assert 1050 <= len(corpus) <= 1150
    assert len({record["id"] for record in records}) == len(records)
    assert len({record["question"] for record in records}) == len(records)


def test_an_id_names_level_subject_and_relations_as_the_real_ones(records):
    for record in records:
        relations = "_P[0-9]+_P[0-9]+" if level_of(record) in ("L3", "L3H") else "_P[0-9]+"
        assert re.fullmatch(rf"L[23][MH]?_Q[0-9]+{relations}_[0-9]+", record["id"])


def test_every_label_equals_the_answer_of_the_second_solver(records, complex_tr_brute_force):
    for record in records:
        answers = complex_tr_brute_force.solve(record["question"], facts_of(record))
        assert answers == record["answers"], record["question"]


def test_the_labels_are_the_same_when_all_facts_are_known(records, corpus, complex_tr_brute_force):
    for record in records:
        answers = complex_tr_brute_force.solve(record["question"], corpus)
        assert answers == record["answers"], record["question"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_other_seeds_have_right_labels_too(seed, complex_tr_brute_force):
    for record in generate_complex_tr(seed, 30, 30):
        answers = complex_tr_brute_force.solve(record["question"], facts_of(record))
        assert answers == record["answers"], record["question"]


def test_every_wording_and_anchor_occurs_and_no_other(records):
    assert all(asks_in_a_known_wording(record) for record in records)
    asked = [record["question"] for record in records]
    for wording in WORDINGS:
        for number in (0, 1):
            words = re.sub(r"(\w+)\|(\w+)", lambda m, n=number: m[n + 1], wording)
            assert any(re.match(words.replace("S", ".+"), q) for q in asked), words
    for anchor in ANCHORS:
        assert any(re.search(anchor.replace("X", ".+"), question) for question in asked), anchor


def test_one_to_several_answers_are_asked_for(records):
    counts = defaultdict(Counter)
    for record in records:
        counts[level_of(record)][len(record["answers"])] += 1
    assert set(counts["L3"]) == {1}
    assert min(counts["L2M"]) == 2
    for level in ("L2", "L2H", "L3M", "L3H"):
        assert counts[level][1] > counts[level][2] > 0
    assert max(max(count) for count in counts.values()) >= 5


def test_questions_stand_on_the_borders_of_facts(records):
    borders = Counter()
    for record in records:
        month = re.search(rf" in ({MONTH})\?$", record["question"])
        if level_of(record) == "L2" and month:
            for fact in facts_of(record):
                if any(name in fact for name in record["answers"]):
                    start, end = span_of(fact)
                    borders["start"] += start == month[1] != end
                    borders["end"] += end == month[1] != start
                    borders["instant"] += start == month[1] == end
    assert min(borders[border] for border in ("start", "end", "instant")) > 0


def test_names_have_what_makes_the_real_ones_hard(corpus, records):
    answers = {answer for record in records for answer in record["answers"]}
    for quirk in (",", " and ", " to ", "(", "  ", '"', "'", "&", "\u2013"):
        assert any(quirk in answer for answer in answers), quirk
    assert any(not answer.isascii() for answer in answers)
    assert any("was a member of the The " in fact for fact in corpus)
    assert any(a != b and b.startswith(a) for a in answers for b in answers)


def test_a_subject_is_asked_about_often_with_its_facts_in_different_orders(records):
    contexts = defaultdict(list)
    for record in records:
        contexts[record["id"].split("_")[1]].append(facts_of(record))
    assert len(contexts) > 100
    assert all(len({frozenset(facts) for facts in own}) == 1 for own in contexts.values())
    repeated = [own for own in contexts.values() if len(own) > 5]
    assert len(repeated) > 50
    assert all(len({tuple(facts) for facts in own}) > 1 for own in repeated)


def test_levels_and_subjects_are_mixed(records):
    assert len({level_of(record) for record in records[:40]}) == 6


def test_the_benchmark_is_loaded_as_the_real_sample_is(small_records, small_loaded):
    [history] = small_loaded.histories()
    assert history.id == "complex-tr"
    texts = {message.id: message.text for message in history.messages()}
    assert list(texts.values()) == sorted({f for r in small_records for f in facts_of(r)})
    questions = small_loaded.questions("complex-tr")
    assert len(questions) == len(small_records)
    for question, record in zip(questions, small_records, strict=True):
        assert question.query.id == record["id"]
        assert question.query.text == record["question"]
        assert question.gold.items == tuple(record["answers"])
        assert question.gold.answers == ("; ".join(record["answers"]),)
        assert [texts[i] for i in question.gold.evidence] == facts_of(record)
        assert question.gold.group == record["id"].split("_")[1]


def test_more_questions_than_the_subjects_allow_are_refused():
    with pytest.raises(ValueError, match=r"only 15 of 99 questions of level L2 .*subjects=1"):
        generate_complex_tr(seed=0, subjects=1, questions_per_level=99)


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"subjects": 0}, {"questions_per_level": 0}])
def test_senseless_sizes_are_refused(wrong):
    with pytest.raises(ValueError, match=r"change them in conf/dataset/generated_complex_tr\.yaml"):
        GeneratedComplexTR(**SMALL | wrong, answer_separator="semicolons")
