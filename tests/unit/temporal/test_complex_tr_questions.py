"""Complex-TR questions: every known wording is read into its parts, no other is read at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.complex_tr_questions import (
    Anchor,
    ComplexTRQuestion,
    FromTo,
    InMonth,
    NextTo,
    OffsetFromEvent,
    OffsetFromMonth,
    While,
    parse_complex_tr_question,
)
from remem.temporal.dates import MONTHS
from remem.temporal.statements import Triple
from remem.time_scope import TimePoint

ANN = "Ann Li, 3rd Lady Ely"
CLUB = "F.K. Žąsis  (Vilnius)"
MAY_1990 = TimePoint(1990, 5)


@pytest.mark.parametrize(
    ("head", "relation"),
    [
        ("Where was {} educated", "studied at"),
        ("Where were {} educated", "studied at"),
        ("Where did {} live", "lived in"),
        ("Which employer did {} work for", "worked for"),
        ("Which employers did {} work for", "worked for"),
        ("Which team did {} play for", "played for"),
        ("Which teams did {} play for", "played for"),
        ("Which position did {} hold", "held the position of"),
        ("Which positions did {} hold", "held the position of"),
        ("Which political party did {} belong to", "was a member of the"),
        ("Which political parties did {} belong to", "was a member of the"),
        ("Which award did {} receive", "received"),
        ("Which awards did {} receive", "received"),
        ("Who was the spouse of {}", "was married to"),
        ("Who were the spouses of {}", "was married to"),
        ("Who was the owner of {}", "was owned by"),
        ("Who were the owners of {}", "was owned by"),
    ],
)
@pytest.mark.parametrize("name", [ANN, "Men in Black", "Ada from Home and Away"])
def test_questions_that_ask_for_the_object(head, relation, name):
    assert parse_complex_tr_question(f"{head.format(name)} in May 1990?") == ComplexTRQuestion(
        Triple(name, relation, None), InMonth(MAY_1990)
    )


@pytest.mark.parametrize(
    ("head", "relation"),
    [
        ("Who was the head coach of {}", "was the head coach of"),
        ("Who were the head coaches of {}", "was the head coach of"),
        ("Who was the chair of {}", "was the chair of"),
        ("Who were the chairs of {}", "was the chair of"),
        ("Who was the head of {}", "was the head of the government of"),
        ("Who was the head of the government of {}", "was the head of the government of"),
        ("Who were the heads of government of {}", "was the head of the government of"),
        ("Who was the head of the state of {}", "was the head of the state of"),
        ("Who were the heads of state of {}", "was the head of the state of"),
    ],
)
@pytest.mark.parametrize("name", [CLUB, "Day of the State"])
def test_questions_that_ask_for_the_subject(head, relation, name):
    assert parse_complex_tr_question(f"{head.format(name)} in May 1990?") == ComplexTRQuestion(
        Triple(None, relation, name), InMonth(MAY_1990)
    )


@pytest.mark.parametrize(
    ("end", "condition"),
    [
        ("in May 1990", InMonth(MAY_1990)),
        ("from May 1990 to March 1992", FromTo(MAY_1990, TimePoint(1992, 3))),
        ("25 years and 10 months before May 1990", OffsetFromMonth(310, "before", MAY_1990)),
        ("1 year and 1 month before May 1990", OffsetFromMonth(13, "before", MAY_1990)),
        ("13 years before May 1990", OffsetFromMonth(156, "before", MAY_1990)),
        ("11 months after May 1990", OffsetFromMonth(11, "after", MAY_1990)),
    ],
)
def test_times_are_read(end, condition):
    question = parse_complex_tr_question(f"Which employer did {ANN} work for {end}?")
    assert question == ComplexTRQuestion(Triple(ANN, "worked for", None), condition)


@pytest.mark.parametrize(
    ("wording", "relation"),
    [
        ("studied at", "studied at"),
        ("worked for", "worked for"),
        ("was worked for", "worked for"),
        ("played for", "played for"),
        ("was playing for", "played for"),
        ("held the position of", "held the position of"),
        ("was the member of", "was a member of the"),
        ("received", "received"),
        ("was married to", "was married to"),
        ("lived in", "lived in"),
    ],
)
@pytest.mark.parametrize("name", ["Men  in Black (1994)", "Camp after Dark, Inc."])
def test_he_or_she_is_the_one_the_question_is_about(wording, relation, name):
    question = parse_complex_tr_question(
        f"Which positions did {ANN} hold when he/she {wording} {name}?"
    )
    assert question == ComplexTRQuestion(
        Triple(ANN, "held the position of", None), While(Anchor(Triple(ANN, relation, None), name))
    )


@pytest.mark.parametrize(
    ("wording", "relation"),
    [
        ("{} was the headcoach", "was the head coach of"),
        ("{} was the chairperson", "was the chair of"),
        ("{} was the head of government", "was the head of the government of"),
        ("{} was the head of state", "was the head of the state of"),
        ("{}'s term of head of government", "was the head of the government of"),
        ("{}'s term of head of state", "was the head of the state of"),
    ],
)
@pytest.mark.parametrize("person", ["Žilvinas Ąžuolas", "Ib D'Ora"])
def test_a_role_is_one_in_what_the_question_is_about(wording, relation, person):
    question = parse_complex_tr_question(
        f"Who were the chairs of {CLUB} when {wording.format(person)}?"
    )
    anchor = Anchor(Triple(None, relation, CLUB), person)
    assert question == ComplexTRQuestion(Triple(None, "was the chair of", CLUB), While(anchor))


MILL = Anchor(Triple(ANN, "studied at", None), "Old Mill")


@pytest.mark.parametrize(
    ("end", "condition"),
    [
        ("before he/she studied at Old Mill", NextTo("before", MILL)),
        ("after he/she studied at Old Mill", NextTo("after", MILL)),
        ("when he/she studied at Old Mill", While(MILL)),
        ("while he/she studied at Old Mill", While(MILL)),
        (
            "7 years and 7 months before he/she studied at Old Mill",
            OffsetFromEvent(91, "before", MILL),
        ),
        ("2 years after he/she studied at Old Mill", OffsetFromEvent(24, "after", MILL)),
        ("3 months after he/she studied at Old Mill", OffsetFromEvent(3, "after", MILL)),
    ],
)
def test_events_are_read(end, condition):
    question = parse_complex_tr_question(f"Where was {ANN} educated {end}?")
    assert question == ComplexTRQuestion(Triple(ANN, "studied at", None), condition)


@given(st.integers(1, 12), st.integers(1000, 2999), st.integers(0, 999), st.integers(0, 11))
def test_every_offset_from_every_month_is_read(month, year, years, months):
    text = f"{years} years and {months} months after {MONTHS[month - 1]} {year}"
    question = parse_complex_tr_question(f"Where was Ann educated {text}?")
    assert question is not None
    assert question.condition == OffsetFromMonth(
        12 * years + months, "after", TimePoint(year, month)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Where was Ann educated?",
        "Where was Ann educated in 1990?",
        "Where was Ann educated in May 1990",
        "Where was Ann educated in Mai 1990?",
        "Where was Ann educated from May 1990?",
        "Where was Ann educated before May 1990?",
        "Where was Ann educated long after May 1990?",
        "Where was Ann educated before she left?",
        "Where was Ann educated before Bo was the headcook?",
        "What did Ann study in May 1990?",
        "Which entity was the R1 of E2 in 1990?",
        "Ann studied at Old Mill from May 1990 to June 1995.",
    ],
)
def test_an_unknown_wording_is_not_read(text):
    assert parse_complex_tr_question(text) is None


@given(st.text(max_size=80))
def test_any_text_is_read_or_not_but_never_fails(text):
    parse_complex_tr_question(f"Where was Ann educated {text}?")
