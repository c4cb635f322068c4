"""The counts of outcomes and causes add up, and each links to its questions."""

from remem.reports.html.outcome_counts import cause_table, outcome_shares
from remem.results.run import Run
from remem.types import Gold, Record, Retrieved

REFUSAL = "no information available"


def record(at: int, answer: str, category: str = "1", source: str = "m1", evidence: str = "m1"):
    gold = Gold(("red",), category, evidence=(evidence,) if evidence else ())
    items = (Retrieved("g1", (source,)),) if source else ()
    return Record(f"q{at}", "h", at, "What?", gold, "ok", answer=answer, retrieved=items)


RECORDS = [
    record(0, "red"),
    record(1, "blue"),
    record(2, "blue", "2", source="m9"),
    record(3, REFUSAL, "2"),
]


def test_the_bar_has_a_part_for_each_outcome(make_run) -> None:
    shares = outcome_shares(Run.open(make_run(RECORDS)))
    assert [(one.outcome, one.count, one.start, one.width, one.link) for one in shares] == [
        ("right", 1, 0.0, 25.0, "#outcome=right"),
        ("wrong", 2, 25.0, 50.0, "#outcome=wrong"),
        ("refused", 1, 75.0, 25.0, "#outcome=refused"),
    ]


def test_wrong_answers_are_counted_by_category_and_cause(make_run) -> None:
    table = cause_table(Run.open(make_run(RECORDS)))
    assert table.causes == ("not recalled", "refused although answerable", "in the prompt")
    assert [(row.category, [cell.count for cell in row.counts]) for row in table.rows] == [
        ("all", [1, 1, 1]),
        ("1 multi-hop", [0, 0, 1]),
        ("2 when", [1, 1, 0]),
    ]
    assert table.rows[2].counts[0].link == "#category=2&outcome=not+recalled"
    assert table.note.startswith("remem diagnose ")


def test_a_run_that_cannot_know_says_why(make_run) -> None:
    table = cause_table(Run.open(make_run([record(0, "blue", evidence="")])))
    assert table.causes == ("evidence not known",)
    assert table.note.startswith("These data do not name the messages")


def test_a_run_with_nothing_wrong_has_no_rows(make_run) -> None:
    assert cause_table(Run.open(make_run([record(0, "red")]))).rows == ()
