from dataclasses import replace

from remem.bundle.sums import first_difference, record_sum, records_sum, score_difference
from remem.types import Gold, Record

RECORD = Record("q1", "h1", 0, "Where is Rex?", Gold(("here",), "4"), "ok", answer="there")
OTHER = replace(RECORD, query_id="q2", index=1)


def test_a_sum_holds_ids_and_no_text() -> None:
    kept = str(record_sum(RECORD))
    assert "q1" in kept and "h1" in kept
    assert "Rex" not in kept and "there" not in kept and "here'" not in kept


def test_the_first_difference_is_named() -> None:
    cases = [
        ([RECORD, OTHER], ""),
        ([RECORD, replace(OTHER, answer="nowhere")], "question q2 differs in answer"),
        ([RECORD], "question q2 has no record now"),
        ([OTHER, RECORD], "question q2 is in the place of q1"),
        ([RECORD, OTHER, OTHER], "question q2 was not asked in the run"),
        (
            [RECORD, replace(OTHER, status="error", answer="", error="no reply")],
            "question q2 differs in status, answer, error: no reply",
        ),
    ]
    for now, told in cases:
        assert first_difference(map(record_sum, [RECORD, OTHER]), now) == told


def test_the_sum_of_records_is_that_of_their_file() -> None:
    # printf '' | sha256sum
    assert records_sum([]).startswith("e3b0c44298fc1c14")
    assert records_sum([RECORD]) == record_sum(RECORD).sha256


def test_scores_differ_from_the_sixth_decimal_on() -> None:
    cases = [
        (b'{"f1": [0.5]}', b'{"f1":  [0.5]}', ""),
        (b'{"f1": [0.5]}', b'{"f1": [0.50000001]}', ""),
        (b'{"f1": [0.5]}', b'{"f1": [0.50001]}', "score f1.0 was 0.5, is 0.50001"),
        (b'{"f1": 0.5}', b'{"f1": null}', "score f1 was 0.5, is None"),
        (b'{"f1": 0.5}', b"{}", "score f1 was 0.5, is missing"),
    ]
    for before, now, told in cases:
        assert score_difference(before, now) == told


def test_scores_that_are_nested_too_deeply_are_no_valid_json() -> None:
    deep = b'{"f1": ' + b"[" * 500 + b"]" * 500 + b"}"
    assert score_difference(b"{}", deep).startswith("they are not valid JSON")
