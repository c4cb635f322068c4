import pytest

from remem.benchmarks.json_files import field, strings


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "q0 is list, expected a JSON object"),
        ({}, "q0 has no 'category', expected int"),
        ({"category": "2"}, "'category' of q0 is str, expected int"),
        ({"category": True}, "'category' of q0 is bool, expected int"),
    ],
)
def test_a_wrong_field_says_what_and_where(record, message):
    with pytest.raises(ValueError, match=message):
        field(record, "category", int, "q0")


def test_a_list_of_strings_holds_nothing_else():
    assert strings({"evidence": ["D1:1", ""]}, "evidence", "q0") == ["D1:1", ""]
    with pytest.raises(ValueError, match="an item of 'evidence' of q0 is int, expected str"):
        strings({"evidence": ["D1:1", 3]}, "evidence", "q0")
