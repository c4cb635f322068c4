"""The questions of each level on one small life, and questions that must never be asked."""

import numpy as np
import pytest

from remem.benchmarks.complex_tr.facts import Subject, TimedFact
from remem.benchmarks.complex_tr.sampling import LEVELS, draw_question


def a_subject(*facts):
    made = [
        TimedFact(relation, "Ana", name, 12 * start, 12 * end)
        for relation, name, start, end in facts
    ]
    return Subject("Q1", "Ana", tuple(made))


def questions(level, *facts, draws=300):
    rng = np.random.default_rng(0)
    drawn = (draw_question(level, a_subject(*facts), rng) for _ in range(draws))
    return {asked.text: (asked.answers, asked.relations) for asked in drawn if asked is not None}


A, B = ("P69", "A", 1990, 1990), ("P69", "B", 1991, 1991)
JOB = ("P108", "C", 1990, 1991)


def test_l2_asks_for_a_month_of_a_fact():
    assert questions("L2", A, B) == {
        "Where was Ana educated in January 1990?": (("A",), ("P69",)),
        "Where was Ana educated in January 1991?": (("B",), ("P69",)),
    }


def test_l2m_asks_in_the_plural_for_two_facts_at_least():
    assert questions("L2M", A, B) == {
        "Where were Ana educated from January 1990 to January 1991?": (("A", "B"), ("P69",)),
    }


def test_l3_asks_for_a_neighbour_that_may_be_of_another_relation():
    assert questions("L3", A, ("P108", "C", 1993, 1999)) == {
        "Where was Ana educated before he/she worked for C?": (("A",), ("P69", "P108")),
        "Which employer did Ana work for after he/she studied at A?": (("C",), ("P108", "P69")),
    }


def test_l3m_asks_in_the_plural_for_another_relation():
    assert questions("L3M", A, B, JOB) == {
        "Where were Ana educated when he/she was worked for C?": (("A", "B"), ("P69",)),
        "Which employers did Ana work for when he/she studied at A?": (("C",), ("P108",)),
        "Which employers did Ana work for when he/she studied at B?": (("C",), ("P108",)),
    }


def test_relations_without_a_known_wording_are_not_asked_about():
    unknown = [("P551", "A", 1990, 1991), ("P35", "B", 1990, 1991), ("P937", "C", 1990, 1991)]
    assert not any(questions(level, *unknown) for level in LEVELS)


def test_the_head_of_a_state_is_asked_for_only_where_it_has_one_kind_of_head():
    government, state = ("P6", "A", 1990, 1991), ("P35", "B", 1980, 1981)
    assert questions("L2", government)
    assert not questions("L2", government, state)


def test_relations_without_a_known_plural_are_not_asked_for_in_it():
    awards = [("P166", "A", 1990, 1999), ("P166", "B", 1991, 1999), ("P39", "C", 1990, 1999)]
    assert questions("L2", *awards)
    assert not questions("L2M", *awards)
    assert all(text.startswith("Which positions") for text in questions("L3M", *awards))


def test_no_question_names_its_own_answer():
    life = [
        ("P69", name, year, year + 4)
        for name, year in zip("ABCD", range(1980, 1988, 2), strict=True)
    ]
    for level in ("L3", "L3H"):
        for text, (answers, _) in questions(level, *life).items():
            assert not any(text.endswith(f"studied at {name}?") for name in answers)


def test_an_unknown_level_is_an_error():
    with pytest.raises(ValueError, match="'L4' is not one of L2, L2M"):
        draw_question("L4", a_subject(A), np.random.default_rng(0))
