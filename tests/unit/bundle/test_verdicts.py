from pathlib import Path

from remem.bundle.run_parts import read_verdicts, restore_verdicts, verdict_shares
from remem.results.verdicts import Judgment, cases_of, open_judgments, verdicts_by_case
from remem.types import Gold, Record

RECORDS = [
    Record("q1", "h1", 0, "Where is Rex?", Gold(("here",), "4"), "ok", answer="there"),
    Record("q2", "h1", 1, "Who is Rex?", Gold(("a dog",), "4"), "ok", answer="a cat"),
]
RULE = "by_category"


def test_verdicts_travel_without_text_and_come_back_to_the_same_answers(tmp_path: Path) -> None:
    path = tmp_path / "judgments.mine.jsonl"
    first, second = cases_of(RECORDS[:1], RULE, 2)
    with open_judgments(path) as log:
        log.append(Judgment(first, "error", error="no reply"))
        log.append(Judgment(first, "ok", correct=True, judge_prompt="own"))
        log.append(Judgment(second, "ok", correct=False))
    said = read_verdicts(path, RECORDS, RULE)
    assert [(item.query_id, item.repeat, item.correct) for item in said] == [
        ("q1", 0, True),
        ("q1", 1, False),
    ]
    assert "Rex" not in str(said) and "there" not in str(said)
    assert verdict_shares(said) == {"q1": 0.5}
    again = tmp_path / "judgments.again.jsonl"
    assert restore_verdicts(again, said, RECORDS, RULE) == ""
    assert verdicts_by_case(again) == {first: True, second: False}


def test_a_verdict_on_another_answer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "judgments.mine.jsonl"
    with open_judgments(path) as log:
        log.append(Judgment(cases_of(RECORDS, RULE, 1)[0], "ok", correct=True))
    said = read_verdicts(path, RECORDS, RULE)
    told = restore_verdicts(tmp_path / "judgments.b.jsonl", said, RECORDS[1:], RULE)
    assert told == "the verdict on q1 belongs to another answer, question or gold"
    assert read_verdicts(path, RECORDS[1:], RULE) == ()
