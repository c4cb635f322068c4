"""The exit code after an error: its own attribute, else that of the list; none after a bug."""

from remem.cli.exit_codes import Ending, ending
from remem.errors import BUDGET_REACHED, ERROR, USAGE, BudgetReachedError, UsageError


class OfAnAppError(RuntimeError):
    """An error that an app could define."""

    exit_code = 9


def test_an_error_of_an_app_brings_its_exit_code() -> None:
    assert ending(OfAnAppError("not passed")) == Ending(9, "not passed")


def test_an_error_without_one_is_looked_up_and_a_bug_has_none() -> None:
    assert ending(UsageError("which?")) == Ending(USAGE, "which?")
    assert ending(BudgetReachedError("spent")) == Ending(BUDGET_REACHED, "spent")
    assert ending(ValueError("wrong")) == Ending(ERROR, "wrong")
    assert ending(KeyError("a bug")) is None
