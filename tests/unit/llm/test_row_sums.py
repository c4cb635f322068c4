"""The sum of a stored reply or vector changes with everything that it is bound to."""

import numpy as np
import pytest

from remem.llm.row_sums import is_whole, reply_sum, vector_sum

REPLY = ("text", "[]", "stop", 1, 10, 2)
SUM = reply_sum("key", "ok", *REPLY)


def test_a_reply_is_whole_whatever_became_of_it() -> None:
    for outcome in ("ok", "rejected", "truncated"):
        assert is_whole(SUM, "key", outcome, *REPLY)
    assert is_whole(SUM, b"key", b"ok", b"text", b"[]", b"stop", 1, 10, 2)  # as SQLite casts them


@pytest.mark.parametrize(
    "row",
    [
        ("yek", "ok", *REPLY),
        ("key", "error", *REPLY),
        ("key", "ok", "text[", "]", *REPLY[2:]),
        ("key", "ok", "tex", "t[]", *REPLY[2:]),
        ("key", "ok", *REPLY[:3], 1, 1, 2),
    ],
)
def test_no_other_row_has_the_sum_of_a_reply(row: tuple[object, ...]) -> None:
    assert not is_whole(SUM, *row)


def test_a_row_without_a_sum_is_not_whole() -> None:
    assert not is_whole(None, "key", "ok", *REPLY)


def test_a_vector_has_a_sum_of_its_key_and_its_values() -> None:
    vector = np.array([0.6, 0.8], np.float32)
    found = vector_sum("key", vector)
    assert found == vector_sum("key", vector.copy())
    assert found != vector_sum("yek", vector)
    assert found != vector_sum("key", -vector)


def test_sums_take_at_most_40_bytes_a_row() -> None:
    assert len(SUM) == 16
    assert len(vector_sum("key", np.zeros(4096, np.float32))) == 8
