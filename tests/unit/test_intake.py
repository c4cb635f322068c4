"""What a reader kept and left out adds up to what it received; repairs are counted."""

import pytest

from remem.intake import Account, Intake, Remark


def test_an_account_has_the_count_and_the_first_place_of_each_reason_and_rule() -> None:
    intake: Intake[str] = Intake("messages")
    intake.keep("hello")
    intake.leave_out("chat.json:2", "no text")
    intake.leave_out("chat.json:5", "no text")
    intake.repair("chat.json:1", "content as a list of parts is joined")
    account = intake.account(arrived=3)
    assert account.kept == 1
    assert account.left_out == (Remark("no text", 2, "chat.json:2"),)
    assert list(account.sentences("chat.json")) == [
        "chat.json: 2 of 3 messages were left out: no text (first: chat.json:2).",
        "chat.json: 1 of 3 messages were repaired: content as a list of parts is joined (first: "
        "chat.json:1).",
    ]


def test_an_account_that_does_not_add_up_is_refused() -> None:
    with pytest.raises(ValueError, match="3 answers arrived, but 1 were kept and 1 left out"):
        Account("answers", arrived=3, kept=1, left_out=(Remark("no text", 1, "row 2"),))


def test_accounts_of_two_inputs_add_up_with_the_earlier_first_places() -> None:
    first = Account("vectors", 3, 2, (Remark("zeros", 1, "request 1"),), asked=4)
    second = Account(
        "vectors", 4, 1, (Remark("zeros", 3, "request 2"),), (Remark("sorted", 1, "request 2"),)
    )
    assert first + second == Account(
        "vectors",
        arrived=7,
        kept=3,
        left_out=(Remark("zeros", 4, "request 1"),),
        repaired=(Remark("sorted", 1, "request 2"),),
        asked=4,
    )
