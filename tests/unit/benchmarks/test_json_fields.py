import pytest

from remem.benchmarks.json_files import checked, field, strings


def test_a_field_of_the_right_kind_is_returned():
    assert field({"category": 2}, "category", int, "q0") == 2


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "q0 is list, expected a JSON object"),
        ({}, "q0 has no 'category', expected int"),
        ({"category": "2"}, "'category' of q0 is str, expected int"),
        ({"category": True}, "'category' of q0 is bool, expected int"),
        ({"category": None}, "'category' of q0 is NoneType, expected int"),
    ],
)
def test_a_wrong_field_says_what_and_where(record, message):
    with pytest.raises(ValueError, match=message):
        field(record, "category", int, "q0")


def test_a_list_of_strings_holds_nothing_else():
    assert strings({"evidence": ["D1:1", ""]}, "evidence", "q0") == ["D1:1", ""]
    with pytest.raises(ValueError, match="an item of 'evidence' of q0 is int, expected str"):
        strings({"evidence": ["D1:1", 3]}, "evidence", "q0")


def test_a_value_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="the file is dict, expected list"):
        checked({}, list, "the file")
