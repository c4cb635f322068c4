"""The sum of a stored reply changes with everything that it is bound to."""

import pytest

from remem.llm.replay import is_whole, reply_sum

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
