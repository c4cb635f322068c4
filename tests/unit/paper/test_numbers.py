"""Printed numbers: digits, values, rounding."""

from decimal import Decimal

import pytest

from remem.paper.layout import parse_number


def test_a_number_is_worth_its_digits_and_its_last_one_was_rounded() -> None:
    cases = [
        ("62.10", "62.10", "0.005"),
        ("1,986", "1986", "0"),
        ("18.10M", "18100000", "5000"),
        ("26k", "26000", "500"),
        ("0.9k", "900", "50"),
        ("$0.75", "0.75", "0.005"),
        ("93%", "93", "0.5"),
        ("-7.1%", "-7.1", "0.05"),
        ("+13.4", "13.4", "0.05"),
        ("T", "1", "0"),
    ]
    for text, value, slack in cases:
        number = parse_number(text)
        assert (number.printed, number.value, number.slack) == (
            text,
            Decimal(value),
            Decimal(slack),
        )


def test_an_interval_stands_behind_its_number() -> None:
    number = parse_number("42.4 -1.6 +1.0")
    assert (number.printed, str(number.minus), str(number.plus)) == ("42.4", "1.6", "1.0")


def test_what_is_no_number_is_refused() -> None:
    cases = ["N/A", "4..2", "42.4 -1.6", "42.4 +1.6 -1.6", "42.4 a b", "-"]
    for text in cases:
        with pytest.raises(ValueError, match="such as"):
            parse_number(text)
