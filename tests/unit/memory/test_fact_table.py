"""The match rule of find_entity_contexts, field by field and against a literal restatement."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.memory import fact_table
from remem.memory.fact_table import FactTable, searched_text
from remem.time_scope import TimePoint, TimeScope
from remem.types import Fact


def table(*triples):
    built = FactTable()
    built.add([Fact("", *triple, None, "", ()) for triple in triples])
    return built


def matches(built, subject=None, predicate=None, obj=None):
    mask = built.matching(subject=subject, predicate=predicate, obj=obj)
    return [int(at) for at in mask.nonzero()[0]]


TOT = table(
    ("E71", "R1", "E2"),
    ("E75", "R11", "E2"),
    ("E2", "R1", "E7"),
    ("E71", "R111", "E75"),
)
CHAT = table(
    ("Caroline", "attended", "LGBTQ support group"),
    ("caroline's mother", "lives in", "Sweden"),
    ("Melanie", "Attended", "Straße concert"),
)


def test_a_name_that_exists_nowhere_matches_no_part_of_a_number():
    # A graph without E7: its count is 0, not that of E71
    assert matches(table(("E71", "R1", "E2"), ("E175", "R1", "E75")), subject="E7") == []
    assert matches(TOT, obj="5") == []


def test_a_name_that_exists_nowhere_matches_the_names_it_is_a_part_of():
    places = table(
        ("New York City", "lies in", "the U.S."),
        ("New Yorkshire", "twinned_with", "York"),
        ("Ann's sister-in-law", "moved to", "Newark, New York"),
    )
    assert matches(places, subject="New York") == [0, 1]
    assert matches(places, subject="new york city") == [0]
    assert matches(places, subject="York New") == []
    assert matches(places, subject="Ann") == matches(places, subject="sister") == [2]
    assert matches(places, obj="new york") == [2]
    assert matches(places, obj="U.S.") == [0]
    assert matches(places, predicate="twinned") == [1]


def test_an_accent_counts_however_it_is_encoded():
    composed, combining = "Jos\u00e9 P\u00e9rez", "Jose\u0301 Pe\u0301rez"
    built = table((composed, "met", "A"), (combining, "met", "B"), ("Jose Lima", "met", "C"))
    assert matches(built, subject="JOS\u00c9") == matches(built, subject="JOSE\u0301") == [0, 1]
    assert matches(built, subject="jose") == [2]
    assert matches(built, subject="p\u00e9re") == [0, 1]
    assert matches(built, subject="Perez") == []
    uncomposed = table(("x\u0304 mean", "is", "1"))  # no single character for it
    assert (matches(uncomposed, subject="x"), matches(uncomposed, subject="X\u0304")) == ([], [0])


def test_the_fall_back_disregards_case():
    assert matches(CHAT, subject="CAROLINE") == [0, 1]
    assert matches(CHAT, obj="support GROUP") == [0]
    assert matches(CHAT, obj="STRASSE") == [2]
    assert matches(CHAT, predicate="ATTENDED") == [0, 2]


def test_facts_added_later_are_matched_and_end_the_fall_back():
    built = table(("E7 junior", "R1", "E2"))
    assert matches(built, subject="E7") == [0]
    built.add([Fact("", "E7", "R1", "E2", None, "", ())])
    assert matches(built, subject="E7") == [1]


names = st.sampled_from(("E1", "E11", "e1", "E1 E2", "Ann", "Anna", "anna ann"))


def by_hand(triples, asked):
    entities = {name for subject, _, obj in triples for name in (subject, obj)}
    known = (entities, {predicate for _, predicate, _ in triples}, entities)

    def agrees(value, wanted, table_names):
        if wanted is None or wanted == value:
            return True
        border = (
            r"(?<!\d)" if wanted[0].isdigit() else "",
            r"(?!\d)" if wanted[-1].isdigit() else "",
        )
        part = re.escape(wanted).join(border)
        return wanted not in table_names and bool(re.search(part, value, re.IGNORECASE))

    return [
        at
        for at, triple in enumerate(triples)
        if all(agrees(*field) for field in zip(triple, asked, known, strict=True))
    ]


@given(
    st.lists(st.tuples(names, names, names), max_size=6),
    st.tuples(*[st.none() | names | st.sampled_from(("E", "n", "e2", "ANN", "x"))] * 3),
)
def test_it_agrees_with_the_rule_restated(triples, asked):
    assert matches(table(*triples), *asked) == by_hand(triples, asked)


@pytest.mark.parametrize("name", ["", " ", "|", "(", ".*", "\x00", "ß" * 1000])
def test_any_text_may_be_asked_for(name):
    assert matches(TOT, subject=name) in ([], [0, 1, 2, 3])


MAY, JUNE = TimePoint(2023, 5), TimePoint(2023, 6, 19)


@pytest.mark.parametrize(
    ("time", "said", "bars", "released"),
    [
        (None, None, "Ann | has | cat", "(Ann, has, cat)"),
        (
            TimeScope(MAY),
            JUNE,
            "Ann | has | cat | 2023-05 | said 2023-06-19",
            '(Ann, has, cat), {"point_in_time": "2023-05", "record_time": "2023-06-19"}',
        ),
        (
            TimeScope(start_time=MAY, end_time=JUNE),
            None,
            "Ann | has | cat | from 2023-05 to 2023-06-19",
            '(Ann, has, cat), {"start_time": "2023-05", "end_time": "2023-06-19"}',
        ),
    ],
)
def test_a_fact_is_searched_as_it_is_shown_or_as_the_released_code_writes_it(
    time, said, bars, released
):
    fact = Fact("f1", "Ann", "has", "cat", time, "s", ("m",), said)
    assert (searched_text(fact, "bars"), searched_text(fact, "released")) == (bars, released)


def test_two_questions_that_search_first_at_once_do_not_disturb_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built = table(("Ann Lee", "likes", "tea"), ("Joanna", "likes", "milk"))
    inner: list[list[int]] = []

    def folded_while_another_searches(name: str) -> str:
        if not inner:
            inner.append([])
            inner[0] = matches(built, subject="ann")
        return name.casefold()

    monkeypatch.setattr(fact_table, "folded", folded_while_another_searches)
    assert matches(built, subject="ann") == [0, 1]
    assert inner == [[0, 1]]
    assert matches(built, subject="milk") == []
