"""A warning is printed before a model is retired from its API."""

from datetime import date

from remem.config.retirement import Retirement, read_retirements, retirement_warning

KNOWN = {"m": Retirement(date(2027, 1, 14), "a page")}


def test_the_papers_model_leaves_on_2027_01_14() -> None:
    assert read_retirements()["gpt-4.1-mini-2025-04-14"].date == date(2027, 1, 14)


def test_a_retired_model_is_said_to_have_left() -> None:
    said = retirement_warning("m", KNOWN, date(2027, 1, 14))
    assert said == "m was retired on 2027-01-14 (a page)"
    assert retirement_warning("other", KNOWN, date(2027, 1, 14)) is None
    assert retirement_warning("m", KNOWN, date(2025, 1, 1)) is None
