import pytest

from remem.benchmarks.complex_tr.wording import write_month, write_offset


@pytest.mark.parametrize(
    ("month", "text"),
    [(1990 * 12, "January 1990"), (1990 * 12 + 4, "May 1990"), (2022 * 12 + 11, "December 2022")],
)
def test_a_month_is_written_with_its_name_and_year(month, text):
    assert write_month(month) == text


@pytest.mark.parametrize(
    ("months", "text"),
    [
        (22, "1 years and 10 months"),
        (84, "7 years"),
        (2, "2 months"),
        (1, "1 months"),
        (13, "1 years and 1 months"),
    ],
)
def test_a_distance_leaves_out_what_is_zero_and_knows_no_singular(months, text):
    assert write_offset(months) == text
