"""The eight temporal classes, told by the words of questions that were written for this test."""

import os
from collections import Counter

import pytest

from remem.benchmarks.locomo import LoCoMo
from remem.results.temporal_classes import CLASSES, class_by_rules

QUESTIONS = {
    "existence_check": (
        "Did Ines own a dinghy in May 2021?",
        "Was Ravi at the shipyard last winter?",
        "Has Ola been to the lighthouse since 2019?",
    ),
    "event_timing": (
        "When did Ines scrape the hull?",
        "In which month was the mast raised?",
        "What year did Ravi sell the Petrel?",
        "Since when has Ola rowed?",
    ),
    "event_attributes": (
        "What did Ines repair on 3 June 2022?",
        "Who won the regatta in Sept. 2020?",
        "Which sail did Ravi mend two days before 4 July, 2021?",
        "Where did Ola anchor during the storm?",
        "Which club did Ola row for from 1990 to 1995?",
        "What did Ines buy last weekend?",
    ),
    "order": (
        "What did Ines do after the regatta?",
        "Which employer did Ravi work for before the shipyard?",
        "What was Ola singing while the others were rowing?",
        "Which boat was launched first, the Petrel or the Tern?",
    ),
    "duration": (
        "How long did the crossing take?",
        "How many weeks passed between the two repairs?",
        "For how long has Ola kept bees?",
    ),
    "aggregation": (
        "How many times did Ines capsize in 2022?",
        "How often does Ravi swim?",
        "How many regattas has Ola won?",
    ),
    "other": ("Would Ines want to move inland soon?",),
    "non_temporal": (
        "Where does Ravi hide the spare key?",
        "How many sisters does Ola have?",
        "Who looks after the lighthouse?",
        "Why did Ines choose red paint?",
        "May Ravi borrow the dinghy?",
        "",
    ),
}


@pytest.mark.parametrize(
    ("expected", "question"), [(name, item) for name, many in QUESTIONS.items() for item in many]
)
def test_a_question_is_of_the_class_that_its_words_say(expected: str, question: str) -> None:
    assert class_by_rules(question) == expected
    assert class_by_rules(f"  {question.upper()}\n") == expected


def test_every_class_of_the_paper_has_questions() -> None:
    assert tuple(QUESTIONS) == CLASSES


@pytest.mark.real_data
def test_what_locomo_calls_a_question_of_time_is_one_of_the_temporal_classes() -> None:
    if "REMEM_DATA" not in os.environ:
        pytest.skip("REMEM_DATA is not set")
    benchmark = LoCoMo(data=os.environ["REMEM_DATA"], file="locomo10.json", evidence_rule="paper")
    asked = [
        question
        for history in benchmark.histories()
        for question in benchmark.questions(history.id)
    ]
    told = Counter(
        (item.gold.category, class_by_rules(item.query.text) != "non_temporal") for item in asked
    )
    assert sum(told.values()) == 1986
    of_time = told["2", True] / (told["2", True] + told["2", False])
    single_hop = told["4", True] / (told["4", True] + told["4", False])
    assert of_time > 0.95 and single_hop < 0.5, (of_time, single_hop)
