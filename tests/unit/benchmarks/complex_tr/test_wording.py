import pytest

from remem.benchmarks.complex_tr.wording import wording, write_month, write_offset


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


def test_a_relation_that_is_asked_about_or_referred_to_is_also_stated():
    assert set(wording().asking) | set(wording().anchors) <= set(wording().statements)
    assert set(wording().anchors) == set(wording().anchors_of_when)


def test_every_wording_names_the_subject_or_the_object_it_is_for():
    for statement in wording().statements.values():
        assert statement.count("{subject}") == statement.count("{object}") == 1
    for asking in wording().asking.values():
        assert asking.singular.count("{subject}") == 1
        assert asking.plural is None or asking.plural.count("{subject}") == 1
    assert all(anchor.count("{object}") == 1 for anchor in wording().anchors.values())
