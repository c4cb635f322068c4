"""The second solver's rules, checked on questions worked out by hand and on the real labels."""

import json
import os
from pathlib import Path

import pytest

LIFE = [
    "Ana Velt studied at Kres University from January 1990 to January 1994.",
    "Ana Velt studied at Kres University Law School from January 1994 to May 1997.",
    "Ana Velt worked for Holm, Kres and Sons from May 1997 to May 1997.",
    "Ana Velt worked for Bank of Holm from June 1999 to May 2001.",
    "Ana Velt worked for Studio 9 from June 1999 to May 2023.",
    "Ana Velt worked for Bank of Holm from January 2005 to January 2006.",
    "Ana Velt was a member of the The People of Holm from January 1992 to January 2000.",
    "Ana Velt played for Kres F.C. from March 1988 to March 1991.",
    "Ana Velt held the position of Ambassador of Kres to Holm from July 2001 to July 2003.",
    "Ana Velt received Medal of Kres (First Class) from May 1995 to May 2023.",
    "Ana Velt was married to Rui Arv from January 1993 to May 2023.",
    "Ana Velt  in Holm from January 1990 to January 1991.",
    "Ana Velten studied at Holm University from January 1990 to January 1994.",
]
CLUB = [
    "Rui Arv was the head coach of FC Kres from July 1999 to June 2000.",
    "Rui Arv was the head coach of FC Kres United from July 1990 to June 1999.",
    "Zoë Arv was the head coach of FC Kres from June 2000 to June 2004.",
    "Uwe Quist was the chair of FC Kres from January 1990 to June 2000.",
    "Ana Velt was the chair of FC Kres from July 2004 to May 2023.",
    "FC Kres was owned by Holm & Sons from July 2003 to June 2022.",
    "Uwe Quist was the head of the government of Republic of Kres from July 1990 to June 1991.",
    "Zoë Arv was the head of the state of Republic of Kres from July 1990 to June 1999.",
]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Where was Ana Velt educated in January 1990?", ["Kres University"]),
        (
            "Where was Ana Velt educated in January 1994?",
            ["Kres University", "Kres University Law School"],
        ),
        ("Where was Ana Velt educated in December 1989?", None),
        ("Where was Ana Velten educated in May 1993?", ["Holm University"]),
        (
            "Where were Ana Velt educated from December 1993 to January 1994?",
            ["Kres University", "Kres University Law School"],
        ),
        ("Which employer did Ana Velt work for in May 1997?", ["Holm, Kres and Sons"]),
        ("Which employers did Ana Velt work for from May 1990 to April 1997?", None),
        (
            "Which employers did Ana Velt work for from May 1997 to June 1999?",
            ["Holm, Kres and Sons", "Bank of Holm", "Studio 9"],
        ),
        (
            "Which employer did Ana Velt work for 1 years and 1 months after May 1998?",
            ["Bank of Holm", "Studio 9"],
        ),
        ("Which employer did Ana Velt work for 9 years before May 2006?", ["Holm, Kres and Sons"]),
        (
            "Which employer did Ana Velt work for 1 months after April 1997?",
            ["Holm, Kres and Sons"],
        ),
        (
            "Where was Ana Velt educated before he/she worked for Studio 9?",
            ["Kres University Law School"],
        ),
        (
            "Which employer did Ana Velt work for after he/she studied at Kres University Law "
            "School?",
            ["Holm, Kres and Sons"],
        ),
        (
            "Which employer did Ana Velt work for before he/she studied at Kres University?",
            None,
        ),
        (
            "Which employer did Ana Velt work for before he/she worked for Bank of Holm?",
            ["Holm, Kres and Sons"],
        ),
        ("Which employer did Ana Velt work for after he/she worked for Studio 9?", None),
        ("Where was Ana Velt educated after he/she studied at Holm University?", None),
        (
            "Which employers did Ana Velt work for when he/she was the member of The People of "
            "Holm?",
            ["Holm, Kres and Sons", "Bank of Holm", "Studio 9"],
        ),
        (
            "Where were Ana Velt educated when he/she was playing for Kres F.C.?",
            ["Kres University"],
        ),
        (
            "Which political parties did Ana Velt belong to when he/she was worked for Bank of "
            "Holm?",
            ["The People of Holm"],
        ),
        (
            "Which position did Ana Velt hold 4 years and 2 months after he/she worked for "
            "Holm, Kres "
            "and Sons?",
            ["Ambassador of Kres to Holm"],
        ),
        (
            "Which team did Ana Velt play for 7 years and 2 months before he/she received Medal of "
            "Kres (First Class)?",
            ["Kres F.C."],
        ),
        (
            "Which award did Ana Velt receive 5 years after he/she studied at Kres University?",
            ["Medal of Kres (First Class)"],
        ),
        (
            "Who was the spouse of Ana Velt before he/she held the position of Ambassador of "
            "Kres to "
            "Holm?",
            None,
        ),
        ("Which award did Ana Velt receive 2 years after he/she was married to Rui Arv?", None),
        ("Who was the head coach of FC Kres in June 2000?", ["Rui Arv", "Zoë Arv"]),
        ("Who was the head coach of FC Kres United in June 1999?", ["Rui Arv"]),
        ("Who was the head coach of FC Kres after Rui Arv was the headcoach?", ["Zoë Arv"]),
        ("Who was the chair of FC Kres before Ana Velt was the chairperson?", ["Uwe Quist"]),
        ("Who were the chairs of FC Kres when Zoë Arv was the headcoach?", ["Uwe Quist"]),
        (
            "Who were the head coaches of FC Kres when Uwe Quist was the chairperson?",
            ["Rui Arv", "Zoë Arv"],
        ),
        ("Who was the owner of FC Kres in July 2003?", ["Holm & Sons"]),
        ("Who was the head of Republic of Kres in May 1991?", ["Uwe Quist"]),
    ],
)
def test_it_answers_as_worked_out_by_hand(question, answers, complex_tr_brute_force):
    facts = LIFE + CLUB
    assert complex_tr_brute_force.solve(question, facts) == answers
    assert complex_tr_brute_force.solve(question, facts[::-1]) == answers


def test_a_repeated_event_counts_from_its_earliest_start(complex_tr_brute_force):
    question = "Which employer did Ana Velt work for after he/she worked for Bank of Holm?"
    assert complex_tr_brute_force.solve(question, LIFE) == ["Bank of Holm"]


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("When was Ana Velt educated?", LIFE),
        ("Where was Ana Velt educated before she was born?", LIFE),
        ("Where was Ana Velt educated in May 1993?", ["Ana Velt sang in Holm."]),
        (
            "Where was Ana Velt educated in May 1993?",
            ["Ana Velt sang in Holm from May 1990 to May 1991."],
        ),
    ],
)
def test_what_it_does_not_know_is_an_error(question, facts, complex_tr_brute_force):
    with pytest.raises(ValueError, match="of Complex-TR"):
        complex_tr_brute_force.solve(question, facts)


@pytest.mark.real_data
@pytest.mark.skipif("REMEM_DATA" not in os.environ, reason="REMEM_DATA is not set")
def test_all_real_labels_but_one_follow_from_their_facts(complex_tr_brute_force):
    path = Path(os.environ["REMEM_DATA"]) / "complex_tr/excerpt_complex_tr_1000.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    off = {}
    for record in records:
        facts = [line.strip() for line in record["fact_context"].split("\n")]
        answers = complex_tr_brute_force.solve(record["question"], facts)
        if set(answers) != set(record["answers"]):
            off[record["id"]] = (answers, record["answers"])
    assert len(records) == 19
    # The gold has another label of the same school than the fact.
    assert off == {
        "L3H_Q87761491_P69_P69_16": (
            ["Dalhousie University Faculty of Medicine"],
            ["Faculty of Medicine, Dalhousie University"],
        )
    }
